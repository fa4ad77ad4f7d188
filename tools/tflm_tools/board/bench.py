# tflm_tools: board: measures the time of each operator on a board, in microseconds and cycles
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, replace

from ..check.cases import make_cases
from ..errors import DeviceError
from ..model.model_file import open_model
from ..port.invocation import InvokeOptions


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


INVOKES = 20
_STEPS = 3  # of a measurement
_MAX_US = 2_000_000  # for all invokes of a step, if the number of invokes was not given
# A step may take this many times the expected time, and at least these seconds.
_SLOWEST, _LEAST_SECONDS = 10, 60


def bench_on(paths, device, invokes=None, timeout=None, custom=(), progress=None):
    """Measure each model of `paths` on a BoardDevice; return [BoardBench]. Raises TflmError.

    invokes: by default INVOKES, fewer for a slow model. progress: called as progress(done, total).
    """
    found = []
    for path in paths:

        def report(step):
            if progress is not None:
                progress(_STEPS * len(found) + step, _STEPS * len(paths))

        found.append(_bench_one(path, device, invokes, timeout, custom, report))
    return found


# The number of invokes of a step for a model that needs `us` microseconds.
def _invokes_for(us):
    return max(1, min(INVOKES, _MAX_US // max(us, 1)))


# 1. Measure one invoke, which says how many others there is time for. It also says how long the
#    board may be silent in the other steps.
# 2. Measure the others.
# 3. Measure the operators in the same number of invokes, with the profiler.
def _bench_one(path, device, invokes, timeout, custom, report):
    model = open_model(path)
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    options = InvokeOptions(timeout=timeout, custom=custom)
    report(0)
    us = device.invoke(model, [inputs], options).times[0]
    invokes = invokes or _invokes_for(us)
    seconds = timeout or max(_LEAST_SECONDS, _SLOWEST * invokes * us / 1e6)
    options = replace(options, repeat=invokes, timeout=seconds)
    report(1)
    plain = device.invoke(model, [inputs], options)
    report(2)
    if not any(plain.times):
        raise DeviceError(
            f"the board at {device.facts.port} has no clock for measuring; use another board"
        )
    profiled = device.invoke(model, [inputs], replace(options, profile=True))
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
