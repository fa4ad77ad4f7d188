# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16: Prepare (TFLM lstm_eval_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import check_quantized, limits, scale_of, support
from .elementwise import CLAMP
from .lstm import GATES, SIZES, TENSORS
from .sigmoid_int16 import CURVE, LOGISTIC, TANH, curve_fields, sigmoid_table


# Names with a prefix.
def _prefixed(prefix, names):
    return tuple([prefix + name for name in names])


_GATE_NAMES = ("input_gate_", "forget_gate_", "cell_gate_", "output_gate_")
_GATE_WORDS = (
    "offsets",
    "multiplier",
    "shift",
    "recurrent_offsets",
    "recurrent_multiplier",
    "recurrent_shift",
)
_CURVES = ("sigmoid_", "tanh_", "cell_")
INTEGERS = TENSORS + ("entries",) + GATES + SIZES + ("wide", "clip")
for _name in _GATE_NAMES:
    INTEGERS += _prefixed(_name, _GATE_WORDS)
INTEGERS += ("forget_multiplier", "forget_shift", "update_multiplier", "update_shift")
INTEGERS += ("hidden_multiplier", "hidden_shift") + CLAMP
for _name in _CURVES:
    INTEGERS += _prefixed(_name, CURVE)
INTEGERS += ("activation",)

_TAPS = 64  # words that kernels/matrix.py unpacks a vector to
_ELEMENT_WORK = 100  # of an element besides its gates, in multiply-accumulates
_GATE_SCALE = (1, -12)  # of the arguments of sigmoid and tanh
_GATE_OUTPUT_SCALE = (1, -15)
_GATE_LOG = -12
_NO_CLIP = 0x8000
_INFINITY = 0x7F800000


# Write the record; types and shapes agree. `clip` is the limit of the cell state as bits of a
# float32.
def emit_lstm(context, node, fields, clip):
    source, hidden, cell = fields["input"], fields["hidden_state"], fields["cell_state"]
    for tensor in (source, hidden, cell):
        check_quantized(node, tensor)
    size, state_size, block = fields["input_size"], fields["state_size"], fields["block"]
    wide = 1 if source.dtype == dtypes.INT16 else 0
    for k in range(4):
        for tensor, name, vector in (
            (fields[GATES[k]], _GATE_NAMES[k], source),
            (fields[GATES[4 + k]], _GATE_NAMES[k] + "recurrent_", hidden),
        ):
            fields[name + "offsets"] = _offsets(vector, tensor, wide)
            multiplier, shift = _gate_multiplier(node, vector, tensor, wide)
            fields[name + "multiplier"] = multiplier
            fields[name + "shift"] = shift
    _element_fields(node, fields, hidden, cell)
    low, high = limits(hidden.dtype)
    taps = min(_TAPS, max(size, state_size))
    outputs = node.output(0).elements()
    context.emit(
        "unidirectional_sequence_lstm.eval_integers",
        INTEGERS,
        outputs,
        outputs * (4 * (size + state_size) + _ELEMENT_WORK),
        scratch=context.request_scratch_buffer(block * (8 + (8 if wide else 4)) + 4 * taps),
        entries=context.constant(sigmoid_table()),
        wide=wide,
        clip=_clip(clip, scale_of(cell)),
        output_zero_point=hidden.zero_point(),
        activation_min=low,
        activation_max=high,
        **fields,
    )


# Return the argument `offsets` of kernels/matrix.py.
def _offsets(vector, weights, wide):
    offset = (0x8000 if wide else 0x80) + vector.zero_point()
    return offset | 0x80 + weights.zero_point() << 16 | wide << 24


# Return multiplier and shift of one matrix, computed from the product of the scales in double.
# int16 has a multiplier of 15 bits, and one shift for all (MultiplyByQuantizedMultiplier for
# int64).
def _gate_multiplier(node, vector, weights, wide):
    support(weights.scales_length() == 1, node, "%s: several scales" % weights)
    check_quantized(node, weights)
    product = scale.multiply(scale_of(vector), scale_of(weights))
    multiplier, shift = scale.quantize_multiplier(scale.divide(product, _GATE_SCALE))
    support(shift < (15 if wide else 31), node, "%s: so large a scale" % weights)
    if not wide:
        return multiplier, shift + 32
    return min((multiplier + 0x8000) >> 16, 0x7FFF), 15 - shift


# The fields of the products of gates and state, of the gates' two functions and of the cell
# state's function.
def _element_fields(node, fields, hidden, cell):
    m, e = scale_of(cell)
    double = scale.multiply(_GATE_OUTPUT_SCALE, _GATE_OUTPUT_SCALE)
    for name, product, divisor in (
        ("forget", (m, e + _GATE_OUTPUT_SCALE[1]), (m, e)),
        ("update", double, (m, e)),
        ("hidden", double, scale_of(hidden)),
    ):
        multiplier, shift = scale.quantize_multiplier(scale.divide(product, divisor))
        support(shift < 31, node, "so small a state scale")
        fields[name + "_multiplier"] = multiplier
        fields[name + "_shift"] = shift + 32
    shift = _nearest_log2(m, e) - _GATE_LOG
    support(-32 < shift < 15, node, "%s: such a scale" % cell)
    curves = (
        curve_fields(LOGISTIC, 3, 0),
        curve_fields(TANH, 3, 0),
        curve_fields(TANH, 3 << max(shift, 0), max(0 - shift, 0)),
    )
    for prefix, words in zip(_CURVES, curves):
        for name in CURVE:
            fields[prefix + name] = words[name]


# Return the integer nearest to the logarithm of m * 2**e; TFLM treats every cell scale as a power
# of two.
def _nearest_log2(m, e):
    bits = scale.bit_length(m)
    return e + bits - (0 if m * m >> 2 * bits - 1 else 1)


# Return the limit of the cell state in its own units; a clip that is not positive means no limit.
def _clip(bits, cell_scale):
    if not 0 < bits <= _INFINITY:
        return _NO_CLIP
    if bits == _INFINITY:
        return _NO_CLIP - 1
    m, e = scale.divide(scale.from_bits(bits), cell_scale)
    if e < 0:
        m >>= min(0 - e, 64)
        e = 0
    return _NO_CLIP - 1 if e > 15 else min(m << e, _NO_CLIP - 1)
