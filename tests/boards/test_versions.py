# Tests that deployed models run exactly on stock firmware of several versions of MicroPython
# MIT license; Copyright (c) 2026 the tflm authors

# All firmware is built from 1.26. Another suite of Debian has 1.25. The environment variable
# MICROPYTHON_DIRS lists checkouts of other versions, separated by spaces.

import os
from functools import cache

import build
import pytest
import sources
from build_folders import FIRMWARE, TOOLCHAIN
from debian import Suite
from session import Session
from support.required import missing
from test_boot import _CLASSIFY, _wanted
from tflm_tools.board import profiles, romfs_image
from tflm_tools.board.board_device import BoardDevice
from tflm_tools.board.deploy import deploy
from tflm_tools.board.link import Link
from tflm_tools.check.verify import verify
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import bundle, runtime_files
from tflm_tools.targets import target_of

_OWN = "1.26"
_CHECKOUTS = {
    sources.version(folder).rpartition(".")[0]: folder
    for folder in os.environ.get("MICROPYTHON_DIRS", "").split()
}
_VERSIONS = [_OWN, "1.25", *_CHECKOUTS]
_NUMBER = "'%d.%d' % sys.implementation.version[:2]"  # sys.version includes git's description
_KERNELS = "import sys; print(sum('{}.' in name for name in sys.modules))"


# Return the folder of a version's sources, or None for the default version.
@cache
def _sources(version):
    if version == _OWN:
        return None
    if version in _CHECKOUTS:
        return _CHECKOUTS[version]
    folder = TOOLCHAIN / f"micropython-{version}"
    if not folder.exists():
        (archive,) = Suite(TOOLCHAIN / "packages", "trixie").source("micropython")
        partial, inner = sources._extract(archive, folder)
        library = inner / "lib" / "micropython-lib"
        library.mkdir(exist_ok=True)
        (library / "README.md").write_text("Replaces micropython-lib.\n")
        inner.rename(folder)
        partial.rmdir()
    return folder


# Return stock(board, version): the path of an image without tflm. Each version is built once.
@pytest.fixture
def stock(firmware, monkeypatch):
    def get(board, version):
        try:
            folder = _sources(version)
            if folder is None:
                return firmware(board, stock=True).image
            monkeypatch.setattr(build, "FIRMWARE", FIRMWARE / version)
            return build.build(board, stock=True, micropython=folder).image
        except ToolError as error:
            missing(f"MicroPython {version}: {error}")

    return get


# Return {path: bytes} of a file system with the runtime (as deployed), a model, and images.
def _files(arch, repository):
    tflite = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    model = flatten(tflite, target=target_of(arch))
    packed = bundle.pack(bundle.files(runtime_files.files_for(model, arch, False), arch))
    return {
        **{f"lib/{path}": data for path, data in bundle.init_files(arch).items()},
        f"lib/{bundle.name_of(packed)}": packed,
        "model.tflm": model,
        "images": (repository / "firmware/apps/digits/rom/images").read_bytes(),
    }


# Kernels are machine code on boards without an inline assembler.
@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("board", ["QEMU_RV32", "QEMU_XTENSA"])
def test_machine_code(board, version, stock, repository, tmp_path):
    import emulators

    if version == "1.24":
        pytest.skip("the port for qemu loads no .mpy before MicroPython 1.25")
    arch = profiles.named(board).arch
    romfs = tmp_path / "romfs.img"
    romfs.write_bytes(romfs_image.image(_files(arch, repository)))
    image = stock(board, version)
    with emulators.start(board, image, romfs=romfs) as running, Session(running) as session:
        assert session.exec(f"import sys; print({_NUMBER})").strip() == version
        assert [int(line) for line in session.exec(_CLASSIFY).split()] == _wanted(repository)
        assert int(session.exec(_KERNELS.format(f"tflm.kernels.{arch}"))) > 3


@pytest.mark.parametrize("version", [version for version in _VERSIONS if version != "1.25"])
def test_deploy_to_a_pico(version, stock, repository, tmp_path):
    import emulators

    path = repository / "models" / "digits" / "digits_int8.tflite"
    with emulators.start("RPI_PICO", stock("RPI_PICO", version), tmp_path / "flash") as running:
        done = deploy(path, running.port)
        # MicroPython 1.25 and later can read flash in place.
        assert (done.place, done.arch) == ("files" if version == "1.24" else "flash", "armv6m")
        with Link(running.port) as link:
            link.exec("import sys")
            assert link.eval(_NUMBER) == version
            assert verify(path, runs=2, device=BoardDevice(link)).mismatch is None
