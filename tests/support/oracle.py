# Test support: the oracle, which is TFLM (the tflite-micro wheel) in a child process
# MIT license; Copyright (c) 2026 the tflm authors

import atexit
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

_WORKER = Path(__file__).with_name("oracle_worker.py")
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")


# An error of the oracle.
class OracleError(Exception):
    """TFLM did not run the model: `kind` is "crash", "error" or "timeout", `text` its output."""

    def __init__(self, kind: str, text: str):
        super().__init__(f"oracle {kind}: {text}")
        self.kind = kind
        self.text = text


# TFLM in a child process: a bad model crashes the child, not the tests.
class Oracle:
    """Runs models in the tflite-micro wheel; the child stays alive until a model kills it.

    `timeout` is in seconds, for one model with all of its runs.
    """

    def __init__(self, timeout: float = 60.0):
        self.timeout = timeout
        self.statuses: list[int] = []  # of the last run(): 0, or 15 where an op aborted
        self._worker: subprocess.Popen | None = None
        self._connection: Connection | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the oracle)

    def run(
        self,
        model: bytes,
        runs: Sequence[Sequence[np.ndarray]],
        reset: bool = False,
        *,
        fill: int | None = None,
        arena_size: int | None = None,
    ) -> list[list[np.ndarray]]:
        """Invoke one interpreter with each list of inputs, return the lists of outputs.

        `reset` resets it between runs. `fill` is the byte that memory holds before TFLM writes
        to it: outputs that change with it are not defined by TFLM. Raises OracleError.
        """
        job = {
            "model": bytes(model),
            "runs": [[np.asarray(values) for values in inputs] for inputs in runs],
            "reset": reset,
            "fill": fill,
            "arena_size": arena_size,
        }
        outputs, self.statuses = self._ask(job)
        return outputs

    def close(self) -> None:
        """End the child."""
        if self._worker is not None:
            self._connection.close()
            self._worker.kill()
            self._worker.wait()
            self._worker = None

    def _ask(self, job):
        if self._worker is None:
            self._start()
        self._stderr.seek(0)  # the child shares this position
        self._stderr.truncate()
        try:
            self._connection.send(job)
            if not self._connection.poll(self.timeout):
                self.close()
                raise OracleError("timeout", f"no answer in {self.timeout} s {self._said()}")
            kind, answer = self._connection.recv()
        except (EOFError, OSError):
            code = self._worker.wait()
            self.close()
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise OracleError("crash", f"{name} {self._said()}") from None
        if kind == "error":
            raise OracleError("error", f"{answer} {self._said()}")
        return answer

    def _start(self):
        ours, theirs = socket.socketpair()
        with theirs:
            self._worker = subprocess.Popen(
                [sys.executable, str(_WORKER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._stderr,
                stderr=self._stderr,
                env={**os.environ, **_ONE_THREAD},
            )
        self._connection = Connection(ours.detach())

    # What the wheel printed during the job.
    def _said(self):
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace").strip()


# One oracle for all tests of a process.
@cache
def shared_oracle() -> Oracle:
    """Return the oracle of this process; its child ends with the process."""
    oracle = Oracle()
    atexit.register(oracle.close)
    return oracle
