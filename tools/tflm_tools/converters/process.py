# tflm_tools: runs TensorFlow, LiteRT, PyTorch or onnx2tf in a separate process that has one model
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..extras import installing
from . import reasons

_SECONDS = 600.0  # for one answer


@dataclass(frozen=True)
class Framework:
    """A converter that runs in a separate process.

    name: as messages call it. module: the Python module that shows that it is installed. worker:
    the file beside this one that the process runs. variable: the environment variable that can
    name a Python which has it. extra: of pyproject.toml, which installs it.
    """

    name: str
    module: str
    worker: str
    variable: str
    extra: str


TENSORFLOW = Framework(
    "TensorFlow", "tensorflow", "tensorflow_worker.py", "TFLM_TENSORFLOW", "convert"
)
LITERT = Framework(
    "LiteRT's quantizer", "litert_quantizer", "litert_worker.py", "TFLM_LITERT", "quantize"
)
PYTORCH = Framework("litert-torch", "litert_torch", "pytorch_worker.py", "TFLM_PYTORCH", "pytorch")
ONNX = Framework("onnx2tf", "onnx2tf", "onnx_worker.py", "TFLM_ONNX", "onnx")


def python(framework=TENSORFLOW, does="reads and converts the model", extra=None):
    """Return the Python that has a framework; raises ToolError if it is not installed.

    does: what the framework is for, for the message. extra: the extra that installs it, if not
    the framework's own.
    """
    named = os.environ.get(framework.variable)
    if named:
        return os.path.abspath(shutil.which(named) or named)
    if importlib.util.find_spec(framework.module) is None:
        raise ToolError(
            f"{framework.name}, which {does}, is not installed; install it with: "
            f"{installing(extra or framework.extra)}, or name a Python that has it in "
            f"{framework.variable}"
        )
    return sys.executable


class ConverterProcess:
    """A process with one model; `with ConverterProcess(...) as process: ...` ends it.

    framework: a Framework. path: of the model, for messages. timeout: seconds for one answer.
    does: as for python().
    """

    def __init__(self, framework, path, timeout=None, does="reads and converts the model"):
        self._framework = framework
        self._path = path
        self._seconds = timeout or _SECONDS
        self._python = python(framework, does)

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="tflm-convert-")
        self.folder = Path(self._directory.name)
        worker = Path(__file__).with_name(self._framework.worker)
        with open(self.folder / "log.txt", "wb") as log:
            try:
                self._process = subprocess.Popen(
                    [self._python, str(worker), str(self.folder)], cwd=self.folder,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                )  # fmt: skip
            except OSError as error:
                self._directory.cleanup()
                raise ToolError(
                    f"cannot run {self._python}: {error.strerror}; let "
                    f"{self._framework.variable} name a Python that has {self._framework.name}"
                ) from None
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()
        self._directory.cleanup()

    def ask(self, step, **arguments):
        """Return the answer of a method of the worker, a dict.

        Raises ToolError with the reason if the method fails or the process ends.
        """
        line = json.dumps({"do": step, **arguments}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended: _reply() reports it
        reply = self._reply(step)
        if "error" in reply:
            reason = reply.pop("error")
            raise reasons.error(self._framework.name, self._path, step, reason, **reply)
        return reply

    # One line of the process, which may need minutes.
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
                f"{self._framework.name} did not finish {self._path} within "
                f"{self._seconds:g} s; use a longer --timeout"
            )
        if not line:
            raise self._ended(step)
        return json.loads(line)

    # The ToolError for a process that ended without an answer.
    def _ended(self, step):
        code = self._process.wait()
        if code < 0:
            name = signal.Signals(-code).name
            return reasons.ended(self._framework.name, self._path, step, name)
        log = (self.folder / "log.txt").read_text(errors="replace").strip().splitlines()
        return ToolError(
            f"{self._python} does not run {self._framework.name}: {log[-1] if log else code}; "
            f"let {self._framework.variable} name a Python that has it"
        )

    # Write arrays for the process: runs[i][k] is the array of input k.
    def _write_runs(self, name, runs):
        arrays = {f"{i}_{k}": a for i, run in enumerate(runs) for k, a in enumerate(run)}
        np.savez(self.folder / name, **arrays)

    def convert(self, runs, **options):
        """Return the path of the .tflite, which exists until the process ends.

        runs: the inputs that represent the data. options: arguments of the worker's convert().
        """
        self._write_runs("taken.npz", runs)
        self.ask("convert", runs=len(runs), **options)
        return self.folder / "model.tflite"

    def predictions(self, runs):
        """Return output 0 of each run, as the framework computes it in float."""
        self._write_runs("scored.npz", runs)
        self.ask("predict", runs=len(runs))
        with np.load(self.folder / "predicted.npz") as file:
            return [file[f"o{i}"] for i in range(len(runs))]
