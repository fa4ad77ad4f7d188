# tflm_tools: port: invokes a model in the MicroPython unix port, with tensors as bytes
# MIT license; Copyright (c) 2026 the tflm authors

import tempfile
from pathlib import Path

from . import unix_port


def invoke(model, inputs, runs=1, repeat=1, locked=False, keep_tensors=False, custom=(),
           reset=False, profile=False, by_rows=0, heap=None, timeout=None):  # fmt: skip
    """Invoke a model (bytes) `runs` times; `inputs` are the bytes of all inputs, run after run.

    repeat: invokes for each run. locked: invoke() must not allocate. keep_tensors: the report
    lists each tensor's number and size. custom: Python files that register custom operators.
    reset: reset variables before each run. profile: add the profiler's events to the report.
    by_rows: size in bytes of the only input if it is read row by row, else 0. heap, timeout: see
    unix_port.run_script(). Returns (report, bytes of all outputs run after run, bytes of all
    tensors after the last run); device/invoke.py describes the report. Raises DeviceError.
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
            "repeat": repeat,
            "outputs": str(outputs),
            "by_rows": by_rows,
            "locked": locked,
            "custom": [str(Path(file).resolve()) for file in custom],
            "tensors": str(tensors) if keep_tensors else None,
            "reset": reset,
            "profile": profile,
        }
        report = unix_port.run_script(
            "invoke",
            job,
            folder,
            heap or unix_port.DEFAULT_HEAP,
            timeout or unix_port.DEFAULT_TIMEOUT,
        )
        return report, outputs.read_bytes(), tensors.read_bytes()
