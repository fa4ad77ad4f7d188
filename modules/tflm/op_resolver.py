# tflm: OpResolver: find the Prepare module and the kernel functions that a model names.
# MIT license; Copyright (c) 2026 the tflm authors

import sys

from .errors import InputError, ModelError, UnsupportedError
from .micropython_port import find_override, import_module, override_folders

_CUSTOM = 32


# Return True if a text can name a file or a function. MicroPython cannot import a name of 256
# letters.
def _is_identifier(text):
    return 0 < len(text) < 100 and not text.strip("abcdefghijklmnopqrstuvwxyz_0123456789")


class OpResolver:
    """Find kernels and operators; without additions, every builtin operator of tflm.

    A resolver may serve several Interpreters.
    """

    def __init__(self):
        self._builtin = {}
        self._custom = {}
        self.clear_cache()

    def add_builtin(self, code, module):
        """Use your own Prepare module for a builtin operator.

        code: its number in the TFLite schema. module: an object with prepare(context, node).
        Raises InputError for other arguments.
        """
        if not isinstance(code, int) or code == _CUSTOM or not hasattr(module, "prepare"):
            raise InputError(
                "add_builtin() needs an operator's code and a module with prepare(context, node); "
                "custom operators need add_custom()"
            )
        self._builtin[code] = module

    def add_custom(self, name, registration):
        """Add a custom operator, or override one.

        name: its name in the model. registration: an object with `invoke(context, node)` and
        these optional methods: `init(context, options)`, whose result becomes `node.data`;
        `prepare(context, node)`; `reset(context, node)` for Interpreter.reset(); and
        `free(context, data)` for Interpreter.free(). Raises InputError for other arguments.
        """
        if not name or not isinstance(name, str) or not hasattr(registration, "invoke"):
            raise InputError(
                "add_custom() needs a name and an object with invoke(context, node); see "
                "docs/how-to/custom-operator.md"
            )
        self._custom[name] = registration

    # Return the registration of a custom operator.
    def custom(self, name):
        if name in self._custom:
            return self._custom[name]
        if name == "ethos-u":
            raise UnsupportedError("no custom op ethos-u without an Ethos-U; convert without vela")
        raise UnsupportedError(
            "unresolved custom op: %s; use resolver.add_custom('%s', registration) and "
            "Interpreter(resolver=)" % (name, name)
        )

    # Return the Prepare module of a builtin operator.
    def builtin(self, code):
        if code in self._builtin:
            return self._builtin[code]
        from .prepare.table import OPS

        if code not in OPS:
            from .introspection.op_names import name

            raise UnsupportedError(
                "tflm has no operator %s (builtin code %d); use resolver.add_builtin(%d, module), "
                "or change the model" % (name(code), code, code)
            )
        return self._prepare_module(code, OPS[code])

    # Return the Prepare module of a custom operator that TFLM itself has. None for any other, and
    # for a name that add_custom() overrides.
    def shipped(self, name):
        from .prepare.table import CUSTOM

        if name in self._custom or name not in CUSTOM:
            return None
        return self._prepare_module(name, CUSTOM[name])

    # Return the Prepare module in `file`. `op`: builtin code, or name of a custom operator.
    def _prepare_module(self, op, file):
        module = import_module("prepare." + file)
        if module is None:
            if not isinstance(op, str):
                from .introspection.op_names import name

                op = name(op)
            raise UnsupportedError(
                "the operator %s is not on this board; install tflm/prepare/%s.py, or flatten the "
                "model" % (op, file)
            )
        return module

    # Return the function of a kernel "file.function", for this instruction set if there is one.
    # A model can only name functions that follow the kernel contract: their names begin with
    # eval.
    def kernel(self, name):
        if name not in self._kernels:
            self._kernels[name] = self._find_kernel(name)
        return self._kernels[name]

    # Drop what kernel() has cached from the heap, once the model is prepared.
    def clear_cache(self):
        self._kernels = {}
        self._machine_code = {}

    # Return {function of a kernel: its machine code} for bind() of short_steps.py.
    def machine_code(self):
        if self._machine_code and "armv7em" in override_folders():
            module = import_module("kernels.armv7em.core_steps")
            if module:
                self._machine_code[None] = module.join
        return self._machine_code

    # Let a folder of overrides replace steps of a prepared model.
    def bind(self, program):
        for folder in override_folders():
            module = import_module("kernels." + folder)
            if hasattr(module, "replace_steps"):
                module.replace_steps(program)

    def _find_kernel(self, name):
        file, _, function = name.partition(".")
        if not (_is_identifier(file) and _is_identifier(function) and function[:4] == "eval"):
            raise ModelError(
                "the .tflm names a kernel '%s', which cannot exist; flatten the model again" % name
            )
        for folder in override_folders():
            module = find_override(folder, file)
            if hasattr(module, function):
                found = getattr(module, function)
                if folder != "x64":  # whose functions keep their records
                    self._machine_code[found] = getattr(module, "run" + function[4:], found)
                return found
        if sys.implementation.name != "micropython":
            raise UnsupportedError(
                "models need MicroPython, not %s; use tflm run" % sys.implementation.name
            )
        module = import_module("kernels." + file)
        if not callable(getattr(module, function, None)):
            raise UnsupportedError(
                "the kernel %s is not on this board; install it with tflm deploy MODEL PORT" % name
            )
        return getattr(module, function)
