# tflm_tools: execution: invokes a model on numpy arrays in the MicroPython unix port
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

import numpy as np

from ..flat.flatten import flatten
from ..image.custom import load_resolver
from ..model.arrays import from_bytes, to_bytes
from ..model.model_file import open_model
from ..port import invocation


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


def model_for_device(model, path, keep_tensors, custom, target=None, flat=None):
    """Return the ModelFile that a device receives for `model`, on one of the paths of invoke().

    flat: as for invoke(); ignored with keep_tensors, as such a model has no memory plan.
    """
    data = model.data
    if model.kind == "tflite" and path == "flat":
        options = {"keep_tensors": True} if keep_tensors else flat or {}
        data = flatten(data, load_resolver(custom), target=target, **options)
    return open_model(model.path, data)


def invoke(model, runs, path="flat", repeat=1, locked=False, keep_tensors=False, heap=None,
           timeout=None, custom=(), device=None, reset=False, profile=False,
           flat=None, progress=None):  # fmt: skip
    """Invoke a ModelFile on each list of input arrays in `runs`, in order; return an Invocation.

    path: "flat" (as .tflm) or "tflite" (prepared by MicroPython). repeat: invokes for each run.
    locked: invoke() must not allocate. Variables keep their values from run to run, unless
    `reset` is set. custom: Python files that register custom operators. device: a board
    (board.board_device), a pool of boards, or Processes; by default one process of the unix port.
    progress: called by the device with (runs done, runs in all). profile: fill `events` of the
    result. flat: {option of flatten.flatten(): value} for the flat model, like optimize or
    by_rows. Raises DeviceError.
    """
    if device is not None:
        return device.invoke(
            model, runs, path, repeat, locked, keep_tensors, heap, timeout, custom, profile, reset,
            flat, progress,
        )  # fmt: skip
    model = model_for_device(model, path, keep_tensors, custom, flat=flat)
    rows = [info.bytes for info in model.inputs if info.by_rows]
    answer, outputs, kept = invocation.invoke(
        model.data,
        b"".join(input_bytes(run, model.inputs) for run in runs),
        len(runs),
        repeat,
        locked=locked and not rows,
        keep_tensors=keep_tensors,
        custom=custom,
        reset=reset,
        profile=profile,
        by_rows=sum(rows),
        heap=heap,
        timeout=timeout,
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
