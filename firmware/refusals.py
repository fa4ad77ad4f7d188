# firmware: what is refused before anything is built, in one sentence each
# MIT license; Copyright (c) 2026 the tflm authors

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
