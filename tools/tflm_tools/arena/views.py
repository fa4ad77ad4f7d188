# tflm_tools: views: tensors that are part of another one, in the plan of the arena
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.arena import align_up
from tflm.tflite.planner import Buffer


def merge_views(model, buffers):
    """Take views out of `buffers` ({tensor number: Buffer}), before these are planned.

    What has the bytes of views is in use from the first step that touches it or a view of it to
    the last one. Returns the Buffer of each view, whose offset place_views() sets. Parts of
    variables have none: these are not planned.
    """
    views = {}
    for index, (base, _) in (model.views or {}).items():
        view = buffers.pop(index, None)
        if view is None or model.tensor(base).is_variable:  # or nothing uses it
            continue
        views[index] = view
        if base not in buffers:
            size = align_up(model.tensor(base).nbytes())
            buffers[base] = Buffer(size, view.first, view.last)
        whole = buffers[base]
        whole.first = min(whole.first, view.first)
        whole.last = max(whole.last, view.last)
    return views


def place_views(model, buffers, views):
    """Put planned views back into `buffers`, at their places in their bases."""
    places = model.views or {}
    for index, view in views.items():
        base, offset = places[index]
        view.offset = buffers[base].offset + offset
        buffers[index] = view
