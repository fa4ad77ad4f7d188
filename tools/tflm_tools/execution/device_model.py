# tflm_tools: a model in the MicroPython unix port: arrays in, arrays and times out
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
    """`outputs[run][i]`: arrays. `times`: microseconds of each invoke. `arena`: bytes used.

    `tensors`: bytes by tensor number after the last run, if they were kept. `events`: of each
    step (node, operator, kernel, microseconds of all invokes), where they were asked for; beside
    them `misses`: of a board's flash cache, None where it does not count them.
    """

    outputs: list[list[np.ndarray]]
    times: list[int]
    arena: int
    tensors: dict[int, bytes]
    events: list[tuple[int, str, str, int]] = field(default_factory=list)
    misses: list[int | None] = field(default_factory=list)


def form(model, path, keep_tensors, custom, target=None, flat=None):
    """The ModelFile that a device gets of a ModelFile, on one of the two paths of invoke().

    flat: as for invoke(); for a model whose tensors are kept, nothing is planned so.
    """
    data = model.data
    if model.kind == "tflite" and path == "flat":
        options = {} if keep_tensors else flat or {}
        data = flatten(data, load_resolver(custom), keep_tensors, target, **options)
    return open_model(model.path, data)


def invoke(model, runs, path="flat", repeat=1, locked=False, keep_tensors=False, heap=None,
           timeout=None, custom=(), device=None, reset=False, profile=False,
           flat=None, progress=None):  # fmt: skip
    """Invoke a ModelFile with each list of input arrays in `runs`, one after the other.

    path: "flat" (as .tflm) or "tflite" (prepared by MicroPython). repeat: invokes for each run.
    locked: invoke() must not allocate. State goes on from run to run. custom: Python files that
    register custom operators. device: where, instead of one process of the unix port: a board
    (board.board_device), several, or Processes; progress tells that how far it is (done, total).
    reset: variables are reset before each run. profile: `events` of the result is filled.
    flat: {option of flatten.flatten(): value} for the flat model, like optimize or by_rows.
    Raises DeviceError.
    """
    if device is not None:
        return device.invoke(
            model, runs, path, repeat, locked, keep_tensors, heap, timeout, custom, profile, reset,
            flat, progress,
        )  # fmt: skip
    model = form(model, path, keep_tensors, custom, flat=flat)
    rows = [info.bytes for info in model.inputs if info.by_rows]
    answer, outputs, kept = invocation.invoke(
        model.data,
        b"".join(sent(run, model.inputs) for run in runs),
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
    outputs = split(outputs, len(runs), model.outputs)
    tensors, at = {}, 0
    for number, size in answer.get("tensors", ()):
        tensors[number] = kept[at : at + size]
        at += size
    events = [tuple(event) for event in answer.get("events", ())]
    return Invocation(outputs, answer["times"], answer["arena"], tensors, events)


def sent(arrays, infos):
    """The bytes of the inputs of a run."""
    return b"".join(to_bytes(a, info) for a, info in zip(arrays, infos, strict=True))


def split(data, runs, infos):
    """The arrays of the outputs of `runs` runs from all their bytes."""
    result, at = [], 0
    for _ in range(runs):
        arrays = []
        for info in infos:
            size = (info.kept or info).bytes
            arrays.append(from_bytes(data[at : at + size], info))
            at += size
        result.append(arrays)
    return result
