# tflm_tools: apps: one of firmware/apps in the unix port: `python -m tflm_tools.apps.run NAME`
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
    """Run app `name`, its /rom in a temporary folder, and let it print; returns its exit code.

    arguments: what it gets behind the folder. model: a .tflite or .tflm in place of its own.
    stdin: as in subprocess.run.
    Raises ToolError when there is no such app, or when it needs a board.
    """
    app = _APPS / name
    if not (app / "main.py").exists():
        names = ", ".join(sorted(path.parent.name for path in _APPS.glob("*/main.py")))
        raise ToolError(f"there is no app {name} in firmware/apps; take one of {names}")
    if b"\nimport machine" in files.read(app / "main.py"):
        raise ToolError(
            f"the app {name} needs a board's pins; run it with: make emulate APP={name}"
        )
    with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
        rom = Path(folder) / "rom"
        rom.mkdir()
        for file, data in rom_files(app, model).items():
            (rom / file).write_bytes(data)
        path = f"{app}:{unix_port.library(folder)}:.frozen"
        command = [unix_port.executable(), "-X", f"heapsize={_HEAP}", app / "main.py", rom]
        return subprocess.run(
            [str(part) for part in [*command, *arguments]],
            env={**os.environ, "MICROPYPATH": path},
            stdin=stdin,
        ).returncode


def main():
    """Run an app; exit code 1 with one sentence when that is not possible."""
    parser = argparse.ArgumentParser(prog="app", description="Run an app in the unix port.")
    parser.add_argument("name", help="a folder of firmware/apps")
    parser.add_argument("arguments", nargs="*", help="what the app wants: a WAV file, say")
    parser.add_argument("--model", help="a .tflite or .tflm in place of the app's own")
    options = parser.parse_args()
    try:
        sys.exit(run(options.name, options.arguments, options.model, None))
    except TflmError as error:
        sys.exit(f"app: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
