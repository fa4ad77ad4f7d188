# firmware: checks the options of a build before anything is built
# MIT license; Copyright (c) 2026 the tflm authors

from build_folders import APPS, ROOT
from tflm_tools.errors import ToolError


def check_app(app, profile):
    """Raise ToolError if the app does not exist or does not run on the board.

    Its file "runs_on" names the ports of MicroPython on which it runs, if these are not all.
    """
    if not (APPS / app / "main.py").exists():
        names = ", ".join(sorted(path.parent.name for path in APPS.glob("*/main.py")))
        raise ToolError(f"there is no app {app} in firmware/apps; choose one of {names}")
    ports = APPS / app / "runs_on"
    if ports.exists() and profile.port not in ports.read_text().split():
        raise ToolError(
            f"the app {app} needs hardware that {profile.id} lacks; use BOARD=RPI_PICO"
        )


def check_kernels(names):
    """Raise ToolError for a name in KERNELS= without a file in kernels/."""
    for name in names.split():
        if name != "int8" and not list((ROOT / "modules/tflm/kernels").rglob(f"{name}.py")):
            raise ToolError(
                f"there is no {name}.py in modules/tflm/kernels; KERNELS= lists names of files "
                "there, or int8"
            )


def check_paths(*paths):
    """Raise ToolError for paths with spaces, at which MicroPython's makefiles split."""
    for path in paths:
        if " " in str(path):
            raise ToolError(
                f"MicroPython does not build in a path with spaces ({path}); move the project to "
                "a folder without spaces"
            )
