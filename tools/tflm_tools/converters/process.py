# tflm_tools: process: opens, traces and converts a model in a child process that runs TensorFlow
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..extras import installing
from . import reasons

_WORKER = Path(__file__).with_name("worker.py")
_VARIABLE = "TFLM_TENSORFLOW"  # environment variable that names a Python with TensorFlow
_SECONDS = 600.0  # default timeout of a request


def python(does="reads and converts the model", extra="convert"):
    """Return the path of a Python with TensorFlow; raises ToolError if there is none.

    does: the purpose of TensorFlow, for the error. extra: the extra that installs it.
    """
    named = os.environ.get(_VARIABLE)
    if named:
        return os.path.abspath(shutil.which(named) or named)
    if importlib.util.find_spec("tensorflow") is None:
        raise ToolError(
            f"TensorFlow, which {does}, is not installed; install it with: "
            f"{installing(extra)}, or name a Python that has it in {_VARIABLE}"
        )
    return sys.executable


class TensorFlow:
    """A child process for one model; leaving the `with` block ends it.

    path: of the model, for errors. timeout: seconds for one request. folder: a temporary folder
    for the files that both processes use.
    """

    def __init__(self, path, timeout=None):
        self._path = path
        self._seconds = timeout or _SECONDS
        self._python = python()

    def __enter__(self):
        self._temporary = tempfile.TemporaryDirectory(prefix="tflm-convert-")
        self.folder = Path(self._temporary.name)
        with open(self.folder / "log.txt", "wb") as log:
            try:
                self._process = subprocess.Popen(
                    [self._python, str(_WORKER)], cwd=self.folder,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                )  # fmt: skip
            except OSError as error:
                self._temporary.cleanup()
                raise ToolError(
                    f"cannot run {self._python}: {error.strerror}; let {_VARIABLE} name a Python "
                    "that has TensorFlow"
                ) from None
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()
        self._temporary.cleanup()

    def ask(self, step, **arguments):
        """Call a method of worker.Worker and return its reply, a dict.

        Raises ToolError if the method fails, or if the process ends or is late.
        """
        line = json.dumps({"do": step, **arguments}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended; _reply() reports why
        reply = self._reply(step)
        if "error" in reply:
            text = reply.pop("error")
            raise reasons.error(self._path, step, text, **reply)
        return reply

    # Wait for a line of the process and return its JSON.
    def _reply(self, step):
        late = threading.Event()

        def stop():
            late.set()
            self._process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if late.is_set():
            raise ToolError(
                f"TensorFlow did not finish {self._path} within {self._seconds:g} s; use a "
                "longer --timeout"
            )
        if not line:
            raise self._ended(step)
        return json.loads(line)

    # The ToolError for a process that ended without a reply.
    def _ended(self, step):
        code = self._process.wait()
        if code < 0:
            return reasons.ended(self._path, step, signal.Signals(-code).name)
        log = (self.folder / "log.txt").read_text(errors="replace").strip().splitlines()
        return ToolError(
            f"{self._python} does not run TensorFlow: {log[-1] if log else code}; let "
            f"{_VARIABLE} name a Python that has it"
        )

    # Write arrays for the process; runs[i][k] is the array of input k in run i.
    def _write_runs(self, name, runs):
        arrays = {f"{i}_{k}": a for i, run in enumerate(runs) for k, a in enumerate(run)}
        np.savez(self.folder / name, **arrays)

    def convert(self, types, keep_float, runs):
        """Convert the model; return the path of the .tflite, which exists until the process ends.

        types: "int8", "int16" or "float32". keep_float: keep inputs and outputs float32. runs:
        arrays that represent the data, for quantization.
        """
        self._write_runs("taken.npz", runs)
        self.ask("convert", types=types, keep_float=keep_float, runs=len(runs))
        return self.folder / "model.tflite"

    def predictions(self, runs):
        """Return output 0 of each run, computed by TensorFlow in float."""
        self._write_runs("scored.npz", runs)
        self.ask("predict", runs=len(runs))
        with np.load(self.folder / "predicted.npz") as file:
            return [file[f"o{i}"] for i in range(len(runs))]
