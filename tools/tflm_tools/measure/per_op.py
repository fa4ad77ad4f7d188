# tflm_tools: per_op: measures the time of each operator, for `tflm bench --per-op`
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import hashlib
import io
import time
from dataclasses import dataclass, replace
from pathlib import Path

from .. import files
from ..arena.arena_plan import plan_of
from ..board.bench import INVOKES, bench_on
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
from . import history as bench_history
from .bench import time_wheel


@dataclass
class OpBench:
    """An operator in one invoke; values that are not known are None.

    kernel: its kernels, joined by commas. us: microseconds. macs: multiply-accumulates in the
    .tflite. cycles: on boards whose clock is known. arena: bytes in use while it runs. last_us:
    microseconds in the last measurement.
    """

    node: int
    op: str
    kernel: str
    us: float
    share: float
    macs: int | None
    ns_per_mac: float | None
    cycles: float | None
    cycles_per_mac: float | None
    arena: int | None
    last_us: float | None


@dataclass
class ModelBench:
    """A model; times are microseconds of an invoke, without the profiler.

    ops: measured in separate runs with the profiler. wheel_us: of TFLM's wheel, None if it is not
    installed, or on a board. last_us, last_when: the last measurement and its time (seconds since
    1970). changed: the file has changed since. refused: why TFLM does not run the model.
    """

    model: str
    where: str
    frequency: int
    invokes: int
    best_us: float
    mean_us: float
    arena_bytes: int
    flat_bytes: int | None
    wheel_us: float | None
    last_us: float | None
    last_when: float | None
    changed: bool
    ops: list[OpBench]
    refused: str = ""


def bench_ops(paths, invokes=None, device=None, csv_path=None, custom=(), timeout=None,
              progress=None):  # fmt: skip
    """Measure each model in the unix port or on a board; returns a list of ModelBench.

    invokes: how often each model runs, by default 20 times, on a board fewer times if it is slow.
    device: a board, or several boards of one kind that share
    the models; None for the unix port. csv_path: a CSV to write. custom: Python files that
    register custom operators. timeout: seconds for one run. progress: called as progress(done,
    total). Each measurement is stored, and the next one of the same file on the same device
    includes it. Raises TflmError.
    """
    if csv_path:
        files.check_output(csv_path, *paths, *custom)
    if device is None:
        found = [_here(path, invokes or INVOKES, custom, timeout) for path in paths]
    else:
        device.require_one_kind()

        steps = progress if len(paths) == 1 else None

        def measured(board, path):
            return _on_board(path, board, invokes, custom, timeout, steps)

        found = device.share(list(paths), measured, None if steps else progress)
    for result, path in zip(found, paths, strict=True):
        _compare_last(result, path)
    if csv_path:
        write_csv(found, csv_path)
    return found


# Measure a model in the unix port, with the fastest memory plan, as `tflm bench` does.
def _here(path, invokes, custom, timeout):
    model = open_model(path)
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    flat, pipeline = model, None
    if model.kind == "tflite":
        options = FlattenOptions(optimize=SPEED)
        pipeline = FlattenPipeline(model.data, options, load_resolver(custom))
        flat = replace(model, kind="tflm", data=pipeline.flat)
    options = InvokeOptions(repeat=invokes, custom=custom, timeout=timeout)
    plain = invoke(flat, [inputs], options)
    profiled = invoke(flat, [inputs], replace(options, profile=True))
    events = [(node, op, kernel, us / invokes) for node, op, kernel, us in profiled.events]
    wheel, refused = None, ""
    if model.kind == "tflite" and oracle.installed():
        try:
            wheel = min(time_wheel(model, inputs, invokes))
        except oracle.OracleError as error:
            refused = str(error)
    mean = sum(plain.times) / len(plain.times)
    return ModelBench(
        str(path), "unix port", 0, invokes, min(plain.times), mean, plain.arena, len(flat.data),
        wheel, None, None, False, _rows(events, _work(path, pipeline, custom), 0), refused,
    )  # fmt: skip


# Measure a model on a board.
def _on_board(path, device, invokes, custom, timeout, progress):
    found = bench_on([path], device, invokes, timeout, custom, progress)[0]
    model = open_model(path)
    events = [(op.node, op.op, op.kernel, op.us) for op in found.ops]
    pipeline = None
    if model.kind == "tflite":
        options = FlattenOptions(device.facts.target)
        pipeline = FlattenPipeline(model.data, options, load_resolver(custom))
    rows = _rows(events, _work(path, pipeline, custom), found.frequency)
    rows = _with_bands_joined(rows, pipeline)
    return ModelBench(
        str(path), found.board, found.frequency, found.invokes, found.best_us, found.mean_us,
        found.arena_bytes, None, None, None, None, False, rows,
    )  # fmt: skip


# A row for each operator, in the order of its first step. work: of _work(). frequency: Hz or 0.
def _rows(events, work, frequency):
    macs, arena, main = work
    times = {}
    for node, op, kernel, us in events:
        name, kernels, total = times.get(node, (op, [], 0.0))
        times[node] = name, kernels + [kernel] * (kernel not in kernels), total + us
    total = sum(entry[2] for entry in times.values()) or 1.0
    rows = []
    for node, (name, kernels, us) in times.items():
        count = macs.get(node)
        each = count if node < main else None  # operators of IF and WHILE may run several times
        cycles = us * frequency / 1e6 if frequency else None
        rows.append(
            OpBench(
                node, name, ", ".join(kernels), us, us / total, count,
                1000 * us / each if each else None, cycles,
                cycles / each if each and cycles is not None else None, arena.get(node), None,
            )
        )  # fmt: skip
    return rows


# The rows with one row for the operators of each region in bands: the profiler counts the time of
# a region for its first operator.
def _with_bands_joined(rows, pipeline):
    planned = pipeline.planned if pipeline else None
    regions = [chain.nodes for chain in getattr(planned, "chains", None) or ()]
    for numbers in ([node.index for node in nodes] for nodes in regions):
        members = [row for row in rows if row.node in numbers]
        if len(members) > 1:
            at = rows.index(members[0])
            rows = [row for row in rows if row.node not in numbers]
            rows.insert(at, _joined(members))
    return rows


# One row for several operators, with the sums of their times and multiply-accumulates.
def _joined(rows):
    us, share = sum(row.us for row in rows), sum(row.share for row in rows)
    macs = sum(row.macs or 0 for row in rows) or None
    cycles = None if rows[0].cycles is None else sum(row.cycles for row in rows)
    kernels = dict.fromkeys(name for row in rows for name in row.kernel.split(", "))
    return OpBench(
        rows[0].node, f"ops {rows[0].node} to {rows[-1].node}, in bands", ", ".join(kernels), us,
        share, macs, 1000 * us / macs if macs else None, cycles,
        cycles / macs if macs and cycles is not None else None,
        max((row.arena for row in rows if row.arena is not None), default=None), None,
    )  # fmt: skip


# ({operator: multiply-accumulates}, {operator: bytes of the arena in use}, number of operators of
# the first sub-graph, which run once per invoke). A .tflm has no pipeline, and the result is
# empty.
def _work(path, pipeline, custom):
    if pipeline is None:
        return {}, {}, 0
    macs = {op.index: op.macs for op in inspect(path, custom, pipeline.flat).ops}
    plan = plan_of(pipeline.planned, pipeline.storage)
    arena = {}
    for op, node in enumerate(plan.nodes):
        if node is not None:
            arena[node] = max(arena.get(node, 0), plan.live_bytes(op))
    return macs, arena, pipeline.source.subgraphs[0].nodes_length()


# Add the last measurement to a ModelBench, and store this one.
def _compare_last(result, path):
    key = f"{result.where} {Path(path).resolve()}"
    digest = hashlib.sha256(files.read(path)).hexdigest()[:16]
    last = bench_history.last(key)
    try:
        if last is not None:
            times = {(int(op), name): float(us) for op, name, us in last["ops"]}
            result.last_us, result.last_when = float(last["best_us"]), float(last["when"])
            result.changed = last["model"] != digest
            for row in result.ops:
                row.last_us = times.get((row.node, row.op))
    except (KeyError, TypeError, ValueError):
        result.last_us = result.last_when = None
    ops = [(row.node, row.op, row.us) for row in result.ops]
    entry = {"model": digest, "when": time.time(), "best_us": result.best_us, "ops": ops}
    bench_history.note(key, entry)


_COLUMNS = ("node", "op", "kernel", "us", "share", "macs", "ns_per_mac", "cycles",
            "cycles_per_mac", "arena", "last_us")  # fmt: skip


def write_csv(results, path):
    """Write a row for each operator of each ModelBench."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("model", "where", "op", "name", *_COLUMNS[2:]))
    for result in results:
        for row in result.ops:
            values = [getattr(row, column) for column in _COLUMNS]
            cells = [
                "" if v is None else f"{v:.6g}" if isinstance(v, float) else v for v in values
            ]
            writer.writerow((Path(result.model).name, result.where, *cells))
    if not any(result.ops for result in results):
        raise ToolError(
            f"nothing was measured, so {path} is not written; give a model with operators"
        )
    files.make_folder(Path(path).parent)
    files.write(path, text.getvalue().encode())
