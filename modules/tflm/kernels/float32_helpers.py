# Replaces helpers of float32 by helpers of the machine, before a kernel imports them
# MIT license; Copyright (c) 2026 the tflm authors

import sys

_is_done = False


# Let kernels import the machine's helpers in place of the portable ones. `folders` has the folders
# of OpResolver. In their tables FILES, "float32_dots=float32" means that float32 replaces
# float32_dots, too. Portable helpers are imported first: the others import them, and the stack
# would be deeper.
def replace(import_module, folders):
    global _is_done
    if _is_done:
        return
    _is_done = True
    files = {}
    for folder in folders:
        for line in getattr(import_module("kernels." + folder), "FILES", "").split("\n"):
            name = line.split("=")[0].replace("gen.", "")
            if name[:7] == "float32" and name not in files:
                files[name] = "kernels.%s.%s" % (folder, line.split("=")[-1])
    for name in files:
        import_module("kernels." + name)
    for name, file in files.items():
        module = import_module(file)
        if module:
            sys.modules["tflm.kernels." + name] = module
