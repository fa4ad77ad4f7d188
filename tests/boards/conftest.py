# Tests on boards: firmware is built once, emulated boards are started and stopped
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.required import missing

_HERE = Path(__file__).resolve().parent
for _folder in (_HERE, _HERE.parents[1] / "firmware"):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))


# Outside `make test-boards` only what is marked quick runs.
def pytest_collection_modifyitems(config, items):
    if config.option.boards:
        return
    skip = pytest.mark.skip(reason="`make test-boards` runs this")
    for item in items:
        if _HERE in item.path.parents and not item.get_closest_marker("quick_boards"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def _built():
    return {}


# A Built with files of its own: another one of the same board and app, with another model, is
# written over those of the build.
def _copied(built, folder):
    files = {}
    for name in ("elf", "image", "bin", "romfs"):
        path = getattr(built, name)
        if path is not None:
            files[name] = folder / path.name
            shutil.copyfile(path, files[name])
    return replace(built, **files)


@pytest.fixture(scope="session")
def firmware(_built, tmp_path_factory):
    """firmware(board, app="", stock=False, model=""): a Built, made once a session.

    MICROPYTHON_DIR of the environment: from that checkout of MicroPython. Without compilers tests
    are skipped; an image that has outgrown its board is a failure.
    """
    import build
    from tflm_tools.errors import ToolError

    def get(board, app="", stock=False, model=""):
        key = board, app, stock, str(model)
        if key not in _built:
            try:
                with build.build_lock(".tests"):  # no other worker builds meanwhile
                    built = build.build(
                        board, app, model, stock, micropython=os.environ.get("MICROPYTHON_DIR")
                    )
                    _built[key] = _copied(built, tmp_path_factory.mktemp("image"))
            except build.DoesNotFit:
                raise
            except ToolError as error:
                _built[key] = str(error)
        if isinstance(_built[key], str):
            missing(_built[key])
        return _built[key]

    return get


@pytest.fixture
def emulated(firmware):
    """emulated(board, app="", stock=False, model="", **options of emulators.start): Emulated."""
    import emulators
    from tflm_tools.errors import ToolError

    started = []

    def start(board, app="", stock=False, model="", **options):
        built = firmware(board, app, stock, model)
        if built.romfs and board.startswith("QEMU") and "romfs" not in options:
            options["romfs"] = built.romfs
        try:
            started.append(emulators.start(board, built.image, **options))
        except ToolError as error:
            missing(str(error))
        return started[-1]

    yield start
    for board in started:
        board.stop()
