# tflm: replaces functions of a module by machine code, where this core has it
# MIT license; Copyright (c) 2026 the tflm authors

from ..micropython_port import find_override, override_folders


def use_machine_code(scope, file):
    """Replace functions of a module by those that kernels/<machine>/<file>.py lists in FUNCTIONS.

    scope: globals() of the module, which calls this at its end. A variable portable_NAME of the
    other file becomes the function NAME that is replaced.
    """
    for folder in override_folders():
        find_override(folder, file + "_asm")  # first: if the file imports it, the stack is deeper
        module = find_override(folder, file)
        variables = dir(module)
        for name in getattr(module, "FUNCTIONS", ()):
            function = getattr(module, name)
            if scope.get(name, function) is not function:
                if "portable_" + name in variables:
                    setattr(module, "portable_" + name, scope[name])
                scope[name] = function
        if module:
            return
