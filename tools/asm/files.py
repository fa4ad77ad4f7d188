# The generated files that compiled.py does not list: machine code that kernel files call, copies
# MIT license; Copyright (c) 2026 the tflm authors

from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).resolve().parent
# {folder in modules/tflm/kernels: its processor cores, for the heads of files}
_CORES = {"armv6m": "Cortex-M0+", "armv7em": "the DSP extension", "rv32imc": "RV32",
          "armv7emsp": "an FPU of single precision", "xtensawin": "Xtensa"}  # fmt: skip
TARGETS = sorted({*_CORES, *(path.parent.name for path in _HERE.glob("*/files.py"))})

# Files of functions in the kernel language. First line: NAME: what it computes. Others: machines
# and functions of kernels/, which return a Kernel of a machine; one file has several functions.
_CALLED = """
broadcast_asm: broadcasts of float32
    armv6m armv7em rv32imc xtensawin: broadcast.expand_kernel
conv_asm: CONV_2D, int8
    armv7em: conv_dsp.gather_kernel,multiply_kernel
float32_asm: float32 arithmetic
    armv6m rv32imc: combine_float.combine_kernel
    armv7emsp: lists_float.elements_kernel,dot_kernel,strided_kernel,limit_kernel,sums_kernel
        rows_float.rows_kernel
    xtensawin: lists_float.elements_kernel,dot_kernel,strided_kernel,limit_kernel
        rows_float.rows_kernel
float_curves_asm: exp, logistic, tanh and ELU, float32
    armv6m armv7emsp rv32imc xtensawin: curves_float.curve_kernel
float_depthwise_asm: DEPTHWISE_CONV_2D, float32
    armv6m rv32imc: depthwise_float.depthwise_kernel
float_lstm_asm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32
    armv6m rv32imc: lstm_float.gates_kernel,cells_kernel
float_pooling_asm: MAX_POOL_2D and AVERAGE_POOL_2D, float32
    armv6m rv32imc: pools_float.maximum_kernel,average_kernel
float_windows_asm: CONV_2D and FULLY_CONNECTED, float32
    armv6m rv32imc: windows_float.windows_kernel
hybrid_asm: float32 operators with int8 weights
    armv6m rv32imc: hybrid_sums.sums_kernel hybrid_outputs.finish_kernel
    armv7emsp: hybrid_sums.sums_kernel hybrid_fpu.finish_kernel
    xtensawin: hybrid_sums_mac16.sums_kernel hybrid_fpu.finish_kernel
hybrid_depthwise_asm: DEPTHWISE_CONV_2D, float32 with int8 weights
    armv6m armv7emsp rv32imc xtensawin: hybrid_depthwise.depthwise_kernel
hybrid_quantize_asm: float32 to int8 with a scale for each batch
    armv6m armv7emsp rv32imc xtensawin: hybrid_quantize.find_scale_kernel,quantize_kernel
lanes_asm: CONV_2D and FULLY_CONNECTED, int8, in lanes
    armv6m rv32imc xtensawin: lanes_gather.gather_kernel,gather_bytes_kernel
        lanes_multiply.multiply_kernel
lstm_asm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16
    armv6m: lstm_integer_thumb.rows_kernel,wide_rows_kernel
    armv7em: lstm_integer_dsp.rows_kernel,wide_rows_kernel
lstm_float_fpu_asm: UNIDIRECTIONAL_SEQUENCE_LSTM, float32
    armv7emsp xtensawin: lstm_float_fpu.gates_kernel,cells_kernel,outputs_kernel
mac16_asm: CONV_2D and FULLY_CONNECTED, int8, by MAC16
    xtensawin: lanes_gather.gather_flipped_kernel,gather_bytes_flipped_kernel
        mac16_multiply.multiply_kernel
mac16_depthwise_asm: DEPTHWISE_CONV_2D, int8, 3x3, by MAC16
    xtensawin: mac16_depthwise.plane_kernel,rows_kernel,rows_stride_2_kernel
matrix_asm: rows of unpacked int8 weights times a vector
    armv6m: matrix_rows.dot_kernel
pooling_float_asm: pools of float32
    xtensawin: pooling_float.eval_float32
resize_bilinear_float_asm: RESIZE_BILINEAR, float32
    armv7emsp: resize_bilinear_float.blend_kernel
softmax_float_asm: SOFTMAX, float32
    armv7emsp: softmax_float.differences_kernel,quotients_kernel
"""

# Files that have the same text in the folders of other machines, and call other machine code.
_COPIES = """
armv6m/conv_float.py: rv32imc
armv6m/depthwise_conv_float.py: rv32imc
armv6m/float32.py: rv32imc
armv6m/float32_broadcast.py: armv7em rv32imc xtensawin
armv6m/float32_math.py: armv7emsp rv32imc xtensawin
armv6m/fully_connected_float.py: rv32imc
armv6m/hybrid.py: armv7emsp rv32imc
armv6m/hybrid_quantize.py: armv7emsp rv32imc xtensawin
armv6m/pooling_float.py: rv32imc
armv6m/unidirectional_sequence_lstm_float.py: rv32imc
armv7emsp/unidirectional_sequence_lstm_float.py: xtensawin
rv32imc/conv_lanes.py: armv6m xtensawin
"""


# The module files.py of a folder beside this file.
def _module(folder):
    return import_module(f".{folder}.files", __package__)


def core(folder):
    """Return the name of the processor cores of a target."""
    return _CORES.get(folder) or _module(folder).CORE


def generators(folder):
    """Return {file: (what it computes, functions that each return the source of a function)}."""
    return _module(folder).FILES if (_HERE / folder / "files.py").is_file() else {}


def copies(folder):
    """Return {file: the file of another folder that it is a copy of}."""
    lines = (line.split(": ") for line in _COPIES.split("\n") if line)
    return {path.partition("/")[2]: path for path, to in lines if folder in to.split()}


def called(folder):
    """Return {file: (what it computes, functions that return a Kernel of a machine)}."""
    files = {}
    for line in _CALLED.replace("\n        ", " ").split("\n"):
        key, _, values = line.strip().partition(": ")
        if line[:1] != " ":
            name, about = f"{key}.py", values
        elif folder in key.split():
            files[name] = about, [f for each in values.split() for f in _functions(each)]
    return files


# The functions of "MODULE.FUNCTION,FUNCTION...".
def _functions(text):
    module, _, names = text.partition(".")
    module = import_module(f".kernels.{module}", __package__)
    return [getattr(module, name) for name in names.split(",")]
