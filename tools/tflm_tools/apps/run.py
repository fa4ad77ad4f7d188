# tflm_tools: apps: runs an app of firmware/apps in the unix port: python -m tflm_tools.apps.run
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tflm.errors import TflmError

from .. import files
from ..errors import ToolError
from ..port import unix_port
from .rom_contents import rom_files

_APPS = Path(__file__).resolve().parents[3] / "firmware" / "apps"
_HEAP = "1M"


def run(name, arguments=(), model=None, stdin=subprocess.DEVNULL):
    """Run the app `name` with its /rom in a temporary folder; return its exit code.

    arguments: the app's arguments after the folder. model: a .tflite or .tflm that replaces the
    app's own. stdin: as for subprocess.run(). Raises ToolError for an unknown app, or one that
    needs a board.
    """
    app = _APPS / name
    if not (app / "main.py").exists():
        names = ", ".join(sorted(path.parent.name for path in _APPS.glob("*/main.py")))
        raise ToolError(f"there is no app {name} in firmware/apps; choose one of {names}")
    if b"\nimport machine" in files.read(app / "main.py"):
        raise ToolError(
            f"the app {name} needs a board's pins; run it with: make emulate APP={name}"
        )
    with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
        rom = Path(folder) / "rom"
        rom.mkdir()
        for file, data in rom_files(app, model).items():
            (rom / file).write_bytes(data)
        path = f"{app}:{unix_port.library_folder(folder)}:.frozen"
        command = [unix_port.executable(), "-X", f"heapsize={_HEAP}", app / "main.py", rom]
        return subprocess.run(
            [str(argument) for argument in [*command, *arguments]],
            env={**os.environ, "MICROPYPATH": path},
            stdin=stdin,
        ).returncode


def main():
    """Run an app as a command. An error is printed as one line, with exit code 1."""
    parser = argparse.ArgumentParser(prog="app", description="Run an app in the unix port.")
    parser.add_argument("name", help="a folder of firmware/apps")
    parser.add_argument("arguments", nargs="*", help="the app's arguments, like a WAV file")
    parser.add_argument("--model", help="a .tflite or .tflm that replaces the app's own")
    options = parser.parse_args()
    try:
        sys.exit(run(options.name, options.arguments, options.model, None))
    except TflmError as error:
        sys.exit(f"app: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
