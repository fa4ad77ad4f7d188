# tflm_tools: execution: invokes a model on numpy arrays in the MicroPython unix port
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

import numpy as np

from ..flat.flatten import flatten
from ..image.custom import load_resolver
from ..model.arrays import from_bytes, to_bytes
from ..model.model_file import open_model
from ..port import invocation
from ..port.invocation import DEFAULTS


@dataclass
class Invocation:
    """The results of invoking a model.

    outputs: outputs[run][i] is the array of output i. times: microseconds of each invoke. arena:
    bytes used. tensors: {tensor number: bytes} after the last run, with keep_tensors. events:
    (node, operator, kernel, microseconds of all invokes) of each step, with profile. misses: for
    each event the misses of a board's flash cache, None on boards that do not count them.
    """

    outputs: list[list[np.ndarray]]
    times: list[int]
    arena: int
    tensors: dict[int, bytes]
    events: list[tuple[int, str, str, int]] = field(default_factory=list)
    misses: list[int | None] = field(default_factory=list)


def model_for_device(model, options, target=None):
    """Return the ModelFile that a device receives for `model` with InvokeOptions.

    target: the device's architecture. `options.flat` has no effect with `keep_tensors`, as such a
    model has no memory plan.
    """
    data = model.data
    if model.kind == "tflite" and options.path == "flat":
        flat = {"keep_tensors": True} if options.keep_tensors else options.flat or {}
        data = flatten(data, load_resolver(options.custom), target=target, **flat)
    return open_model(model.path, data)


def invoke(model, runs, options=DEFAULTS, device=None, progress=None):
    """Invoke a ModelFile on each list of input arrays in `runs`, in order; return an Invocation.

    options: InvokeOptions. Variables keep their values from run to run, unless `options.reset` is
    set. device: a board (board.board_device), a pool of boards, or Processes; by default one
    process of the unix port. progress: called by the device with (runs done, runs in all). Raises
    DeviceError.
    """
    if device is not None:
        return device.invoke(model, runs, options, progress)
    model = model_for_device(model, options)
    rows = [info.bytes for info in model.inputs if info.by_rows]
    answer, outputs, kept = invocation.invoke(
        model.data,
        b"".join(input_bytes(run, model.inputs) for run in runs),
        options,
        len(runs),
        sum(rows),
    )
    outputs = split_outputs(outputs, len(runs), model.outputs)
    tensors, at = {}, 0
    for number, size in answer.get("tensors", ()):
        tensors[number] = kept[at : at + size]
        at += size
    events = [tuple(event) for event in answer.get("events", ())]
    return Invocation(outputs, answer["times"], answer["arena"], tensors, events)


def input_bytes(arrays, infos):
    """Return the bytes of all inputs of a run, in order."""
    return b"".join(to_bytes(a, info) for a, info in zip(arrays, infos, strict=True))


def split_outputs(data, runs, infos):
    """Return [[array of each output] for each of `runs` runs] from the bytes of all outputs."""
    result, at = [], 0
    for _ in range(runs):
        arrays = []
        for info in infos:
            size = (info.kept or info).bytes
            arrays.append(from_bytes(data[at : at + size], info))
            at += size
        result.append(arrays)
    return result
