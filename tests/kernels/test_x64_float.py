# Tests of the machine code for x86-64 on float32 against TFLM: every bit, with SSE2, AVX and AVX2
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases, modules_for_level, portable_modules
from support.inputs import generator
from support.oracle import shared_oracle
from support.runner import Job, run
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import flatten

from tests.kernels.test_conv_float import conv
from tests.kernels.test_depthwise_conv_float import depthwise
from tests.kernels.test_fully_connected_float import fully_connected
from tests.kernels.test_pooling_float import pool
from tests.kernels.test_unidirectional_sequence_lstm import floating as lstm

LEVELS = (0, 1, 2)  # SSE2, AVX, AVX2, where the processor has it


# Values of a kind that a kernel must not treat like others.
def values(kind, shape):
    random = generator(f"{kind} {shape}")
    x = random.standard_normal(shape).astype(np.float32)
    flat = x.reshape(-1)
    count = flat.size
    with np.errstate(over="ignore"):
        _change(kind, flat, count, random)
    return x


def _change(kind, flat, count, random):
    if kind == "subnormal":
        flat *= np.float32(1e-39)
    elif kind == "zeros":
        flat[random.random(count) < 0.5] = 0
        flat[random.random(count) < 0.3] = -0.0
    elif kind == "infinite":
        flat[random.random(count) < 0.05] = np.inf
        flat[random.random(count) < 0.05] = -np.inf
    elif kind == "nan":
        flat[random.random(count) < 0.03] = np.nan
    elif kind == "overflow":
        flat *= np.float32(1e38)
    elif kind == "cancelling":
        half = count // 2
        flat[half : 2 * half] = -flat[:half] * np.float32(1 + 2**-22)
        flat *= np.exp2(random.integers(-12, 13, count)).astype(np.float32)


KINDS = ("subnormal", "zeros", "infinite", "nan", "overflow", "cancelling", "normal")

# Channels are 1 less, as many, and 1 more than vectors have; images are 1 to 9 pixels wide.
models = {}
for channels in (1, 3, 4, 5, 8, 9, 16, 17, 33):
    models[f"dense {channels}"] = fully_connected((3, 37), channels)
    models[f"conv {channels}"] = conv((1, 5, 7, 3), channels, (3, 3), activation="RELU6")
    models[f"depthwise {channels}"] = depthwise((1, 5, 6, channels), (3, 3), activation="RELU")
    for operator in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        models[f"{operator} {channels}"] = pool(operator, (1, 5, 6, channels), (3, 2), (2, 1))
for width in range(1, 10):
    models[f"conv width {width}"] = conv((2, 3, width, 4), 10, (2, 3))
    models[f"conv 1x1 width {width}"] = conv((2, 3, width, 4), 10, (1, 1))
models["conv in groups"] = conv((1, 4, 5, 6), 9, (3, 2), groups=3)
models["conv dilated"] = conv((1, 9, 9, 2), 5, (3, 3), dilation=(2, 3))
models["conv stride"] = conv((1, 9, 11, 3), 9, (3, 3), (2, 2), padding="VALID")
models["depthwise of one channel"] = depthwise((1, 6, 7, 1), (3, 3), 12)
models["depthwise multiplier"] = depthwise((1, 4, 5, 3), (3, 3), 2)
models["depthwise dilated"] = depthwise((1, 9, 9, 9), (3, 3), dilation=(2, 3))
models["dense of many batches"] = fully_connected((70, 5), 12)
models["softmax"] = single_op(
    "SOFTMAX", [Tensor((5, 19), "float32")], [Tensor((5, 19), "float32")], beta=1.0
)
# Their curves are not TFLM's, bit by bit: the portable kernels say what is right.
for name in ("LOGISTIC", "TANH", "ELU"):
    models[name] = single_op(name, [Tensor((3, 37), "float32")], [Tensor((3, 37), "float32")])
curved = {"softmax", "LOGISTIC", "TANH", "ELU"}
for state in (1, 7, 8, 11, 33):
    options = {"size": 9, "state": state, "steps": 3, "batches": 2}
    if state == 11:
        options |= {"time_major": True, "cell_clip": 0.3}
    models[f"LSTM {state}"] = lstm(**options)
    curved.add(f"LSTM {state}")


# Outputs of all models: equal bits, or both NaN.
def test_bits():
    jobs, wanted = [], []
    for name, model in models.items():
        shape = _input_shape(model)
        inputs = [[values(kind, shape)] for kind in KINDS]
        raw = [[array.tobytes() for array in each] for each in inputs]
        repeat = "reset" if name.startswith("LSTM") else "invoke"
        job = Job(name, flatten(model), raw, slices=(1, 3), repeat=repeat)
        if name in curved:
            (outcome,) = run([job], modules=portable_modules())
            wanted.append([each[0] for each in outcome.outputs])
        else:
            outputs = shared_oracle().run(model, inputs)
            wanted.append([each[0].tobytes() for each in outputs])
        jobs.append(job)
    for level in LEVELS:
        outcomes = run(jobs, modules=modules_for_level(level))
        for job, outcome, outputs in zip(jobs, outcomes, wanted, strict=True):
            assert outcome.kind == "ok" and not outcome.problems, (job.name, outcome)
            for kind, (raw,), expected in zip(KINDS, outcome.outputs, outputs, strict=True):
                got, bits = (np.frombuffer(each, np.uint32) for each in (raw, expected))
                same = got == bits
                same |= np.isnan(got.view(np.float32)) & np.isnan(bits.view(np.float32))
                assert same.all(), (job.name, kind, level, np.argwhere(~same)[:4])


# Weights that are infinite or NaN: TFLM does not multiply them with padding.
def special(operator, weights_shape, **options):
    weights = values("infinite", weights_shape)
    weights.reshape(-1)[:2] = np.nan
    target = (1, 5, 6, weights_shape[0] if operator == "CONV_2D" else weights_shape[3])
    return single_op(
        operator,
        [Tensor((1, 5, 6, 4), "float32"), Tensor(weights_shape, "float32", weights)],
        [Tensor(target, "float32")],
        padding="SAME",
        stride_h=1,
        stride_w=1,
        **options,
    )


cases = Cases()
cases.add("CONV_2D with infinite weights", special("CONV_2D", (9, 3, 3, 4)), paths=("flat",))
model = special("DEPTHWISE_CONV_2D", (1, 3, 3, 4), depth_multiplier=1)
cases.add("DEPTHWISE_CONV_2D with infinite weights", model, paths=("flat",))


@cases.parametrize
def test_infinite_weights(case):
    case.check()


# The shape of a model's only input.
def _input_shape(model):
    from support.model_info import input_infos

    (info,) = input_infos(model)
    return info.shape
