# tflm_tools: bench: measures time and memory of models in the unix port and in TFLM's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from .. import files
from ..check import oracle
from ..check.cases import make_cases
from ..errors import ToolError
from ..execution.device_model import invoke
from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..image.custom import load_resolver
from ..inspection.inspection import inspect
from ..model.model_file import open_model
from ..optimize.memory.levels import SPEED
from ..port.invocation import InvokeOptions

_ROUNDS = 3  # tflm and the wheel run alternately, so that both see the same load of the computer


@dataclass
class BenchRow:
    """One model; times are the best of all invokes, in microseconds; sizes are in bytes.

    tflm_us: with `--optimize speed`, as this computer has enough memory. arena, flash: with the
    default plan. ratio: TFLM's time divided by tflm's, above 1 if tflm is faster.
    arena_tflite: of the .tflite when the device prepares it. tflm_head: of TFLM's plan for the
    tensors. refused: why TFLM has no time.
    """

    model: str
    macs: int
    tflm_us: float
    wheel_us: float | None
    ratio: float | None
    arena: int
    arena_tflite: int
    tflm_head: int
    flash: int
    refused: str = ""


def bench(paths, invokes=20, csv_path=None, custom=(), timeout=None):
    """Time each .tflite; returns a list of BenchRow, and writes them to `csv_path` if given.

    invokes: how often each model runs. custom: Python files that register custom operators.
    timeout: seconds for one run of MicroPython. Raises TflmError.
    """
    if csv_path:
        files.check_output(csv_path, *paths, *custom)
    rows = [_bench_one(path, invokes, custom, timeout) for path in paths]
    if csv_path:
        text = io.StringIO()
        columns = [field.name for field in fields(BenchRow) if field.name != "refused"]
        writer = csv.DictWriter(text, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(_rounded(asdict(row)) for row in rows)
        files.make_folder(Path(csv_path).parent)
        files.write(csv_path, text.getvalue().encode())
    return rows


# Return a row with floats of two decimal places.
def _rounded(row):
    return {key: round(x, 2) if isinstance(x, float) else x for key, x in row.items()}


def _bench_one(path, invokes, custom, timeout):
    model = open_model(path)
    if model.kind != "tflite":
        raise ToolError(f"{path} is a .tflm, and bench compares with TFLM; give the .tflite")
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    pipeline = FlattenPipeline(model.data, FlattenOptions(), load_resolver(custom))
    report = inspect(path, custom, pipeline.flat)
    # This computer has enough memory, so the fastest plan is measured.
    flat = replace(model, kind="tflm", data=pipeline.at_level(SPEED).flat)
    ours, wheels, refused = [], [], ""
    options = InvokeOptions(repeat=invokes, custom=custom, timeout=timeout)
    for _ in range(_ROUNDS):
        ours += invoke(flat, [inputs], options).times
        try:
            wheels += [] if refused else time_wheel(model, inputs, invokes)
        except oracle.OracleError as error:
            refused = str(error)
    best = min(wheels, default=None)
    return BenchRow(
        Path(path).stem,
        report.macs,
        min(ours),
        best,
        None if best is None else best / max(min(ours), 1),
        report.arena_bytes,
        report.arena_tflite_bytes,
        report.tflm_head_bytes,
        report.flat_bytes,
        refused,
    )


def time_wheel(model, inputs, invokes):
    """Time TFLM's wheel on these arrays; returns microseconds of each invoke.

    model: a ModelFile. Raises OracleError.
    """
    oracle.require()
    with tempfile.TemporaryDirectory(prefix="tflm-bench-") as name:
        path = Path(name) / "model.tflite"  # the model may be inside C source or an archive
        path.write_bytes(model.data)
        arrays, report = Path(name) / "inputs.npz", Path(name) / "report.json"
        np.savez(arrays, **{str(i): array for i, array in enumerate(inputs)})
        arena_bytes = oracle.arena_bytes(len(model.data))
        command = [sys.executable, str(Path(__file__).with_name("wheel_worker.py")), str(path)]
        done = subprocess.run(
            [*command, str(arrays), str(invokes), str(arena_bytes), str(report)],
            capture_output=True,
            text=True,
        )
        if done.returncode or not report.exists():
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise oracle.OracleError(f"TFLM itself does not run {Path(model.path).name}: {last}")
        return json.loads(report.read_text())
