# tflm: CIRCULAR_BUFFER: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, support
from .signal import options

LAYOUT = ("input", "output", "cycles", "depth", "slots", "cycles_max")

_MOST = 1 << 24


# One slot [1, 1, a, b] -> the last slots [1, slots, a, b], which should be a variable tensor;
# int8.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.INT8)
    check_dtype(node, target, dtypes.INT8)
    check(len(source.shape) == 4 and len(target.shape) == 4, node, "a rank is not 4")
    slot, slots = source.shape, target.shape
    support(slot[0] == 1, node, "a batch of %d" % slot[0])
    check(slot[1] == 1, node, "%s is more than one slot" % source)
    check(slots[1] > 0, node, "%s has no slots" % target)
    check(slot[0] == slots[0] and slot[2:] == slots[2:], node, "the shapes do not fit")
    context.emit(
        "circular_buffer.eval_int8",
        LAYOUT,
        1,
        target.elements(),
        input=source,
        output=target,
        cycles=context.allocate_state(4),
        depth=source.elements(),
        slots=slots[1],
        cycles_max=_cycles(context, node, slots),
    )


# Return the number of invokes for one that runs the operators after this one. If the model lacks
# the option, TFLM guesses from the shapes of two of its own models (circular_buffer_common.cc).
def _cycles(context, node, slots):
    cycles = 0
    if node.custom_values():
        (cycles,) = options(node, "cycles_max")
    check(cycles <= _MOST, node, "the option 'cycles_max' is %d" % cycles)
    if cycles > 0:
        return cycles
    count = getattr(context, "circular_buffers", 0) + 1
    context.circular_buffers = count
    if slots[1] in (5, 13, 25) or (count == 5 and slots[2:] == (2, 96)):
        context.circular_buffers = 0
        return 1
    return 2
