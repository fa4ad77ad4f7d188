# tflm.features: replaces viper functions by machine code of tools/asm, where this core has it.
# MIT license; Copyright (c) 2026 the tflm authors

from ..op_resolver import import_module, override_folders


def use_machine_code(scope, file):
    """Replace functions of a module by those that kernels/<machine>/gen/<file>.py lists.

    scope: globals() of the module.
    """
    for folder in override_folders():
        module = import_module("kernels.%s.gen.%s" % (folder, file))
        if module:
            for name in module.FUNCTIONS:
                scope[name] = getattr(module, name)
            return
