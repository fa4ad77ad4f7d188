# Test support: runs MicroPython code in the unix port, for tests without Cases
# MIT license; Copyright (c) 2026 the tflm authors

import os
import subprocess
from pathlib import Path

from .runner import REPOSITORY, micropython_path


# Run a script on the device side and return what it printed.
def run_script(
    source: str | Path, *arguments: str, timeout: float = 60.0, heap: str = "16M"
) -> str:
    """Return the output of a script (text or file); AssertionError with it if the script fails.

    `import tflm` finds modules/, and -X heapsize is `heap`.
    """
    command = [micropython_path(), "-X", f"heapsize={heap}"]
    command += [str(source)] if isinstance(source, Path) else ["-c", source]
    done = subprocess.run(
        [*command, *arguments],
        env={**os.environ, "MICROPYPATH": f"{REPOSITORY / 'modules'}:.frozen"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, f"MicroPython ended with {done.returncode}:\n{done.stdout}"
    return done.stdout
