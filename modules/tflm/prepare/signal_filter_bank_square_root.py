# tflm: SignalFilterBankSquareRoot: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor

LAYOUT = ("input", "scale_bits", "output")

_WORK = 128  # of one root


# uint64, right shift of the roots (int32 scalar) -> uint32.
def prepare(context, node):
    source, bits, target = node.input(0), node.input(1), node.output(0)
    check_tensor(node, source, dtypes.UINT64, 1)
    check_tensor(node, bits, dtypes.INT32, 0)
    check_tensor(node, target, dtypes.UINT32, 1)
    check(target.elements() == source.elements(), node, "%s is not as long as its input" % target)
    context.emit(
        "signal_filter_bank_square_root.eval_uint64",
        LAYOUT,
        target.elements(),
        target.elements() * _WORK,
        input=source,
        scale_bits=bits,
        output=target,
    )
