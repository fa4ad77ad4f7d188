# Tests on boards: builds firmware once, starts and stops emulated boards
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


# Without --boards, only tests with the mark quick_boards run.
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


# Copy a Built with its files: another build of the same board and app overwrites them.
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
    """Return firmware(board, app="", stock=False, model="", flash_mb=0): it returns a Built.

    Each firmware is built once a session.

    The environment variable MICROPYTHON_DIR selects a checkout of MicroPython. Tests are skipped
    if compilers are missing. They fail if an image is too large for its board.
    """
    import build
    from tflm_tools.errors import ToolError

    def get(board, app="", stock=False, model="", flash_mb=0):
        key = board, app, stock, str(model), flash_mb
        if key not in _built:
            try:
                with build.build_lock(".tests"):  # only one worker of pytest builds
                    built = build.build(
                        board,
                        app,
                        model=model,
                        stock=stock,
                        micropython=os.environ.get("MICROPYTHON_DIR"),
                        flash_mb=flash_mb,
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
    """Return emulated(board, app="", stock=False, model="", **options), which starts an Emulated.

    options: as for emulators.start().
    """
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
