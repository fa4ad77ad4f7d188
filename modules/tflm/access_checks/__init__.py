# tflm: extents: what the records of a .tflm make kernels touch, before any of them runs
# MIT license; Copyright (c) 2026 the tflm authors

# Kernels check nothing: they go where the numbers of their records send them. Prepare writes only
# records that keep them inside; a .tflm may have been written by somebody else. Each family of
# kernels has a file here, which computes from a record what its kernel reads and writes at most.
# A kernel that is in no file runs only in a .tflm that is trusted.

from .. import format as layout
from ..dtypes import nbytes
from ..errors import ModelError
from .bands import BANDS_KERNEL, made_records
from .record import Record

# File of a kernel: the file here that knows it, where that has another name. `make tables` writes
# this from the kernels' heads.
_FAMILIES = {
    "activations_float": "unary_float",
    "add": "binary",
    "add_int16": "binary",
    "add_int32": "binary_wide",
    "add_table": "binary",
    "arg_min_max": "axis",
    "arg_min_max_float": "axis",
    "arithmetic_float": "binary_wide",
    "atan2_float": "binary_wide",
    "batch_matmul_float": "batch_matmul",
    "batch_matmul_int16": "batch_matmul",
    "broadcast_args": "indices",
    "cast": "unary",
    "cast_float": "unary_float",
    "circular_buffer": "signal",
    "comparisons": "binary",
    "comparisons_float": "binary_wide",
    "comparisons_wide": "binary_wide",
    "conv": "convolution",
    "conv_dsp": "dsp",
    "conv_float": "convolution_float",
    "conv_int16": "convolution_int16",
    "conv_lanes": "lanes",
    "conv_mac16": "lanes",
    "conv_unsigned": "unsigned",
    "copy": "movers",
    "cumsum": "axis",
    "cumsum_float": "axis",
    "decode_huffman": "decode",
    "decode_lut": "decode",
    "decode_prune": "decode",
    "depthwise_column": "columns",
    "depthwise_conv": "convolution",
    "depthwise_conv_dsp": "dsp",
    "depthwise_conv_float": "convolution_float",
    "depthwise_conv_int16": "convolution_int16",
    "depthwise_conv_lanes": "planes",
    "depthwise_conv_mac16": "planes",
    "dequantize": "unary",
    "detection_postprocess": "detection",
    "detection_suppression": "detection",
    "div": "binary",
    "div_float": "binary_wide",
    "div_int32": "binary_wide",
    "elu_float": "unary_float",
    "exp_float": "unary_float",
    "fill": "movers",
    "float16": "unary_float",
    "floor_div_float": "binary_wide",
    "floor_div_wide": "binary_wide",
    "floor_mod_int64": "binary_wide",
    "fully_connected": "convolution",
    "fully_connected_bands": "connected_bands",
    "fully_connected_bands_float": "connected_bands",
    "fully_connected_dsp": "dsp",
    "fully_connected_float": "convolution_float",
    "fully_connected_int16": "convolution_int16",
    "fully_connected_lanes": "lanes",
    "fully_connected_mac16": "lanes",
    "gather": "indices",
    "gelu_float": "unary_float",
    "hard_swish_float": "unary_float",
    "hybrid_quantize": "hybrid",
    "l2_normalization": "softmax",
    "l2_normalization_float": "softmax",
    "leaky_relu_float": "unary_float",
    "log_float": "unary_float",
    "log_softmax": "softmax",
    "log_softmax_float": "softmax",
    "logistic_float": "unary_float",
    "lookup": "unary",
    "maximum_minimum": "binary",
    "maximum_minimum_float": "binary_wide",
    "maximum_minimum_wide": "binary_wide",
    "mul": "binary",
    "mul_int16": "binary",
    "mul_int32": "binary_wide",
    "one_hot": "indices",
    "pad": "movers",
    "pooling_float": "pooling",
    "pooling_int16": "pooling",
    "pooling_rows": "pooling",
    "pooling_rows_float": "pooling",
    "pooling_unsigned": "pooling",
    "pow_float": "binary_wide",
    "pow_int32": "binary_wide",
    "prelu": "binary",
    "prelu_float": "binary_wide",
    "quantize": "unary",
    "reduce_float": "reduce",
    "reduce_int16": "reduce",
    "reduce_min_max": "reduce",
    "reduce_min_max_float": "reduce",
    "rescale": "unary",
    "resize_bilinear_float": "resize_bilinear",
    "resize_nearest_neighbor": "movers",
    "reverse_sequence": "indices",
    "round_float": "unary_float",
    "rsqrt": "unary",
    "rsqrt_float": "unary_float",
    "select": "indices",
    "sigmoid_int16": "sigmoid",
    "sign": "unary_float",
    "sign_float": "unary_float",
    "signal_delay": "signal",
    "signal_energy": "signal",
    "signal_fft": "fft",
    "signal_fft_auto_scale": "signal",
    "signal_fft_int16": "fft",
    "signal_fft_odd_int16": "fft",
    "signal_fft_odd_wide": "fft",
    "signal_fft_wide": "fft",
    "signal_fft_wide_real": "fft",
    "signal_filter_bank": "filter_bank",
    "signal_filter_bank_log": "filter_bank",
    "signal_filter_bank_spectral_subtraction": "filter_bank",
    "signal_filter_bank_square_root": "filter_bank",
    "signal_framer": "signal",
    "signal_overlap_add": "signal",
    "signal_pcan": "filter_bank",
    "signal_stacker": "signal",
    "signal_window": "signal",
    "sin_cos_float": "unary_float",
    "slice": "indices",
    "softmax_float": "softmax",
    "softmax_int16": "softmax",
    "sqrt_float": "unary_float",
    "square_float": "unary_float",
    "squared_difference": "binary",
    "squared_difference_float": "binary_wide",
    "squared_difference_int32": "binary_wide",
    "strided_copy": "movers",
    "svdf": "recurrent",
    "svdf_float": "recurrent",
    "tanh_float": "unary_float",
    "topk": "axis",
    "transpose_conv_float": "transpose_conv",
    "unidirectional_sequence_lstm": "recurrent",
    "unidirectional_sequence_lstm_float": "recurrent",
    "unpack_int4": "decode",
}


# The check of a kernel, or None.
def check_of(kernel):
    if kernel == layout.ROWS_KERNEL:
        return _rows
    file = kernel.split(".")[0][:99]  # MicroPython imports no name of 256 characters
    name = "tflm.access_checks." + _FAMILIES.get(file, file)
    try:
        return __import__(name, None, None, ("CHECKS",)).CHECKS.get(kernel)
    except (ImportError, AttributeError):  # no kernel, or a firmware that has not got it
        return None


# The error for a record that would leave its memory.
def _refuse(i, kernel):
    raise ModelError(
        "the .tflm is damaged: op %d (%s) would reach outside of its memory; flatten or copy the "
        "model again" % (i, kernel)
    )


# Check the records of a FlatModel, and when `describe` what delegates are told of them; raises
# ModelError.
def check_model(model, describe=False, resolver=None):
    _check_inputs(model)
    scratch = model.scratch() if describe else {}
    chains = {}  # list of steps: (number, record) of the op that runs it in bands
    for number in range(model.subgraphs_length()):
        first, count, _, _, _ = model.subgraph(number)
        if number in chains:
            _check_chain(model, first, count, scratch, *chains[number])
            continue
        for i in range(first, first + count):
            kernel, _, _, data, operands, _ = model.op(i)
            record = Record(model, data, operands)
            if not record.units:
                _refuse(i, kernel)
            if kernel == BANDS_KERNEL:
                if record.words < 4 or operands != 1 or record[2] <= number:
                    _refuse(i, kernel)
                chains[record[2]] = (i, data)
            elif kernel.startswith(layout.CUSTOM_KERNEL):
                pass  # tflite/flat_custom.py reads it, and nothing that it does not check
            elif kernel.startswith(layout.CONTROL_KERNEL) and kernel != layout.ROWS_KERNEL:
                if not _passes(_control, record):
                    _refuse(i, kernel)
            else:
                if resolver is not None and check_of(kernel) is None:
                    resolver.kernel(kernel)  # which says what is wrong with most of such names
                _check(i, record, kernel, scratch.get(i, ()))
                if describe and len(record.written) > len(scratch.get(i, ())) + 1:
                    model.alone += (i,)


# Inputs are written by the user: they must lie in the arena.
def _check_inputs(model):
    *_, inputs, _ = model.subgraph()
    for i in range(inputs):
        word, size = model.tensor(i)[:2]
        if size and word & 1:
            raise ModelError(
                "the .tflm is damaged: input %d is a constant; flatten the model again" % i
            )


# Raises ModelError for a record that does not pass its kernel's check, whose scratch buffers, as
# delegates are told, are smaller than what the kernel needs, or whose kernel has no check.
def _check(i, record, kernel, scratch=()):
    check = check_of(kernel)
    if check is None:
        raise ModelError(
            "the .tflm has a kernel that no check knows (op %d, %s); if you made the model "
            "yourself, load it with trusted=True" % (i, kernel)
        )
    if not _passes(check, record, scratch):
        _refuse(i, kernel)


# True when a record passes a check, and what it touches lies within its scratch buffers.
def _passes(check, record, scratch=()):
    try:
        check(record)
        record.settle()
        for operand, size in scratch:
            place = record[operand] >> 2
            start, stop = record.extents.get(operand, (place, place))
            record.need(start == stop or place <= start and stop <= place + size)
        return True
    except ValueError:
        return False


# IF, WHILE and CALL_ONCE run once, by a condition (operand 1); run/control_flow.py checks lists.
def _control(r):
    r.need(r.units == 1)
    r.reads(1, 1)


# Rows of an input are written, so many bytes each, which its Tensor has (run/rows.py).
def _rows(r):
    r.small(r.units, r[2], r.units * r[2])
    _, _, _, dtype, shape, *_ = r.model.tensor(0)
    elements = 1
    for size in shape:
        elements *= size
    r.need(len(shape) > 1 and r[2] * shape[1] == nbytes(dtype, elements))
    r.writes(1, r.units * r[2])


# Records of a chain in bands change in between.
def _check_chain(model, first, count, scratch, control, data):
    for i, kernel, record in made_records(model, first, count, control, data, _refuse):
        _check(i, record, kernel, scratch.get(i, ()))
