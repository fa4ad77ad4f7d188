# Tests of the kernels for x86-64 whose records are rewritten, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.check import Cases, modules_for_level, portable_modules
from support.inputs import generator
from support.runner import REPOSITORY
from support.script import run_script
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import flatten

from tests.kernels.test_conv import conv
from tests.kernels.test_depthwise_conv import depthwise
from tests.kernels.test_fully_connected import dense
from tests.kernels.test_svdf import int8_model as svdf
from tests.kernels.test_unidirectional_sequence_lstm import quantized as lstm

# What a model's steps call: "bound" where a record was rewritten, or the name of the kernel.
_STEPS = """
import sys, tflm
interpreter = tflm.Interpreter(tflm.load(sys.argv[1]))
interpreter.allocate_tensors()
program = interpreter._program
for op, step in zip(program.ops, program.graphs[0]):
    print("bound" if isinstance(step[1], bytearray) else op.kernel)
"""

cases = Cases()
on_device = Cases(modules=REPOSITORY / "modules")
sse = Cases(modules=modules_for_level(0))
bound = {}  # name: model that must get a record of its own
plain = {}  # name: model that must not


# A case that must, or must not, run with a record of its own.
def add(name, model, is_bound=True):
    cases.add(name, model, paths=("flat",))
    (bound if is_bound else plain)[name] = model


# The product of all scales is 1/32: halves are frequent, and negative ones round away from zero.
def with_ties(operator, source, shape, output, axis, **options):
    random = generator(operator)
    x = Tensor(source, "int8", scale=0.5, zero_point=0)
    weights = random.integers(-20, 20, shape, endpoint=True)
    quantized = {"scale": np.full(shape[axis], 0.5), "zero_point": [0] * shape[axis]}
    w = Tensor(shape, "int8", weights, quantized_dimension=axis, **quantized)
    values = random.integers(-400, 400, shape[axis])
    b = Tensor((shape[axis],), "int32", values, scale=np.full(shape[axis], 0.25), zero_point=0)
    y = Tensor(output, "int8", scale=8.0, zero_point=-2)
    return single_op(operator, [x, w, b], [y], **options)


for width in range(1, 8):
    add(f"conv width {width}", conv(f"{width}", source=(1, 3, width, 5), filters=9))
    add(f"depthwise width {width}", depthwise(f"{width}", source=(1, 4, width, 5)))
for step in (1, 2, 3):
    for padding in ("SAME", "VALID"):
        what = {"stride": (step, step), "padding": padding}
        name = f"{step} {padding}"
        add(f"conv stride {name}", conv(name, source=(2, 9, 11, 3), **what))
        add(f"depthwise stride {name}", depthwise(name, source=(2, 9, 11, 3), **what))
        what["window"] = (2, 5)
        add(f"conv 2x5 stride {name}", conv(name, source=(1, 9, 11, 3), **what))
        add(f"depthwise 2x5 stride {name}", depthwise(name, source=(1, 9, 11, 3), **what))
add("conv dilated", conv("", source=(1, 9, 9, 3), window=(1, 3), dilation=(1, 2)))
add("conv groups", conv("", source=(1, 4, 4, 6), filters=4, groups=2))
add("conv groups of one row", conv("", source=(2, 3, 7, 6), filters=15, groups=3, window=(2, 1)))
add("conv dilated rows", conv("", source=(1, 9, 9, 3), dilation=(2, 1)))
add("conv dilated groups", conv("", source=(1, 9, 9, 4), filters=4, groups=2, dilation=(2, 3)))
add("depthwise dilated", depthwise("", source=(1, 9, 9, 3), dilation=(1, 2)))
# The machine code reads cells in pairs; the second cell of the last pair may not exist.
for window, dilation in (((3, 1), 1 << 24), ((1, 1), 1 << 24), ((3, 3), 40), ((2, 5), 20)):
    what = {"source": (1, 5, 95, 3), "window": window, "dilation": (1, dilation)}
    add(f"depthwise {window} dilated by {dilation}", depthwise("", padding="VALID", **what))
add("depthwise large", depthwise("", window=(9, 9), weights=(-128, -120), gain=0.2))
add("dense with a zero point", dense("", zero_point=3))
# Weights so large that the sum of a lane is cut, between and within rows of the window.
for name, source, window, weights in (
    ("rows", (1, 4, 4, 30), (3, 3), (-128, -120)),
    ("one row", (1, 3, 4, 300), (1, 1), (-128, -100)),
    ("segments", (1, 3, 4, 41), (2, 3), (-128, 127)),
    ("largest", (1, 3, 4, 64), (1, 1), (-128, -128)),
):
    add(f"conv cut {name}", conv(name, source=source, window=window, weights=weights, gain=0.2))
for depth in (256, 257, 350, 600):
    name = f"dense cut {depth}"
    add(name, dense(name, (2, depth), 17, weights=(-128, -100), gain=0.2))
for activation in ("RELU", "RELU6"):
    for zero in (-128, 0):
        what = {"activation": activation, "zero_points": (zero, zero)}
        add(f"conv {activation} {zero}", conv("", **what))
        add(f"depthwise {activation} {zero}", depthwise("", **what))
        add(f"dense {activation} {zero}", dense("", **what))
# All inputs give the same output.
for name, parameters in {
    "no weights": {"weights": (0, 0), "gain": 20.0},
    "small scale": {"gain": 1e-5},
}.items():
    add(f"conv {name}", conv(name, **parameters))
    add(f"depthwise {name}", depthwise(name, **parameters))
    add(f"dense {name}", dense(name, **parameters))
add("depthwise of one channel", depthwise("", source=(1, 9, 7, 1), multiplier=8, window=(4, 3)))
add("dense of many outputs", dense("", (3, 40), 50, per_channel=True))
add("dense with outputs far beyond the clamp", dense("", (1, 32), 20, bias=(-(10**9), 10**9)))
strides = {"stride_h": 1, "stride_w": 1, "padding": "SAME"}
add("conv ties", with_ties("CONV_2D", (1, 6, 6, 4), (9, 1, 1, 4), (1, 6, 6, 9), 0, **strides))
add("dense ties", with_ties("FULLY_CONNECTED", (4, 16), (9, 16), (4, 9), 0))
strides["depth_multiplier"] = 1
for side in (1, 3):
    model = with_ties(
        "DEPTHWISE_CONV_2D", (1, 7, 7, 5), (1, side, side, 5), (1, 7, 7, 5), 3, **strides
    )
    add(f"depthwise {side}x{side} ties", model)
for operator in ("ADD", "SUB"):
    tensors = [Tensor((1, 65, 65), "int8", scale=0.03 + i / 90, zero_point=9 - i) for i in (0, 1)]
    y = Tensor((1, 65, 65), "int8", scale=0.05, zero_point=-4)
    add(operator, single_op(operator, tensors, [y], fused_activation_function="RELU"))
    add(f"{operator} of itself", single_op(operator, tensors[:1] * 2, [y]))
# Windows of whole rows; in the second half they go beyond the last one.
for height, stride, padding in ((9, 2, "VALID"), (3, 1, "VALID"), (8, 2, "SAME"), (9, 1, "SAME")):
    what = {"stride": (stride, 1), "padding": padding, "activation": "RELU"}
    name = f"{height} {stride} {padding}"
    rows = {"source": (1, height, 5, 3), "window": (3, 5), "filters": 19}
    add(f"conv of rows {name}", conv(name, **rows | what | {"padding": "VALID"}))
    rows = {"source": (1, height, 1, 40), "window": (3, 1), "filters": 3}
    add(f"conv of pixels {name}", conv(name, **rows, **what))
    rows = {"source": (1, height, 1, 12), "window": (3, 1)}
    add(f"depthwise of pixels {name}", depthwise(name, **rows, **what))
rows = {"source": (1, 3, 1, 400), "window": (3, 1), "padding": "VALID"}
add("conv of rows cut", conv("cut", filters=5, weights=(-128, -120), gain=0.2, **rows))
add(
    "depthwise of many taps",
    depthwise("", source=(1, 300, 1, 4), window=(290, 1), padding="VALID"),
)
add("depthwise of 6 channels", depthwise("", source=(1, 5, 1, 6), window=(5, 1), padding="VALID"))
for name, parameters in {
    "per tensor": {"per_channel": False, "bias": None},
    "extreme": {"weights": (-128, -128), "zero_points": (127, 0)},
    "small scale": {"gain": 1e-5},
    "large biases": {"bias": (-(10**9), 10**9), "gain": 1e-5},
    "no right shift": {"gain": 85.0},
}.items():
    sizes = {"source": (1, 9, 1, 8), "window": (5, 1), "dilation": (2, 1), "padding": "VALID"}
    add(f"depthwise of pixels {name}", depthwise(name, **sizes, **parameters))
strides["depth_multiplier"] = 1
shape, window = (1, 7, 1, 8), (1, 3, 1, 8)
add("depthwise of pixels ties", with_ties("DEPTHWISE_CONV_2D", shape, window, shape, 3, **strides))
strides["padding"] = "VALID"
model = with_ties("DEPTHWISE_CONV_2D", shape, window, (1, 5, 1, 8), 3, **strides)
add("depthwise of pixels ties, inside", model)
# Recurrent ones: the input's last element alone in its sixteen, ranks, zero points, saturation.
for parameters in (
    {"size": 17, "filters": 17, "memory": 1},
    {"batches": 3, "size": 40, "filters": 48, "memory": 7, "rank": 3},
    {"zero_points": (127, 0, -128, 5), "memory": 9},
    {"zero_points": (-128, 0, 127, 5), "scales": (0.05, 0.2, 0.002, 0.0004, 0.01)},
):
    name = " ".join(f"{key}={value}" for key, value in parameters.items())
    add(f"SVDF {name}", svdf(state="int8", **parameters), False)
for parameters in (
    {"batches": 2, "steps": 4, "size": 19, "state": 20},
    {"batches": 2, "time_major": True, "size": 33, "state": 9, "spread": 10**6},
    {"values": lambda shape: np.full(shape, -128), "size": 60, "cell_clip": 0.5},
    {"values": lambda shape: np.full(shape, 127), "zero_points": (-128, -128)},
):
    name = " ".join(f"{key}={value}" for key, value in parameters.items() if key != "values")
    add(f"LSTM {name}", lstm(**parameters))
for source, target in (("int8", "uint8"), ("uint8", "int8"), ("int16", "int8")):
    x = Tensor((3, 11), source, scale=0.03, zero_point=0 if source == "int16" else 7)
    y = Tensor((3, 11), target, scale=0.05, zero_point=9)
    add(f"QUANTIZE {source} {target}", single_op("QUANTIZE", [x], [y]), False)
# A .tflite that is prepared where it runs has the same records.
for name in list(bound)[::9]:
    on_device.add(name, bound[name], paths=("tflite",))
# Processors without AVX2.
for name in bound:
    sse.add(name, bound[name], paths=("flat",), runs=1)
# What boards run has to be right here, too.
portable = Cases(modules=portable_modules())
portable.add("SVDF", svdf(state="int8", size=17, filters=18, rank=2), paths=("flat",))
# What the rewritten records are not for.
add("LSTM int16", lstm("int16"), False)
add("SVDF int16", svdf(), False)
add("conv of a multiplier above 1", conv("", gain=1000.0), False)
add("depthwise multiplier 2", depthwise("", multiplier=2), False)


@cases.parametrize
def test_x64(case):
    case.check()


@sse.parametrize
def test_sse2(case):
    case.check()


@on_device.parametrize
def test_prepared_on_device(case):
    case.check()


@portable.parametrize
def test_portable(case):
    case.check()


# The kernels that a model runs with; empty where this is no x86-64.
def steps(model, folder, heap="16M"):
    path = folder / "model.tflm"
    path.write_bytes(flatten(model))
    arch = "import tflm.micropython_port as o; print(o.native_arch())"
    if run_script(arch).strip() != "x64":
        pytest.skip("this MicroPython is not for x86-64")
    script = folder / "steps.py"
    script.write_text(_STEPS)
    return run_script(script, str(path), heap=heap).split()


@pytest.mark.parametrize("name", list(bound)[::4])
def test_bound(name, tmp_path):
    assert "bound" in steps(bound[name], tmp_path)


@pytest.mark.parametrize("name", plain)
def test_not_bound(name, tmp_path):
    assert "bound" not in steps(plain[name], tmp_path)


# Memory stays for the program where there is little of it.
def test_small_heap(tmp_path):
    assert steps(bound["conv width 7"], tmp_path, "300k") == ["conv.eval_int8"]
