# tflm: SVDF: Prepare (TFLM svdf_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    limits,
    scale_of,
    support_scale,
)
from .elementwise import CLAMP

_OPERANDS = ("input", "weights_feature", "weights_time", "bias", "state", "output")
_SIZES = ("input_size", "memory_size", "rank", "units_in_batch")
INT8 = (
    _OPERANDS
    + ("scratch",)
    + _SIZES
    + (
        "block",
        "feature_offsets",
        "state_zero_point",
        "state_bits",
        "feature_multiplier",
        "feature_shift",
        "output_multiplier",
        "output_shift",
    )
    + CLAMP
)
FLOAT32 = _OPERANDS + ("sum",) + _SIZES + ("activation", "low", "high")

_OPTIONS = const(6)  # SVDFOptions
_RANK = const(0)
_FUSED_ACTIVATION_FUNCTION = const(1)
_ASYMMETRIC_QUANTIZE_INPUTS = const(2)
_FILTERS = 64  # filters of a block, unless the rank is larger
_TAPS = 64  # words that kernels/matrix.py unpacks the input to
_BIAS_TOLERANCE = (5902958103587057, -69)  # 1e-5 as C's double


# `rank` filters form a unit.
def output_shapes(node):
    rank = node.options(_OPTIONS).get(_RANK, "i")
    check(rank > 0, node, "its rank is %d" % rank)
    return [(node.input(0).shape[0], node.input(1).shape[0] // rank)]


def prepare(context, node):
    source = node.input(0)
    options = node.options(_OPTIONS)
    fields = _sizes(node, options.get(_RANK, "i"))
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8)
    check_dtype(node, node.output(0), source.dtype)
    if source.dtype == dtypes.FLOAT32:
        if node.input(1).dtype == dtypes.INT8:
            from .svdf_hybrid import emit_features

            asymmetric = options.get(_ASYMMETRIC_QUANTIZE_INPUTS, "B") != 0
            emit_features(context, node, fields, asymmetric)
        from .svdf_float import emit_svdf

        emit_svdf(context, node, FLOAT32, fields, options.get(_FUSED_ACTIVATION_FUNCTION, "b"))
        return
    check_dtype(node, node.input(1), source.dtype)
    _prepare_int8(context, node, fields)


# Return the fields of the operands and _SIZES, after checking all shapes.
def _sizes(node, rank):
    source, features, times = node.input(0), node.input(1), node.input(2)
    bias, state, target = node.optional_input(3), node.input(4), node.output(0)
    check(len(node.inputs) == 5 and len(node.outputs) == 1, node, "it must have 5 inputs")
    for tensor in (source, features, times, state):
        check(len(tensor.shape) == 2, node, "%s must have 2 dimensions" % tensor)
    batches, size = source.shape
    filters, memory = features.shape[0], times.shape[1]
    check(rank > 0 and filters % rank == 0, node, "%d filters have no rank %d" % (filters, rank))
    check(memory > 0, node, "%s has no memory" % times)
    check_outputs(node, output_shapes(node), "%s should be %s")
    units = filters // rank
    for tensor, shape in (
        (features, (filters, size)),
        (times, (filters, memory)),
        (state, (batches, memory * filters)),
    ):
        check(tensor.shape == shape, node, "%s should be %s" % (tensor, list(shape)))
    if bias is not None:
        check(bias.elements() == units, node, "%s should have %d elements" % (bias, units))
    check_state(node, state)
    return {
        "input": source if size else None,
        "weights_feature": features if size else None,
        "weights_time": times,
        "bias": bias,
        "state": state,
        "output": target,
        "input_size": size,
        "memory_size": memory,
        "rank": rank,
        "units_in_batch": units,
    }


# Refuse a state that is not kept between invokes, or that cannot be written.
def check_state(node, tensor):
    check(tensor.is_variable, node, "%s must be a variable tensor" % tensor)


def _prepare_int8(context, node, fields):
    source, times, state = node.input(0), node.input(2), node.input(4)
    bias, target = node.optional_input(3), node.output(0)
    check_dtype(node, times, dtypes.INT8, dtypes.INT16)
    check_dtype(node, state, times.dtype)
    if bias is not None:
        check_dtype(node, bias, dtypes.INT32)
    for tensor in (source, node.input(1), times, state, target):
        check_quantized(node, tensor)
    feature, output = _multipliers(node, bias)
    outputs, size, rank = target.elements(), fields["input_size"], fields["rank"]
    block = max(1, min(outputs, _FILTERS // rank))
    low, high = limits(dtypes.INT8)
    context.emit(
        "svdf.eval_int8",
        INT8,
        outputs,
        outputs * rank * (size + 2 * fields["memory_size"]),
        scratch=context.request_scratch_buffer(4 * (block * rank + min(size, _TAPS))),
        block=block,
        # The zero point of the weights is ignored: 128 compensates for their flipped top bit.
        feature_offsets=source.zero_point() + 0x80 | 0x80 << 16,
        state_zero_point=state.zero_point(),
        state_bits=16 if times.dtype == dtypes.INT16 else 8,
        feature_multiplier=feature[0],
        feature_shift=feature[1] + 32,
        output_multiplier=output[0],
        output_shift=output[1] + 32,
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        **fields,
    )


# Return input scale * weights' scale / state scale, and state scale * weights' scale / output
# scale, in double. TFLM refuses a bias with another scale than the latter product.
def _multipliers(node, bias):
    source, features, times = node.input(0), node.input(1), node.input(2)
    state, target = node.input(4), node.output(0)
    product = scale.multiply(scale_of(source), scale_of(features))
    feature = scale.quantize_multiplier(scale.divide(product, scale_of(state)))
    product = scale.multiply(scale_of(state), scale_of(times))
    output = scale.quantize_multiplier(scale.divide(product, scale_of(target)))
    if bias is not None:
        m, e = scale.add(product, (0 - scale_of(bias)[0], scale_of(bias)[1]))
        check(
            scale.less((abs(m), e), _BIAS_TOLERANCE),
            node,
            "%s must have the state's scale times its weights' scale" % bias,
        )
    for tensor, (_, shift) in ((state, feature), (target, output)):
        support_scale(shift < 31, node, tensor)
    return feature, output
