# tflm_tools: port: invokes a model in the MicroPython unix port, with tensors as bytes
# MIT license; Copyright (c) 2026 the tflm authors

import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import unix_port


@dataclass(frozen=True)
class InvokeOptions:
    """How a device invokes a model.

    path: "flat" (as .tflm) or "tflite" (prepared by MicroPython). repeat: invokes for each run.
    locked: invoke() must not allocate. keep_tensors: return the bytes of every tensor. heap,
    timeout: bytes and seconds, None for the device's defaults. custom: Python files that register
    custom operators. profile: return the profiler's events. reset: reset variables before each
    run. flat: {option of flatten.flatten(): value} for the flat model, like optimize or by_rows.
    """

    path: str = "flat"
    repeat: int = 1
    locked: bool = False
    keep_tensors: bool = False
    heap: int | None = None
    timeout: float | None = None
    custom: tuple[str, ...] = ()
    profile: bool = False
    reset: bool = False
    flat: dict | None = None


DEFAULTS = InvokeOptions()


def invoke(model, inputs, options=DEFAULTS, runs=1, by_rows=0):
    """Invoke a model (bytes) `runs` times; `inputs` are the bytes of all inputs, run after run.

    options: InvokeOptions; `path` and `flat` have no effect, as the model is already prepared.
    by_rows: size in bytes of the only input if it is read row by row, else 0. Returns (report,
    bytes of all outputs run after run, bytes of all tensors after the last run);
    device/invoke.py describes the report. Raises DeviceError.
    """
    with tempfile.TemporaryDirectory(prefix="tflm-") as name:
        folder = Path(name)
        outputs, tensors = folder / "outputs", folder / "tensors"
        (folder / "model").write_bytes(model)
        (folder / "inputs").write_bytes(inputs)
        tensors.write_bytes(b"")
        job = {
            "model": str(folder / "model"),
            "runs": runs,
            "inputs": str(folder / "inputs"),
            "repeat": options.repeat,
            "outputs": str(outputs),
            "by_rows": by_rows,
            "locked": options.locked and not by_rows,
            "custom": [str(Path(file).resolve()) for file in options.custom],
            "tensors": str(tensors) if options.keep_tensors else None,
            "reset": options.reset,
            "profile": options.profile,
        }
        report = unix_port.run_script(
            "invoke",
            job,
            folder,
            options.heap or unix_port.DEFAULT_HEAP,
            options.timeout or unix_port.DEFAULT_TIMEOUT,
        )
        return report, outputs.read_bytes(), tensors.read_bytes()
