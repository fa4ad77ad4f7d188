# tflm_tools: oracle: runs a model in TFLM (the tflite-micro wheel) or LiteRT, in a child process
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import ToolError
from ..extras import installing


class OracleError(ToolError):
    """The oracle is not installed, refuses the model, or crashed with it."""


class RefusedModelError(OracleError):
    """The oracle refuses the model, or crashed with it; another oracle may run it."""


@dataclass
class OracleResult:
    """The results of an oracle.

    outputs[run][i]: an array. tensors: {tensor number: array} after the last run. times:
    microseconds of each run. refused: {run: the oracle's error about its inputs}. kernels: of
    LiteRT, REFERENCE, OPTIMIZED or "XNNPACK"; "" of TFLM.
    """

    outputs: list[list[np.ndarray]]
    tensors: dict[int, np.ndarray]
    times: list[float] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    kernels: str = ""


TFLM = "TFLM"
LITERT = "LiteRT"
REFERENCE, OPTIMIZED = "reference", "optimized"  # kernels of LiteRT
# The package and the worker module of each oracle.
_PACKAGES = {TFLM: "tflite_micro", LITERT: "ai_edge_litert"}
_SECONDS = 600.0  # default timeout of all runs together
_WORKERS = {TFLM: "oracle_worker", LITERT: "litert_worker"}


def installed(name=TFLM):
    """True when the oracle's wheel is installed."""
    return importlib.util.find_spec(_PACKAGES[name]) is not None


def require(name=TFLM):
    """Raise OracleError when the oracle's wheel is not installed."""
    if not installed(name):
        itself = "TFLM itself" if name == TFLM else name
        extra = "verify" if name == TFLM else "litert"
        raise OracleError(
            f"{itself}, to compare with, is not installed; install its wheel with: "
            f"{installing(extra)}"
        )


def arena_bytes(model_bytes):
    """Return an arena size that is large enough for TFLM: small models may have large tensors."""
    return 10 * model_bytes + (64 << 20)


# How oracle_worker.py reads the tensors between operators, the simplest method first.
TENSOR_MODES = ("preserve", "outputs")


@dataclass(frozen=True)
class OracleOptions:
    """How run() invokes the oracle.

    tensors: one of TENSOR_MODES to read all tensors, or None. timeout: seconds for all runs.
    reset: reset the state of the model before each run. name: TFLM or LITERT. fill: the byte that
    fills new memory, which shows the bytes that operators never write. refusals: list runs that
    the oracle refuses in `refused`, instead of raising. kernels: of LiteRT; models that have no
    reference kernels run with the optimized ones.
    """

    tensors: str | None = None
    timeout: float | None = None
    reset: bool = False
    name: str = TFLM
    fill: int | None = None
    refusals: bool = False
    kernels: str = REFERENCE


def run(model, runs, **options):
    """Invoke a .tflite (bytes) once with each list of arrays in `runs`. Return an OracleResult.

    options: the fields of OracleOptions. Raises OracleError.
    """
    options = OracleOptions(**options)
    require(options.name)
    with tempfile.TemporaryDirectory(prefix="tflm-oracle-") as temporary:
        folder = Path(temporary)
        (folder / "model").write_bytes(model)
        np.savez(
            folder / "inputs.npz",
            **{f"{i}_{k}": a for i, arrays in enumerate(runs) for k, a in enumerate(arrays)},
        )
        job = {"runs": len(runs), "inputs": len(runs[0]) if runs else 0,
               "tensors": options.tensors, "reset": options.reset,
               "arena": arena_bytes(len(model)), "fill": options.fill,
               "refusals": options.refusals, "kernels": options.kernels}  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job))
        _call(folder, options.timeout or _SECONDS, options.name)
        with np.load(folder / "outputs.npz") as file:
            arrays = {key: file[key] for key in file.files}
    outputs = [[] for _ in runs]
    for key in sorted(
        (k for k in arrays if k[0] == "o"), key=lambda k: [*map(int, k[1:].split("_"))]
    ):
        outputs[int(key[1:].split("_")[0])].append(arrays[key])
    kept = {int(key[1:]): array for key, array in arrays.items() if key[0] == "t"}
    refused = {int(key[1:]): str(array) for key, array in arrays.items() if key[0] == "r"}
    kernels = str(arrays["_kernels"]) if "_kernels" in arrays else ""
    return OracleResult(outputs, kept, arrays["_times"].tolist(), refused, kernels)


# Run the worker. Raises OracleError with the reason that the worker or the oracle printed.
def _call(folder, timeout, name):
    above = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [above, os.environ.get("PYTHONPATH", "")]))
    with open(folder / "log.txt", "w+b") as log:
        try:
            code = subprocess.run(
                [sys.executable, "-m", f"tflm_tools.check.{_WORKERS[name]}"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=timeout,
            ).returncode
        except subprocess.TimeoutExpired:
            raise OracleError(
                f"{name} did not finish within {timeout:g} s; use a longer --timeout"
            ) from None
        log.seek(0)
        said = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
    if code:
        end = f"{signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        # Omit the lines of Python's traceback.
        lines = [line.strip() for line in said if not line.startswith(("Number of", " ", "Trace"))]
        raise RefusedModelError(
            f"{name} itself does not run this model ({end}): {_reason(lines, name)}"
        )


# TFLM prints the reason first; LiteRT's reason is the last line, Python's exception.
def _reason(lines, name):
    if not lines:
        return "no reason given"
    return lines[0] if name == TFLM else lines[-1]
