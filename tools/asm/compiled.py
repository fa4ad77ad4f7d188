# The kernels that are compiled: portable kernels, and the ones that kernels/ has in the language
# MIT license; Copyright (c) 2026 the tflm authors

# A line is a function of modules/tflm/kernels and the machines (language/machines) that it is
# compiled for. make.py writes it to kernels/<machine>/gen/, where the resolver finds it. Its
# source is tools/asm/kernels/FILE.py, in the kernel language, if this file exists, and
# otherwise the portable viper kernel, as for machines for which a function of kernels/FILE.py
# returns None. A kernel is here if its machine code is faster than what ran
# before. Overrides of armv7em also serve armv7emsp; overrides of armv6m serve all Cortex-M.
#
# A line of FUNCTIONS is a viper function of another package and its machines. Its machine code is
# in kernels/<machine>/gen/PACKAGE_FILE_asm.py; use_machine_code() replaces the function.

from functools import cache
from importlib import import_module
from pathlib import Path

from .language.calls import first_name, function_wrapper, in_lines, wrapper
from .language.machines import MACHINES
from .language.viper import translate, translate_function
from .language.viper_file import ViperFile
from .x64.helpers import machine as x64_machine

TABLE = """
activations_float.eval_float32 armv6m armv7em rv32imc xtensawin x64
add.eval_int8 armv6m armv7em rv32imc xtensawin x64
add_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
add_table.eval_int8 armv6m armv7em rv32imc xtensawin x64
arg_min_max.eval_int8 armv6m armv7em rv32imc xtensawin x64
arg_min_max_float.eval_float32 armv6m armv7em rv32imc xtensawin
arithmetic_float.eval_float32 x64
attention.eval_int8 armv6m armv7em rv32imc xtensawin x64
batch_matmul.eval_int8 armv6m armv7em rv32imc xtensawin x64
batch_matmul_float.eval_float32 x64
batch_matmul_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
cast.eval_integers armv6m armv7em rv32imc xtensawin x64
cast_float.eval_from_float32 armv6m armv7em rv32imc xtensawin
cast_float.eval_to_float32 armv6m armv7em rv32imc xtensawin
comparisons.eval_bytes armv6m armv7em rv32imc xtensawin x64
conv.eval_int8 armv6m armv7em rv32imc xtensawin
conv_float.eval_float32 armv7emsp xtensawin
conv_int16.eval_int16 armv6m armv7em rv32imc xtensawin
conv_int16_dsp.eval_int16 armv7em
cumsum.eval_int8 armv6m armv7em rv32imc xtensawin x64
dense.eval_bytes armv6m
dense_lut.eval_int8 armv6m
depthwise_column.eval_int8 armv6m x64
depthwise_conv.eval_int8 armv6m armv7em rv32imc xtensawin
depthwise_conv_dsp.eval_planes_3x3_int8 armv7em
depthwise_conv_dsp.eval_planes_3x3_stride_2_int8 armv7em
depthwise_conv_dsp.eval_planes_int8 armv7em
depthwise_conv_float.eval_float32 armv7emsp xtensawin x64
depthwise_conv_int16.eval_int16 armv6m armv7em rv32imc xtensawin
depthwise_conv_lanes.eval_3x3_int8 armv6m rv32imc xtensawin
depthwise_conv_lanes.eval_3x3_stride_2_int8 armv6m rv32imc xtensawin
depthwise_conv_lanes.eval_int8 armv6m rv32imc xtensawin
dequantize.eval_integers armv6m armv7em armv7emsp rv32imc xtensawin
div.eval_int8 armv6m armv7em rv32imc xtensawin x64
fully_connected.eval_int8 rv32imc xtensawin
fully_connected_dsp.eval_int8 armv7em
fully_connected_float.eval_float32 armv7emsp xtensawin
fully_connected_int16.eval_int16 armv6m armv7em rv32imc xtensawin
fully_connected_lanes.eval_int8 armv6m rv32imc xtensawin
gelu_float.eval_float32 armv6m armv7em rv32imc xtensawin
gru_float.eval_float32 x64
hard_swish_float.eval_float32 armv7emsp x64
int16_table.eval_int16 armv6m armv7em rv32imc xtensawin x64
l2_normalization.eval_int8 armv6m armv7em rv32imc xtensawin x64
l2_normalization_float.eval_float32 x64
leaky_relu_float.eval_float32 x64
log_float.eval_float32 armv6m armv7em rv32imc xtensawin
log_softmax.eval_int8 armv6m armv7em rv32imc xtensawin x64
log_softmax_float.eval_float32 x64
lookup.eval_int16 armv6m armv7em rv32imc xtensawin x64
lookup.eval_int8 armv6m armv7em rv32imc x64
maximum_minimum.eval_int8 armv6m armv7em rv32imc xtensawin x64
maximum_minimum_wide.eval_int16 armv6m armv7em rv32imc xtensawin x64
maximum_minimum_wide.eval_int32 x64
maximum_minimum_wide.eval_int64 x64
mul.eval_int8 armv6m armv7em rv32imc xtensawin x64
mul_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
norm.eval_int8 armv6m armv7em rv32imc xtensawin x64
norm_float.eval_float32 x64
pad.eval armv6m armv7em rv32imc xtensawin x64
pooling.eval_int8 armv6m armv7em rv32imc xtensawin x64
pooling_float.eval_float32 armv7emsp x64
pooling_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
pooling_rows.eval_average_int8 armv6m armv7em rv32imc xtensawin
pooling_rows.eval_int8 armv6m armv7em rv32imc xtensawin
pooling_rows.eval_mean_int8 armv6m armv7em rv32imc xtensawin
prelu.eval_integers armv6m armv7em rv32imc xtensawin x64
prelu_float.eval_float32 x64
quantize.eval_float32 armv6m armv7em armv7emsp rv32imc xtensawin
reduce.eval_int8 armv6m armv7em rv32imc xtensawin x64
reduce_float.eval_float32 x64
reduce_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
reduce_min_max.eval_int8 armv6m armv7em rv32imc xtensawin x64
reduce_min_max_float.eval_float32 armv6m armv7em rv32imc xtensawin
reduce_min_max_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
rescale.eval_integers armv6m armv7em rv32imc xtensawin x64
resize_bilinear.eval_int8 armv6m armv7em rv32imc xtensawin x64
resize_bilinear_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
resize_nearest_neighbor.eval armv6m armv7em rv32imc xtensawin x64
round_float.eval_float32 armv6m armv7em rv32imc xtensawin
rsqrt_float.eval_float32 armv6m armv7em rv32imc xtensawin
sigmoid_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
sign_float.eval_float32 armv6m armv7em rv32imc xtensawin
signal_energy.eval_int16 armv6m armv7em rv32imc xtensawin x64
signal_fft.eval_load armv6m armv7em rv32imc xtensawin x64
signal_fft_auto_scale.eval_bits armv6m armv7em rv32imc xtensawin x64
signal_fft_auto_scale.eval_scaled armv6m armv7em rv32imc xtensawin x64
signal_fft_int16.eval_join armv6m armv7em rv32imc xtensawin x64
signal_fft_int16.eval_split armv6m armv7em rv32imc xtensawin x64
signal_fft_int16.eval_stage armv6m armv7em rv32imc xtensawin x64
signal_filter_bank.eval_uint32 armv6m armv7em rv32imc xtensawin x64
signal_filter_bank_log.eval_uint32 armv6m armv7em rv32imc xtensawin x64
signal_filter_bank_spectral_subtraction.eval_uint32 armv6m armv7em rv32imc xtensawin x64
signal_filter_bank_square_root.eval_uint64 armv6m armv7em rv32imc xtensawin x64
signal_pcan.eval_uint32 armv6m armv7em rv32imc xtensawin x64
signal_window.eval_int16 armv6m armv7em rv32imc xtensawin x64
softmax.eval_int8 armv6m armv7em rv32imc xtensawin x64
softmax_float.eval_float32 x64
softmax_int16.eval_int16 armv6m armv7em rv32imc xtensawin x64
sqrt_float.eval_float32 armv6m armv7em rv32imc xtensawin
squared_difference.eval_integers armv6m armv7em rv32imc xtensawin x64
squared_difference_float.eval_float32 x64
strided_copy.eval armv6m armv7em rv32imc xtensawin x64
svdf.eval_int8 armv6m armv7em rv32imc xtensawin x64
svdf_float.eval_float32 x64
transpose_conv.eval_int16 armv6m armv7em rv32imc xtensawin
transpose_conv.eval_int8 armv6m armv7em rv32imc xtensawin
transpose_conv_float.eval_float32 x64
unidirectional_sequence_lstm.eval_integers rv32imc xtensawin
unpack_int4.eval_int4 armv6m armv7em rv32imc xtensawin x64
"""
FUNCTIONS = """
features/fft._load_pairs armv6m armv7em rv32imc xtensawin
features/fft._run_stages armv7em rv32imc xtensawin
features/fft.power armv7em rv32imc xtensawin
speech/mel.add_squares armv6m armv7em rv32imc xtensawin
speech/mel.add_up armv6m armv7em rv32imc xtensawin
speech/mel.align armv6m armv7em rv32imc xtensawin
speech/mel.filter_mels armv6m armv7em rv32imc xtensawin
speech/mel.load_frame armv6m armv7em rv32imc xtensawin
speech/mel.log_mels armv6m armv7em rv32imc xtensawin
speech/mel.quantize armv6m armv7em rv32imc xtensawin
"""
_PACKAGE = Path(__file__).resolve().parents[2] / "modules" / "tflm"
_KERNELS = _PACKAGE / "kernels"
_SOURCES = Path(__file__).resolve().parent / "kernels"
_MACHINES = {**MACHINES, "x64": x64_machine}


@cache
def functions(machine, table=TABLE):
    """Return {file: [functions]} that are compiled for a machine."""
    files = {}
    for line in table.split("\n"):
        kernel, *machines = line.split() or [""]
        if machine in machines:
            file, _, function = kernel.partition(".")
            files.setdefault(file, []).append(function)
    return files


def is_written(file):
    """Return whether kernels/ has this kernel file in the kernel language."""
    return (_SOURCES / f"{file}.py").is_file()


def kernel_of(file, function, machine):
    """Return the Kernel of a function for a machine: from kernels/, or translated from viper.

    A list of two Kernels: the first one returns 1 if the second one must run.
    """
    if is_written(file) and machine.word_bits == 32:
        module = import_module(f".kernels.{file}", __package__)
        if not hasattr(module, function):
            raise ValueError(f"kernels/{file}.py has no {function}, which TABLE lists")
        kernel = getattr(module, function)(machine)
        if kernel is not None:
            return kernel
    return translate(_KERNELS / f"{file}.py", function, machine)


def compiled(machine, file):
    """Return (what a kernel file is for, the source of its compiled functions)."""
    path = _KERNELS / f"{file}.py"
    about = path.read_text().partition("\n")[0].partition("# tflm: ")[2]
    sources, known = [], {}
    for function in functions(machine)[file]:
        node = ViperFile(path).functions[function]
        if node in known:
            sources.append(f"{function} = {known[node]}\n")
            continue
        known[node] = function
        target = _MACHINES[machine]()
        kernels = kernel_of(file, function, target)
        first, *others = kernels if isinstance(kernels, list) else [kernels]
        if others:
            first.name = first_name(function)
        sources += map(target.compile, [first, *others])
        names = [k.name for k in others]
        sources += filter(None, [wrapper(function, target, *names, output=first.output)])
    return about, "\n\n".join(sources)


def function_of(file, function, machine):
    """Return the Kernel of a function of FUNCTIONS, whose one argument has its arguments.

    WRITTEN of kernels/PACKAGE_FILE.py has those in the kernel language: {(function, machine)}.
    """
    name = file.replace("/", "_")
    if is_written(name):
        written = import_module(f".kernels.{name}", __package__).WRITTEN
        if (function, machine.name) in written:
            return written[function, machine.name](machine)
    return translate_function(_PACKAGE / f"{file}.py", function, machine)


def functions_file(file):
    """Return the name of the generated file of a file of FUNCTIONS."""
    return f"{file.replace('/', '_')}_asm.py"


def compiled_functions(machine, file):
    """Return (what a file of FUNCTIONS is for, the source of its compiled functions)."""
    path = _PACKAGE / f"{file}.py"
    about = path.read_text().partition("\n")[0].rpartition(": ")[2].rstrip(".")
    names, sources = functions(machine, FUNCTIONS)[file], []
    longest = 0
    for name in names:
        target = _MACHINES[machine]()
        node = ViperFile(path).functions[name][1]
        sources.append(target.compile(function_of(file, name, target)))
        sources.append(function_wrapper(node))
        longest = max(longest, len(node.args.args))
    listed = in_lines("FUNCTIONS = (", [f'"{name}"' for name in names], ",)"[len(names) > 1 :])
    return about, "\n\n".join([f"_ARGUMENTS = bytearray({4 * longest})\n{listed}\n", *sources])
