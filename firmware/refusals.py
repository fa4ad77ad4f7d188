# firmware: what is refused before anything is built, in one sentence each
# MIT license; Copyright (c) 2026 the tflm authors

import toolchain
from places import APPS, ROOT
from tflm_tools.errors import ToolError


def check_app(app, profile):
    """Refuse an app that is none, or needs what a board lacks.

    Its file "runs_on" names the ports of MicroPython that will do, where not all will.
    """
    if not (APPS / app / "main.py").exists():
        names = ", ".join(sorted(path.parent.name for path in APPS.glob("*/main.py")))
        raise ToolError(f"there is no app {app} in firmware/apps; take one of {names}")
    ports = APPS / app / "runs_on"
    if ports.exists() and profile.port not in ports.read_text().split():
        raise ToolError(
            f"the app {app} needs hardware that {profile.id} lacks; take BOARD=RPI_PICO"
        )


def check_kernels(names):
    """Refuse names of KERNELS= that no file of kernels/ has."""
    for name in names.split():
        if name != "int8" and not list((ROOT / "modules/tflm/kernels").rglob(f"{name}.py")):
            raise ToolError(
                f"there is no {name}.py in modules/tflm/kernels; KERNELS= takes names of files "
                "there, or int8"
            )


# MicroPython's makefiles split paths at spaces.
def check_paths(*paths):
    """Refuse paths that MicroPython cannot be built in."""
    for path in paths:
        if " " in str(path):
            raise ToolError(
                f"MicroPython does not build where a path has spaces ({path}); move the project "
                "to a folder without"
            )


def explain_esp32(profile, micropython, mpy_cross, manifest, model):
    """What `make firmware` says for boards that need ESP-IDF: raises ToolError with the command.

    mpy_cross: path of the program. manifest: of what is frozen. model: for /rom/model.tflm.
    """
    place = micropython or "MICROPYTHON"
    command = f"MICROPY_MPYCROSS={mpy_cross} make -C {place}/ports/esp32 BOARD={profile.id} "
    command += f"BOARD_DIR={profile.folder} FROZEN_MANIFEST={manifest}"
    missing = [] if micropython else ["a checkout of MicroPython (MICROPYTHON_DIR=)"]
    missing += [] if toolchain.have("idf.py") else ["ESP-IDF 5.4 (source its export.sh)"]
    lacks = f"; missing here: {' and '.join(missing)}" if missing else ""
    then = f"; then flash it and run `tflm deploy {model} --name model`" if model else ""
    raise ToolError(
        f"firmware for {profile.name} is built with Espressif's ESP-IDF, which is in no package "
        f"registry; where you have it, run `{command}`{then}{lacks}"
    )
