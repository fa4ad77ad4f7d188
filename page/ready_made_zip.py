# page: compiles the runtime files for all boards, because mpy-cross cannot run in a browser
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles
from tflm_tools.board.facts import script_path
from tflm_tools.packages import bundle, dist, mpy_compiler, runtime_files

_DEVICE = ("tflm_flash",)  # scripts that `tflm deploy` also sends to a board


def contents():
    """Return {name: bytes} of mpy_compiler's archive, for any .tflm on any board."""
    compiled = {}
    for arch in {profile.arch for profile in profiles.load_all()}:
        names = {
            *dist.package_files("all", arch, assembler=True, prepare=False),
            *dist.package_files("all", arch, assembler=False, prepare=False),
        }
        for path, data in mpy_compiler.compile_runtime_files(sorted(names), arch).items():
            file = path.removesuffix(".mpy") + ".py"
            name = file.removeprefix("tflm/").removesuffix(".py")
            if runtime_files.machine_code_file(name).exists():
                continue  # needs no compiler
            source = mpy_compiler.runtime_source(name, arch)
            compiled[mpy_compiler.archive_name(source, file, arch)] = data
        name = mpy_compiler.archive_name(bundle.loader_source(), bundle.LOADER_SOURCE, arch)
        compiled[name] = bundle.init_files(arch)[bundle.LOADER]
    for name in _DEVICE:
        path = script_path(name)
        data = mpy_compiler.compile_file(path)
        compiled[mpy_compiler.archive_name(path.read_text(), path.name, "")] = data
    return dict(sorted(compiled.items()))
