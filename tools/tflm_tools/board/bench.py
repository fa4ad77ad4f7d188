# tflm_tools: board: measures the time of each operator on a board, in microseconds and cycles
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..check.cases import make_cases
from ..errors import DeviceError
from ..model.model_file import open_model


@dataclass
class OpTime:
    """The time of one step of a model in one invoke; cycles is 0 if the clock is unknown."""

    node: int
    op: str
    kernel: str
    us: float
    cycles: int
    share: float


@dataclass
class BoardBench:
    """The times of a model on a board, in microseconds of an invoke without the profiler.

    cycles: microseconds * frequency of the board, 0 if the frequency is unknown. ops: measured in
    separate invokes with the profiler.
    """

    model: str
    board: str
    port: str
    frequency: int
    invokes: int
    mean_us: float
    best_us: int
    cycles: int
    arena_bytes: int
    ops: list[OpTime]


def bench_on(paths, device, invokes=20, timeout=None, custom=()):
    """Measure each model of `paths` on a BoardDevice; return [BoardBench]. Raises TflmError."""
    return [_bench_one(path, device, invokes, timeout, custom) for path in paths]


def _bench_one(path, device, invokes, timeout, custom):
    model = open_model(path)
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    options = {"repeat": invokes, "timeout": timeout, "custom": custom}
    plain = device.invoke(model, [inputs], **options)
    if not any(plain.times):
        raise DeviceError(
            f"the board at {device.facts.port} has no clock for measuring; use another board"
        )
    profiled = device.invoke(model, [inputs], profile=True, **options)
    clock = device.facts.frequency / 1e6
    total = sum(event[3] for event in profiled.events) or 1
    ops = [
        OpTime(node, op, kernel, us / invokes, round(us / invokes * clock), us / total)
        for node, op, kernel, us in profiled.events
    ]
    mean = sum(plain.times) / len(plain.times)
    return BoardBench(
        str(path), device.facts.machine, device.facts.port, device.facts.frequency, invokes, mean,
        min(plain.times), round(mean * clock), plain.arena, ops,
    )  # fmt: skip
