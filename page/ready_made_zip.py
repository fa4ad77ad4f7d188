# page: what `tflm deploy` compiles for boards whose firmware has no tflm, compiled before
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles
from tflm_tools.board.facts import script_path
from tflm_tools.packages import bundle, dist, parts, ready_made

_DEVICE = ("tflm_flash",)  # files of the board's own that deploy sends


def contents():
    """{name: bytes} of the archive that ready_made reads: what any .tflm needs on any board."""
    found = {}
    for arch in {profile.arch for profile in profiles.load_all()}:
        names = {
            *dist.package_files("all", arch, assembler=True, prepare=False),
            *dist.package_files("all", arch, assembler=False, prepare=False),
        }
        for path, data in parts.compiled(sorted(names), arch).items():
            file = path.removesuffix(".mpy") + ".py"
            source = (parts.package().parent / file).read_text()
            found[ready_made.name_of(source, file, arch)] = data
        source = bundle.init_source()
        found[ready_made.name_of(source, bundle.INIT_SOURCE, arch)] = bundle.init(arch)
    for name in _DEVICE:
        path = script_path(name)
        data = parts.compile_file(path)
        found[ready_made.name_of(path.read_text(), path.name, "")] = data
    return dict(sorted(found.items()))
