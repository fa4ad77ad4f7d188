# tflm_tools: plans the buffers of views, which are tensors that share the bytes of another tensor
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.arena import align_up
from tflm.tflite.planner import Buffer


def merge_views(model, buffers):
    """Remove views from `buffers` ({tensor number: Buffer}) before these are planned.

    The buffer of a view's base is extended from the first to the last step that uses the base or
    one of its views. Returns {tensor number: Buffer} of the views; place_views() sets their
    offsets. Views of variables get no Buffer, because variables are not planned.
    """
    views = {}
    for index, (base, _) in (model.views or {}).items():
        view = buffers.pop(index, None)
        if view is None or model.tensor(base).is_variable:  # None: nothing uses the view
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
    """Add the views of merge_views() to the planned `buffers`, at their offsets in their bases."""
    base_of = model.views or {}
    for index, view in views.items():
        base, offset = base_of[index]
        view.offset = buffers[base].offset + offset
        buffers[index] = view
