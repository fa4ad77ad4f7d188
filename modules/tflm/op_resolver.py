# tflm: OpResolver: from what a model names to the functions that do it; loads only those
# MIT license; Copyright (c) 2026 the tflm authors

import sys

from .errors import UnsupportedError

_ARCHS = (
    "", "x86", "x64", "armv6", "armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp",
    "xtensa", "xtensawin", "rv32imc", "rv64imc",
)  # fmt: skip


# The instruction set that this interpreter runs native code of, "" where it runs none.
def native_arch():
    mpy = getattr(sys.implementation, "_mpy", 0)
    return _ARCHS[mpy >> 10 & 15] or ""


# Import a module by its full name; None when there is none of that name.
def _import(name):
    try:
        return __import__(name, None, None, ("",))
    except ImportError:
        return None


class OpResolver:
    """Finds kernels and operators. The default one knows every builtin operator of tflm.

    `add_builtin(code, module)` puts your own Prepare module in place of a builtin operator;
    `add_custom(name, registration)` adds a custom operator: an object with any of
    `init(context, options)`, `free(context, data)`, `prepare(context, node)` and
    `invoke(context, node)`. Adding one again overrides it.
    """

    def __init__(self):
        self._builtin = {}
        self._custom = {}

    def add_builtin(self, code, module):
        self._builtin[code] = module

    def add_custom(self, name, registration):
        if not name:
            raise UnsupportedError("a custom op needs a name; give the one that the model uses")
        self._custom[name] = registration

    # The registration of a custom operator.
    def custom(self, name):
        if name in self._custom:
            return self._custom[name]
        if name == "ethos-u":
            raise UnsupportedError("unresolved custom op: ethos-u needs an Ethos-U; convert without vela")
        raise UnsupportedError(
            "unresolved custom op: %s; call resolver.add_custom('%s', registration) and pass the "
            "resolver to Interpreter" % (name, name)
        )

    # The Prepare module of a builtin operator.
    def builtin(self, code):
        if code in self._builtin:
            return self._builtin[code]
        from .op_names import name
        from .prepare.table import OPS

        if code not in OPS:
            raise UnsupportedError(
                "the operator %s (builtin code %d) is not there; add it with "
                "resolver.add_builtin(%d, module) or change the model" % (name(code), code, code)
            )
        return _import("tflm.prepare." + OPS[code])

    # The function of a kernel "file.function": the one for this instruction set if there is one.
    def kernel(self, name):
        file, function = name.split(".")
        arch = native_arch()
        module = _import("tflm.kernels.%s.%s" % (arch, file)) if arch else None
        if not hasattr(module, function):
            module = _import("tflm.kernels." + file)
        if not hasattr(module, function):
            raise UnsupportedError(
                "the kernel %s is not on this board; install the kernel file %s.py of this version"
                % (name, file)
            )
        return getattr(module, function)
