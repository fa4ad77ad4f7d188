# tflm_tools: packages: puts machine code into .mpy files for firmware without the inline assembler
# MIT license; Copyright (c) 2026 the tflm authors

# Firmware that was built without MicroPython's inline assembler, like the stock firmware of ESP32
# boards, runs a function of the inline assembler as bytecode and crashes. It can run viper
# functions. convert() therefore changes a .mpy of mpy-cross: a function of the inline assembler,
# or a stub whose source lists its machine code (listing.py), becomes a viper function. Code before
# it checks and converts the arguments: see README.md.

from importlib import import_module

from ... import targets
from ...errors import ToolError
from . import listing, viper_optimizer
from .mpy_file import ASM, KINDS, VIPER, Code, MpyFile

# For an architecture with kernels in assembler, the file <arch>.py of this folder has wrap().
ARCHS = tuple(name for name, arch in targets.ARCHS.items() if not arch.assembler)
_INT_TYPE = 2  # return type of a function of the inline assembler without annotations


def convert(data, source, arch):
    """Return a .mpy (bytes) whose machine code is in viper functions, for an arch of ARCHS.

    data: the .mpy that mpy-cross made of `source` (str); it is returned unchanged if it has no
    machine code. Raises ToolError if `data` and `source` do not match.
    """
    mpy = MpyFile(data)
    if not listing.is_in(source) and not _has_assembler(mpy):
        return data
    functions = listing.functions(source)
    children = mpy.module.children
    if len(children) != len(functions):
        raise ToolError(
            f"the source has {len(functions)} functions, the .mpy {len(children)}; "
            "compile it again"
        )
    for i, (name, arguments, code) in enumerate(functions):
        child = children[i]
        if child.kind == ASM:
            if child.numbers[1:] != [arguments, _INT_TYPE]:
                raise ToolError(f"{name}() of the inline assembler has types; leave them out")
            code = child.data
        elif code and child.kind != VIPER:
            raise ToolError(
                f"{name}() lists machine code, but is {KINDS[child.kind]}; make it viper"
            )
        if code:
            wrapped = _wrap(arch)(code, arguments, mpy.function_table())
            children[i] = Code(VIPER, wrapped, [0])
    if _has_assembler(mpy):
        raise ToolError("a function of the inline assembler is inside another; move it out")
    return mpy.data()


def shortened(data, name, arch):
    """Return a .mpy (bytes) with smaller machine code, if it is a kernel for Xtensa.

    name: the path that it was compiled as. The code of kernels cannot raise exceptions and catch
    them, which the optimizer does not support.
    """
    is_kernel = name.startswith("tflm/kernels/") and arch == "xtensawin"
    return viper_optimizer.optimize_file(data) if is_kernel else data


def _has_assembler(mpy):
    return any(code.kind == ASM for code in mpy.module.functions())


def _wrap(arch):
    try:
        return import_module(f".{arch}", __package__).wrap
    except ModuleNotFoundError:
        raise ToolError(
            f"tflm does not know how firmware for {arch} calls machine code; "
            f"write packages/machine_code/{arch}.py with wrap()"
        ) from None
