# tflm_tools: training: runs the training of the network with TensorFlow in a separate process
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import subprocess
from pathlib import Path

from ..converters.process import python
from ..errors import ToolError

_NETWORK = "network"  # the package in this folder
_LOG = "log.txt"


def find_python():
    """Return the path of a Python that has TensorFlow. Raises ToolError."""
    return python(does="trains the network", extra="wake-train")


def run(job, folder, progress):
    """Run the package network with a job (a dict of JSON), whose files are in `folder`.

    progress: a function (done, total). Raises ToolError if the process ends with an error.
    """
    request = folder / "job.json"
    request.write_text(json.dumps(job))
    with open(folder / _LOG, "wb") as log:
        process = _start([find_python(), "-m", _NETWORK, str(request.absolute())], log)
        try:
            for line in process.stdout:
                report = json.loads(line)
                progress(report["done"], report["total"])
            code = process.wait()
        finally:
            process.kill()
            process.wait()
    if code:
        lines = (folder / _LOG).read_text(errors="replace").strip().splitlines()
        raise ToolError(
            f"TensorFlow ended with an error: {lines[-1] if lines else code}; see {folder / _LOG} "
            "and continue with --resume"
        )


# The process can import the package network, but not tflm_tools.
def _environment():
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


# Ctrl-C reaches only this process, which ends the other process.
def _start(command, log):
    try:
        return subprocess.Popen(
            command, start_new_session=True, env=_environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    except OSError as error:
        raise ToolError(
            f"cannot run {command[0]}: {error.strerror}; set TFLM_TENSORFLOW to a Python that has "
            "TensorFlow"
        ) from None
