# What of tflm is frozen into a firmware; MicroPython's makemanifest.py reads this
# MIT license; Copyright (c) 2026 the tflm authors

# Options, as in include("modules/manifest.py", arch="armv6m", kernels="conv pooling"):
# arch: folders of kernels/ for the board's instruction set, the port's own kernels always.
# kernels: files of kernels/ with what they import; "" takes all that a model may look for, "int8"
# those that int8 models need, which leaves room for large models on small boards.
# prepare: False leaves out what only a .tflite on the board needs; a .tflm runs without. Names of
# files of prepare/ take these and no others: `tflm ops MODEL --manifest FILE` writes them.
# checks: False leaves out tflm/access_checks, for boards that load models only from ROMFS or with
# trusted=True; such a firmware refuses every other .tflm.
# app: a folder of firmware/apps, whose files are frozen, too; its main.py runs at boot.
import os
import re

options.defaults(arch="", kernels="", prepare=True, checks=True, app="")

# Folders that each board needs, and those that only a .tflite on the board does.
_RUNTIME = ("", "run", "introspection", "api_compat", "learn")
_TFLITE = ("tflite", "prepare")


# Python files of a folder below tflm/.
def _files(folder):
    path = os.path.join("tflm", folder)
    if not os.path.isdir(path):
        return []
    names = sorted(name for name in os.listdir(path) if name.endswith(".py"))
    return [os.path.join(folder, name) for name in names]


# A kernel file and all that it imports of kernels/ ("from .requantize import f").
def _with_imports(file, found):
    if file in found or not os.path.exists(os.path.join("tflm", file)):
        return
    found.append(file)
    with open(os.path.join("tflm", file)) as source:
        for dots, name in re.findall(r"^\s*from (\.+)(\w+) import", source.read(), re.M):
            folder = os.path.dirname(file) if len(dots) == 1 else "kernels"
            _with_imports(os.path.join(folder, name + ".py"), found)


# What the head of a kernel file says (docs/develop/write-a-kernel.md):
# {"types": ["int8"], "check": ["binary"]}.
def _facts(file):
    with open(os.path.join("tflm", file)) as source:
        head = re.search(r"^# Kernel: (.*(\n#   .*)*)", source.read(), re.M)
    said = head.group(1).replace("\n#  ", "").split("; ") if head else []
    return {part.split()[0]: part.split()[1:] for part in said}


# Files for int8 that "int8" does without: a model needs them where bands go through its pools.
_BANDED = ("fully_connected_bands", "pooling_rows")


# Names of the files with kernels for int8, but for those of other targets, of signals, of learning
# and of what is not quantized.
def _int8():
    names = []
    for file in _files("kernels"):
        facts = _facts(file)
        others = set(facts.get("target", ())) - set(options.arch.split())
        others |= {"signal", "types", "learn"} & set(facts.get("package", ()))
        others |= {os.path.basename(file)[:-3]} & set(_BANDED)
        if not others and {"int8", "any"} & set(facts.get("types", ())):
            names.append(os.path.basename(file)[:-3])
    return names


# Files for an instruction set that "int8" does without: the portable ones, which they need for
# some records anyway, are enough where flash is short.
_FAST = (
    "fully_connected", "softmax", "svdf", "transpose_conv", "unidirectional_sequence_lstm"
)  # fmt: skip


# Names of the functions eval... of a file: defined, imported, or another name of one.
def _evals(file):
    with open(os.path.join("tflm", file)) as source:
        pattern = r"^def (eval\w*)|^from .* import .*?(eval\w*)|^(eval\w*) = "
        return {"".join(names) for names in re.findall(pattern, source.read(), re.M)}


# Whether a file has all functions eval... of another.
def _replaces(file, other):
    return _evals(other) <= _evals(file)


# The folder whose twins every core runs that has it: those of others ask the core first.
_SURE = os.path.join("kernels", "armv6m")


# Whether nothing looks for a portable file, as there is a twin with all of its functions.
def _is_replaced(file, folders):
    twin = os.path.join(_SURE, os.path.basename(file))
    is_portable = os.path.dirname(file) == "kernels" and _SURE in folders
    return is_portable and os.path.exists(os.path.join("tflm", twin)) and _replaces(twin, file)


# Every kernel file that may be looked for, with what these import.
def _every(folders):
    found = []
    for folder in folders:
        for file in _files(folder):
            # What has no kernels and is imported by none: what a folder says of itself and of the
            # core, and how cores wait for each other.
            is_asked = os.path.basename(file) in ("__init__.py", "core.py", "core_events.py")
            if is_asked or _evals(file) and not _is_replaced(file, folders):
                _with_imports(file, found)
    return found


# Kernel files: all of them, or those that the option names, in each folder that the arch has.
def _kernels():
    folders = ["kernels"] + [os.path.join("kernels", arch) for arch in options.arch.split()]
    if not options.kernels:
        return _every(folders)
    names = []
    for name in options.kernels.split():
        names += _int8() if name == "int8" else [name]
    found = []
    _with_imports(os.path.join("kernels", "__init__.py"), found)
    # core_events is no kernel: with it the second core waits without using power.
    for name in ["core_events"] + names:
        there = [
            os.path.join(folder, name + ".py")
            for folder in folders[1:] + folders[:1]
            if os.path.exists(os.path.join("tflm", folder, name + ".py"))
            and not (folder != "kernels" and name in _FAST and "int8" in options.kernels.split())
        ]
        for file in there[:1]:
            _with_imports(os.path.join(os.path.dirname(file), "__init__.py"), found)
            _with_imports(file, found)
            # A file for the instruction set may hold only some of the functions.
            if len(there) > 1 and not _replaces(file, there[-1]):
                _with_imports(there[-1], found)
    return found


# Files that check the records of the kernels that are frozen.
def _checks():
    if not options.checks:
        return []
    found = []
    _with_imports(os.path.join("access_checks", "__init__.py"), found)
    for kernel in _kernels():
        portable = os.path.join("kernels", os.path.basename(kernel))
        if os.path.exists(os.path.join("tflm", portable)):
            for check in _facts(portable).get("check", ()):
                _with_imports(os.path.join("access_checks", check + ".py"), found)
    return found


# What firmware has whose kernels are not chosen one by one: inputs by rows, what gives core 1 back
# when an interpreter has gone (free() does, too), bytes of float32 that is kept as integers, the
# APIs of others, learning, and where flash has an XIP block what saves waiting for it.
_APIS = ["litert.py", "ml.py", "learner.py"] + _files("api_compat") + _files("learn")
_ROOMY = [os.path.join("run", name + ".py") for name in ("rows", "finalizer")] + ["float_bytes.py"]
_ROOMY += _APIS
_FLASH = [os.path.join("run", name + ".py") for name in ("streaming", "core_channels")]


def _is_of_use(file):
    if file in _FLASH and "armv6m" not in options.arch.split():
        return False
    return not options.kernels or file not in _ROOMY + _FLASH


def _runtime():
    folders = _RUNTIME + (_TFLITE if options.prepare else ())
    files = [file for folder in folders for file in _files(folder) if _is_of_use(file)]
    if not isinstance(options.prepare, str):
        return files
    names = ["__init__", "table"] + options.prepare.split()
    wanted = [os.path.join("prepare", name + ".py") for name in names]
    return [file for file in files if not file.startswith("prepare")] + wanted


# Whether a file is an __init__.py of comments alone: folders need none on boards.
def _is_empty(file):
    if os.path.basename(file) != "__init__.py":
        return False
    with open(os.path.join("tflm", file)) as source:
        return not re.search("^[^#\\n]", source.read(), re.M)


# Files of the packages below tflm/ that the app's file `packages` names, and of their folders for
# the board's instruction set.
def _app_packages(app):
    path = os.path.join("..", "firmware", "apps", app, "packages")
    if not app or not os.path.exists(path):
        return []
    with open(path) as file:
        packages = file.read().split()
    archs = [os.path.join(name, arch) for name in packages for arch in options.arch.split()]
    return [file for folder in packages + archs for file in _files(folder)]


# The Python files of an app.
def _app_files(app):
    names = os.listdir(os.path.join("..", "firmware", "apps", app))
    return tuple(sorted(name for name in names if name.endswith(".py")))


# Frozen names are looked up one by one: what each .tflm loads stands first, what only a .tflite
# needs last.
def _place(file):
    if file in _APIS:
        return 4
    folders = file.split(os.sep)[:-1]
    if folders and folders[0] != "kernels":
        return 3
    return (1, 2, 0)[len(folders)]


# opt=3 leaves out the numbers of lines, 4 KB of flash with int8 kernels alone.
_all = _runtime() + _kernels() + _checks() + _app_packages(options.app)
_frozen = [file for file in _all if not _is_empty(file)]
package("tflm", sorted(_frozen, key=_place), opt=3)
if options.app:
    freeze("../firmware/apps/" + options.app, _app_files(options.app))
