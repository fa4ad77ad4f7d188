# tflm_tools: TensorFlow in a process of its own: one model is opened, traced and converted there
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
_ELSEWHERE = "TFLM_TENSORFLOW"  # names a Python that has TensorFlow, where this one has none
_SECONDS = 600.0  # for one answer


def python(does="reads and converts the model", extra="convert"):
    """The Python that has TensorFlow; raises ToolError where there is none.

    does: what TensorFlow is wanted for. extra: what brings it.
    """
    named = os.environ.get(_ELSEWHERE)
    if named:
        return os.path.abspath(shutil.which(named) or named)
    if importlib.util.find_spec("tensorflow") is None:
        raise ToolError(
            f"TensorFlow, which {does}, is not installed; install it with: "
            f"{installing(extra)}, or name a Python that has it in {_ELSEWHERE}"
        )
    return sys.executable


class TensorFlow:
    """A process with one model; `with TensorFlow(path, timeout) as tensorflow: ...` ends it."""

    def __init__(self, path, timeout=None):
        self._path = path
        self._seconds = timeout or _SECONDS
        self._python = python()

    def __enter__(self):
        self._place = tempfile.TemporaryDirectory(prefix="tflm-convert-")
        self.folder = Path(self._place.name)
        with open(self.folder / "log.txt", "wb") as log:
            try:
                self._process = subprocess.Popen(
                    [self._python, str(_WORKER)], cwd=self.folder,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                )  # fmt: skip
            except OSError as error:
                self._place.cleanup()
                raise ToolError(
                    f"cannot run {self._python}: {error.strerror}; let {_ELSEWHERE} name a Python "
                    "that has TensorFlow"
                ) from None
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()
        self._place.cleanup()

    def ask(self, step, **arguments):
        """What a function of worker.py answers, as a dict; raises ToolError with its reason."""
        line = json.dumps({"do": step, **arguments}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: there is no answer
        reply = self._answer(step)
        if "error" in reply:
            said = reply.pop("error")
            raise reasons.error(self._path, step, said, **reply)
        return reply

    # One line of the process, which may take its time.
    def _answer(self, step):
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
                f"TensorFlow was not done with {self._path} after {self._seconds:g} s; use a "
                "longer --timeout"
            )
        if not line:
            raise self._ended(step)
        return json.loads(line)

    # What the end of the process without an answer means.
    def _ended(self, step):
        code = self._process.wait()
        if code < 0:
            return reasons.ended(self._path, step, signal.Signals(-code).name)
        log = (self.folder / "log.txt").read_text(errors="replace").strip().splitlines()
        return ToolError(
            f"{self._python} does not run TensorFlow: {log[-1] if log else code}; let "
            f"{_ELSEWHERE} name a Python that has it"
        )

    # Write arrays for the process: runs[i][k] is that of input k.
    def _give(self, name, runs):
        arrays = {f"{i}_{k}": a for i, run in enumerate(runs) for k, a in enumerate(run)}
        np.savez(self.folder / name, **arrays)

    def convert(self, form, keep_float, runs):
        """The path of the .tflite, there until the process ends, quantized by these runs."""
        self._give("taken.npz", runs)
        self.ask("convert", form=form, keep_float=keep_float, runs=len(runs))
        return self.folder / "model.tflite"

    def predictions(self, runs):
        """Output 0 of each run, as TensorFlow computes it in float."""
        self._give("scored.npz", runs)
        self.ask("predict", runs=len(runs))
        with np.load(self.folder / "predicted.npz") as file:
            return [file[f"o{i}"] for i in range(len(runs))]
