# Freezes tflm into firmware: a manifest for MicroPython's makemanifest.py
# MIT license; Copyright (c) 2026 the tflm authors

# Options, as in include("modules/manifest.py", arch="armv6m", kernels="conv pooling"):
# arch: folders of kernels/ for the board's instruction set. Portable kernels are always included.
# kernels: files of kernels/, frozen with the files that they import. "" freezes all files that a
# model may need; "int8" only the files for int8 models, which leaves more flash for the models.
# prepare: False omits the files that only a .tflite on the board needs; a .tflm runs without them.
# A list of names freezes only these files of prepare/: `tflm ops MODEL --manifest FILE` writes it.
# checks: False omits tflm/access_checks, for boards that load models only from ROMFS or with
# trusted=True. Such firmware refuses every other .tflm.
# app: a folder of firmware/apps whose files are also frozen; its main.py runs at boot.
import json
import os

options.defaults(arch="", kernels="", prepare=True, checks=True, app="")

# Folders that each board needs, and folders that only a .tflite on the board needs.
_RUNTIME = ("", "run", "introspection", "api_compat", "ml", "learn")
_TFLITE = ("tflite", "prepare")


# Return the Python files of a folder of tflm/.
def _files(folder):
    path = os.path.join("tflm", folder)
    if not os.path.isdir(path):
        return []
    names = sorted(name for name in os.listdir(path) if name.endswith(".py"))
    return [os.path.join(folder, name) for name in names]


# The facts of each file in kernels/ and access_checks/: {"kernels/add.py": {"imports": files that
# it needs, "kernels": its functions eval..., "types": ["int8"], "package": "core", ...}}.
# tools/kernel_tables.py (`make tables`) writes them.
with open("kernel_files.json") as _table:
    _FACTS = json.load(_table)


# Return the files of a folder below kernels/ or access_checks/.
def _kernel_files(folder):
    return [file for file in _FACTS if os.path.dirname(file) == folder]


# Add a file, and the files that it imports, to `files`.
def _add_with_imports(file, files):
    if file in files or file not in _FACTS:
        return
    files.append(file)
    for imported in _FACTS[file].get("imports", ()):
        _add_with_imports(imported, files)


# Files for int8 that "int8" omits: only models whose bands include a pool, and language models,
# need them.
_OMITTED = ("fully_connected_bands", "pooling_rows", "attention", "norm")


# Return the names of the files with kernels for int8, without kernels for other targets, signals,
# learning and types other than int8.
def _int8():
    names = []
    for file in _kernel_files("kernels"):
        facts, name = _FACTS[file], os.path.basename(file)[:-3]
        is_other = facts.get("package") in ("signal", "types", "learn") or name in _OMITTED
        is_other = is_other or facts.get("target", "") not in ("", *options.arch.split())
        if not is_other and {"int8", "any"} & set(facts.get("types", ())):
            names.append(name)
    return names


# Overrides that "int8" omits to save flash. Some of their records need the portable kernels
# anyway.
_OMITTED_OVERRIDES = (
    "fully_connected", "softmax", "svdf", "transpose_conv", "unidirectional_sequence_lstm"
)  # fmt: skip


# Return True if a file has all kernels of another file.
def _replaces(file, other):
    return set(_FACTS[other].get("kernels", ())) <= set(_FACTS[file].get("kernels", ()))


# Overrides of this folder always run. Overrides of other folders depend on features of the core.
_UNCONDITIONAL = os.path.join("kernels", "armv6m")

# The folder of generated files in each folder of overrides.
_GENERATED = "gen"


# Return the override in a folder of kernels/ that has the name of a file, or None.
def _override(folder, file):
    name = os.path.basename(file)
    for path in (os.path.join(folder, name), os.path.join(folder, _GENERATED, name)):
        if path in _FACTS:
            return path
    return None


# Overrides of float32 in _UNCONDITIONAL are for cores without an FPU.
_FPU = "armv7emsp"


# Return True if firmware with an FPU does not use an override.
def _is_unused(file):
    is_other = not file.startswith(_UNCONDITIONAL + os.sep) or _FPU not in options.arch.split()
    return not is_other and file.endswith("_float.py")


# Return True if a portable file is never loaded because an override has all of its functions.
def _is_replaced(file, folders):
    override = _override(_UNCONDITIONAL, file)
    is_portable = os.path.dirname(file) == "kernels" and _UNCONDITIONAL in folders
    if not is_portable or override is None or _is_unused(override):
        return False
    return _replaces(override, file)


# Language models in float32 are too slow for a Pico, whose firmware is nearly full.
_NOT_ON_PICO = os.path.join("kernels", "attention_float.py")


# Return True if no firmware of `folders` loads a kernel file.
def _is_skipped(file, folders):
    if file == _NOT_ON_PICO and options.arch.split() == ["armv6m"]:
        return True
    return _is_unused(file) or _is_replaced(file, folders)


# The runtime imports these by name: the folder's table, the features of the core, how cores wait
# for each other, and how steps run without MicroPython between them.
_IMPORTED_BY_NAME = "__init__.py", "core.py", "core_events.py", "core_steps.py"


# Add the files whose functions use_machine_code() finds. The first folder that has a file wins.
def _add_machine_code(files, folders):
    names = [_FACTS[file]["machine_code"] for file in files if "machine_code" in _FACTS[file]]
    for name in names:
        overrides = [_override(folder, name + ".py") for folder in folders]
        for file in [file for file in overrides if file][:1]:
            _add_with_imports(file, files)


# Return the words of a file of the app's folder, or none if the app has no such file.
def _app_words(name):
    path = os.path.join("..", "firmware", "apps", options.app, name)
    if not options.app or not os.path.exists(path):
        return []
    with open(path) as file:
        return file.read().split()


# Return True if the app's file `omitted_kernels` names the package of a kernel.
def _is_omitted(file):
    portable = os.path.join("kernels", os.path.basename(file))
    return _FACTS.get(portable, {}).get("package") in _app_words("omitted_kernels")


# Kernels and Prepare of rare operators, for which a Pico's flash has no space. KERNELS= adds them.
_RARE = [
    os.path.join("kernels", name + ".py")
    for name in (
        "atan2_float",
        "complex_abs_float",
        "local_response_normalization_float",
        "random_float",
    )  # fmt: skip
] + [
    os.path.join("prepare", name + ".py")
    for name in ("atan2", "complex_parts", "local_response_normalization", "random", "rfft2d")
]


# Return True if a file is left out because it serves only rare operators.
def _is_rare(file):
    return file in _RARE and not options.kernels and "armv6m" in options.arch.split()


# Return all kernel files that a model may need, and the files that they import.
def _every_kernel(folders):
    files = []
    for folder in folders:
        for file in _kernel_files(folder) + _kernel_files(os.path.join(folder, _GENERATED)):
            is_runtime = os.path.basename(file) in _IMPORTED_BY_NAME
            has_kernels = "kernels" in _FACTS[file]
            is_left_out = _is_skipped(file, folders) or _is_omitted(file) or _is_rare(file)
            if is_runtime or has_kernels and not is_left_out:
                _add_with_imports(file, files)
    _add_machine_code(files, folders[1:])
    return files


# Return the kernel files that the options choose, and the files that they import.
def _kernels():
    folders = ["kernels"] + [os.path.join("kernels", arch) for arch in options.arch.split()]
    if not options.kernels:
        return _every_kernel(folders)
    names = []
    omitted = _OMITTED_OVERRIDES if "int8" in options.kernels.split() else ()
    for name in options.kernels.split():
        names += _int8() if name == "int8" else [name]
    files = []
    _add_with_imports(os.path.join("kernels", "__init__.py"), files)
    # These are not kernels.
    for name in ["core_events", "core_steps"] + names:
        overrides = [_override(folder, name + ".py") for folder in folders[1:]]
        candidates = [
            file for file in overrides if file and not _is_unused(file) and name not in omitted
        ]
        candidates += [file for file in [os.path.join("kernels", name + ".py")] if file in _FACTS]
        for file in candidates[:1]:
            folder = os.path.dirname(file).replace(os.sep + _GENERATED, "")
            _add_with_imports(os.path.join(folder, "__init__.py"), files)
            _add_with_imports(file, files)
            # An override may have only some of the functions of the portable file.
            if len(candidates) > 1 and not _replaces(file, candidates[-1]):
                _add_with_imports(candidates[-1], files)
    _add_machine_code(files, folders[1:])
    return files


# Return the access checks of the frozen kernels.
def _checks():
    if not options.checks:
        return []
    files = []
    _add_with_imports(os.path.join("access_checks", "__init__.py"), files)
    for kernel in _kernels():
        portable = os.path.join("kernels", os.path.basename(kernel))
        if "check" in _FACTS.get(portable, ()):
            check = _FACTS[portable]["check"]
            _add_with_imports(os.path.join("access_checks", check + ".py"), files)
    return files


# Optional files, which are omitted if the option `kernels` is set: inputs by rows, the finalizer
# that frees core 1 (as Interpreter.free() does), float32 stored as integers, the APIs of other
# libraries, learning, and on boards with an XIP cache the files that reduce waits for flash.
_APIS = ["litert.py", "learner.py"] + _files("api_compat") + _files("ml") + _files("learn")
_OPTIONAL = [os.path.join("run", "rows.py"), os.path.join("run", "finalizer.py"), "float_bytes.py"]
_OPTIONAL += _APIS
_BESIDE = "model_beside.py"  # for the packages wake and speech of apps
_FLASH = [os.path.join("run", name + ".py") for name in ("streaming", "core_channels")]


# Files that are frozen only if an app's file `packages` names their folder.
_ONLY_IN_APPS = [os.path.join("ml", "preprocessing.py")]
# Files that Prepare imports only on the host, where it may reorder weights.
_ONLY_ON_HOST = [
    os.path.join("prepare", name + ".py")
    for name in (
        "split_batch_matmul",
        "split_conv",
        "split_depthwise",
        "sub_nodes",
        "transpose_phases",
    )
]


def _is_wanted(file):
    if file in _ONLY_IN_APPS + _ONLY_ON_HOST or _is_rare(file):
        return False
    if file == _BESIDE:
        return "wake" in _app_words("packages") or "speech" in _app_words("packages")
    if file in _FLASH and "armv6m" not in options.arch.split():
        return False
    return not options.kernels or file not in _OPTIONAL + _FLASH


# Return the runtime's files outside kernels/ and access_checks/.
def _runtime():
    folders = _RUNTIME + (_TFLITE if options.prepare else ())
    files = [file for folder in folders for file in _files(folder) if _is_wanted(file)]
    if not isinstance(options.prepare, str):
        return files
    names = ["__init__", "table"] + options.prepare.split()
    chosen = [os.path.join("prepare", name + ".py") for name in names]
    return [file for file in files if not file.startswith("prepare")] + chosen


# Return True for an __init__.py with comments only: boards do not need it.
def _is_empty(file):
    if os.path.basename(file) != "__init__.py":
        return False
    with open(os.path.join("tflm", file)) as source:
        return all(line[0] in "#\n" for line in source)


# Return the files of the sub-packages of tflm that the app's file `packages` lists. Each word is a
# sub-package or one of its files. Folders and machine code for the board's instruction set
# (kernels/<arch>/gen/<package>_*_asm.py) are included.
def _app_packages():
    words, archs = _app_words("packages"), options.arch.split()
    packages = [word.split("/")[0] for word in words]
    folders = [word for word in words if not word.endswith(".py")]
    folders += [os.path.join(name, arch) for name in dict.fromkeys(packages) for arch in archs]
    files = [word for word in words if word.endswith(".py")]
    files += [file for folder in folders for file in _files(folder)]
    for arch in archs:
        for file in _kernel_files(os.path.join("kernels", arch, _GENERATED)):
            name = os.path.basename(file)
            if name.endswith("_asm.py") and name.split("_")[0] in packages:
                files.append(file)
    return files


# Return the names of an app's Python files.
def _app_files(app):
    names = os.listdir(os.path.join("..", "firmware", "apps", app))
    return tuple(sorted(name for name in names if name.endswith(".py")))


# Return the position of a file in the frozen list, which MicroPython searches from its start.
# Files that each .tflm loads are first; files that only a .tflite needs are last.
def _search_order(file):
    if file in _APIS:
        return 4
    folders = file.split(os.sep)[:-1]
    if folders and folders[0] != "kernels":
        return 3
    return (1, 2, 0, 0)[len(folders)]


# opt=3 omits line numbers, which saves 4 KB of flash with int8 kernels alone.
_all = _runtime() + _kernels() + _checks() + _app_packages()
_frozen = [file for file in dict.fromkeys(_all) if not _is_empty(file)]
package("tflm", sorted(_frozen, key=_search_order), opt=3)
if options.app:
    freeze("../firmware/apps/" + options.app, _app_files(options.app))
