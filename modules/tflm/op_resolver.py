# tflm: OpResolver: from what a model names to the functions that do it; loads only those
# MIT license; Copyright (c) 2026 the tflm authors

import sys

from .errors import InputError, ModelError, UnsupportedError
from .micropython_port import free_bytes, make_room

_CUSTOM = 32

ARCHS = (
    "", "x86", "x64", "armv6", "armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp",
    "xtensa", "xtensawin", "rv32imc", "rv64imc",
)  # fmt: skip

_PLENTY = 1 << 20  # bytes of heap; with less, those of x64 would rather be in the way
_folders = None  # what _twin_folders() found


# The instruction set that this interpreter runs native code of, "" where it runs none.
def native_arch():
    arch = getattr(sys.implementation, "_mpy", 0) >> 10 & 15
    return ARCHS[arch] if arch < len(ARCHS) else ""


# True when this firmware has the inline assembler. One without it takes a function of the
# assembler for bytecode (mp_make_function_from_proto_fun in py/emitglue.c) and crashes, so a
# .mpy with such functions must not even be imported there. Only the compiler tells: it refuses the
# decorator. Kernels for RV32 and Xtensa need none: their machine code is in functions of viper.
def _has_assembler():
    try:
        exec("import micropython\n@micropython.asm_thumb\ndef f():\n    pass\n", {})
    except (SyntaxError, NameError):  # NameError: a firmware without a compiler has no exec
        return False
    return True


# True when this core has the DSP extension: MicroPython calls a Cortex-M3 and a Cortex-M33 without
# it armv7em, too. Where there is no such kernel file, there is nothing that could need it.
def _has_dsp():
    if sys.platform == "linux":  # of the cores that run it, all with Thumb-2 have it
        return True
    module = _import("tflm.kernels.armv7em.core")
    return module is not None and module.has_dsp() == 1


# The folders below kernels/ that may hold a twin for this instruction set, the nearest first:
# every Cortex-M runs ARMv6-M code. Those of assembler only where the firmware takes it.
def _twin_folders():
    global _folders
    if _folders is None:
        arch = native_arch()
        _folders = (arch,) if arch else ()
        if arch[:5] == "armv7":
            dsp = (arch, "armv7em") if arch != "armv7m" and _has_dsp() else ()
            _folders = dsp + ("armv7m", "armv6m")
        if arch[:4] == "armv" and not _has_assembler():
            _folders = ()
        if arch == "x64" and free_bytes() < _PLENTY:
            _folders = ()
    return _folders


# True for what can be the name of a file or a function; MicroPython imports none of 256 letters.
def _is_word(text):
    if len(text) > 99:
        return False
    return all([c == "_" or "0" <= c <= "9" or "a" <= c <= "z" for c in text or "-"])


# Import a module by its full name; None when there is none of that name.
def _import(name):
    if name not in sys.modules:
        make_room()
    try:
        return __import__(name, None, None, ("",))
    except ImportError:
        return None


class OpResolver:
    """Finds kernels and operators. The default one knows every builtin operator of tflm.

    `add_builtin(code, module)` puts your own Prepare module in place of a builtin operator.
    `add_custom(name, registration)` adds a custom operator: an object with
    `invoke(context, node)` and, where needed, `init(context, options)` whose result becomes
    `node.data`, `prepare(context, node)`, `reset(context, node)` for Interpreter.reset() and
    `free(context, data)` for Interpreter.free(). Adding one again overrides it.
    """

    def __init__(self):
        self._builtin = {}
        self._kernels = {}
        self._binders = {}  # kernel: how a twin replaces its steps
        self._custom = {}

    def add_builtin(self, code, module):
        if not isinstance(code, int) or code == _CUSTOM or not hasattr(module, "prepare"):
            raise InputError(
                "add_builtin takes a builtin operator's code and a module with "
                "prepare(context, node); use add_custom for custom operators"
            )
        self._builtin[code] = module

    def add_custom(self, name, registration):
        if not name or not isinstance(name, str) or not hasattr(registration, "invoke"):
            raise InputError(
                "add_custom takes the name that the model uses and an object with "
                "invoke(context, node)"
            )
        self._custom[name] = registration

    # The registration of a custom operator.
    def custom(self, name):
        if name in self._custom:
            return self._custom[name]
        if name == "ethos-u":
            raise UnsupportedError(
                "unresolved custom op: ethos-u needs an Ethos-U; convert without vela"
            )
        raise UnsupportedError(
            "unresolved custom op: %s; add it with resolver.add_custom('%s', registration) and "
            "pass the resolver to Interpreter" % (name, name)
        )

    # The Prepare module of a builtin operator.
    def builtin(self, code):
        if code in self._builtin:
            return self._builtin[code]
        from .prepare.table import OPS

        if code not in OPS:
            from .introspection.op_names import name

            raise UnsupportedError(
                "the operator %s (builtin code %d) is not there; add it with "
                "resolver.add_builtin(%d, module) or change the model" % (name(code), code, code)
            )
        return self._prepare_module(code, OPS[code])

    # The Prepare module of a custom operator that TFLM itself has; None for any other, and for
    # one that add_custom() overrides.
    def shipped(self, name):
        from .prepare.table import CUSTOM

        if name in self._custom or name not in CUSTOM:
            return None
        return self._prepare_module(name, CUSTOM[name])

    # The file of a builtin code or a custom operator's name.
    def _prepare_module(self, op, file):
        module = _import("tflm.prepare." + file)
        if module is None:
            if not isinstance(op, str):
                from .introspection.op_names import name

                op = name(op)
            raise UnsupportedError(
                "the operator %s is not on this board; install the file tflm/prepare/%s.py or "
                "flatten the model on the host" % (op, file)
            )
        return module

    # The function of a kernel "file.function": the one for this instruction set if there is one.
    # Only functions that follow the kernel contract are handed out, whatever the model names:
    # their names begin with eval.
    def kernel(self, name):
        if name not in self._kernels:
            self._kernels[name] = self._find_kernel(name)
        return self._kernels[name]

    # Let what kernel() and bind() keep go from the heap: the model has its functions now.
    def forget(self):
        self._kernels = {}
        self._binders = {}

    # Where memory is plenty a twin may have a record of its own, with weights as it likes them:
    # bind_NAME(function, record, rom, room) gives (function, record) to stand for a step of
    # eval_NAME, or None; it may take `room` bytes of heap.
    def bind(self, program):
        if not self._binders:
            return
        room = free_bytes() // 4
        ops = iter(program.ops)
        for steps in program.graphs:
            for i, op in zip(range(len(steps)), ops):
                function, record, units, slice_units = steps[i]
                if units < 0 or op.kernel not in self._binders:  # below 0: its record changes
                    continue
                try:
                    bound = self._binders[op.kernel](function, record, program.rom, room)
                except MemoryError:
                    bound = None
                if bound:
                    steps[i] = bound + (units, slice_units)
                    room -= len(bound[1])

    def _find_kernel(self, name):
        file, _, function = name.partition(".")
        if not (_is_word(file) and _is_word(function) and function[:4] == "eval"):
            raise ModelError(
                "the .tflm names the kernel '%s', which is none; flatten the model again" % name
            )
        line = "\n" + file + "\n"
        for folder in _twin_folders():
            folder = "tflm.kernels." + folder
            # A folder that tells its files saves the search for one that is not there.
            if line not in getattr(_import(folder), "FILES", line):
                continue
            module = _import("%s.%s" % (folder, file))
            if hasattr(module, "bind" + function[4:]):
                self._binders[name] = getattr(module, "bind" + function[4:])
            if hasattr(module, function):
                return getattr(module, function)
        if sys.implementation.name != "micropython":
            raise UnsupportedError(
                "models run in MicroPython, not in %s; use: tflm run" % sys.implementation.name
            )
        module = _import("tflm.kernels." + file)
        if not callable(getattr(module, function, None)):
            raise UnsupportedError(
                "the kernel %s is not on this board; install the kernel file %s.py of this version"
                % (name, file)
            )
        return getattr(module, function)
