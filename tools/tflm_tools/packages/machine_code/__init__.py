# tflm_tools: machine code of our own in .mpy files for firmware without an inline assembler
# MIT license; Copyright (c) 2026 the tflm authors

# Firmware takes a function of MicroPython's inline assembler for bytecode, and crashes, unless it
# was built with one; the stock firmware of ESP32, ESP32-C3 and their like is not. It does run
# functions of kind viper. So what mpy-cross has compiled, the carrier, is changed: a function of
# the inline assembler, or a stub whose source tells its machine code (listing.py), becomes one of
# kind viper, which begins with what checks and converts its arguments: see
# docs/explanation/machine-code.md.

from importlib import import_module

from ... import targets
from ...errors import ToolError
from . import listing
from .mpy_file import ASM, KINDS, VIPER, Code, MpyFile

# One with kernels in assembler has a file here, whose around() says what is wrapped around them.
ARCHS = tuple(name for name, arch in targets.ARCHS.items() if not arch.assembler)
_PLAIN = 2  # type of the value of a function of the inline assembler that names none: int


def convert(data, source, arch):
    """The .mpy (bytes) with machine code in functions of kind viper, for an arch of ARCHS.

    data: what mpy-cross made of `source`, a text. What has no machine code comes back as it was.
    Raises ToolError where one does not fit the other.
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
            if child.numbers[1:] != [arguments, _PLAIN]:
                raise ToolError(f"{name}() of the inline assembler has types; leave them out")
            code = child.data
        elif code and child.kind != VIPER:
            raise ToolError(
                f"{name}() tells its machine code, and is {KINDS[child.kind]}; make it viper"
            )
        if code:
            children[i] = Code(VIPER, _around(arch)(code, arguments, mpy.fun_table()), [0])
    if _has_assembler(mpy):
        raise ToolError("a function of the inline assembler stands in another; move it out")
    return mpy.data()


def _has_assembler(mpy):
    return any(code.kind == ASM for code in mpy.module.functions())


def _around(arch):
    try:
        return import_module(f".{arch}", __package__).around
    except ModuleNotFoundError:
        raise ToolError(
            f"nobody has said how firmware for {arch} calls machine code; "
            f"write packages/machine_code/{arch}.py, with around()"
        ) from None
