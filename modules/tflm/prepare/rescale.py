# tflm: records for kernels/rescale.py: integers from one scale to another, element by element
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import limits

RESCALE = (
    "input",
    "output",
    "input_type",
    "output_type",
    "input_zero_point",
    "output_zero_point",
    "lowest",
    "highest",
    "multiplier",
    "shift",
    "negative_multiplier",
    "negative_shift",
    "negate",
)

_MAX_SHIFT = 31  # larger shifts saturate as well
IDENTITY = (1 << 30, 1)  # quantize_multiplier(1)
MAGNITUDE = 2  # value of `negate`

# Codes of element types in kernels/rescale.py and kernels/float32*.py.
TYPES = {dtypes.INT8: 0, dtypes.UINT8: 1, dtypes.INT16: 2, dtypes.INT32: 3}


# Write the record: output = zero point + (input - zero point) * multiplier, limited to low..high.
# Inputs below their zero point are multiplied by `negative`. If `negate` is 1, the product is
# negated; if it is MAGNITUDE, they are negated before. Multipliers are pairs of
# quantize_multiplier().
def emit_rescale(
    context,
    node,
    multiplier=IDENTITY,
    negative=None,
    negate=0,
    output_zero_point=None,
    low=None,
    high=None,
):
    source, target = node.input(0), node.output(0)
    negative = negative or multiplier
    lowest, highest = limits(target.dtype)
    zero_point = target.zero_point() if output_zero_point is None else output_zero_point
    low = (lowest if low is None else low) - zero_point
    high = (highest if high is None else high) - zero_point
    lowest, highest = limits(dtypes.INT32)
    context.emit(
        "rescale.eval_integers",
        RESCALE,
        source.elements(),
        source.elements() * 8,
        input=source,
        output=target,
        input_type=TYPES[source.dtype],
        output_type=TYPES[target.dtype],
        input_zero_point=source.zero_point(),
        output_zero_point=zero_point,
        # Limits before the zero point is added, so that the sum cannot overflow.
        lowest=max(lowest, low),
        highest=min(highest, high),
        multiplier=multiplier[0],
        shift=min(multiplier[1], _MAX_SHIFT),
        negative_multiplier=negative[0],
        negative_shift=min(negative[1], _MAX_SHIFT),
        negate=negate,
    )
