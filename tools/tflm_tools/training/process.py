# tflm_tools: training: TensorFlow in a process of its own, and how far it is
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import subprocess
from pathlib import Path

from ..converters.process import python
from ..errors import ToolError

_NETWORK = "network"  # the package beside this file
_LOG = "log.txt"


def find_python():
    """The Python that has TensorFlow; raises ToolError where there is none."""
    return python("trains the network", "wake-train")


def run(job, folder, progress):
    """Run the package network with a job (a dict of JSON); its files lie in `folder`.

    progress: a function (done, total). Raises ToolError when it ends with an error.
    """
    request = folder / "job.json"
    request.write_text(json.dumps(job))
    with open(folder / _LOG, "wb") as log:
        process = _start([find_python(), "-m", _NETWORK, str(request.absolute())], log)
        try:
            for line in process.stdout:
                told = json.loads(line)
                progress(told["done"], told["total"])
            code = process.wait()
        finally:
            process.kill()
            process.wait()
    if code:
        said = (folder / _LOG).read_text(errors="replace").strip().splitlines()
        raise ToolError(
            f"TensorFlow ended with an error: {said[-1] if said else code}; see {folder / _LOG}, "
            "and go on with --resume"
        )


# Only that package is found by its name, not the one that it is a part of.
def _environment():
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


# Ctrl-C is for this process alone, which ends the other one.
def _start(command, log):
    try:
        return subprocess.Popen(
            command, start_new_session=True, env=_environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    except OSError as error:
        raise ToolError(
            f"cannot run {command[0]}: {error.strerror}; let TFLM_TENSORFLOW name a Python that "
            "has TensorFlow"
        ) from None
