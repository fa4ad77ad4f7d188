# Tests that no level of --optimize changes a result: each level equals "off" byte for byte
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np
import pytest
from support import runner
from support.builder import ModelBuilder
from support.case import Case
from support.check import flat_model_for
from support.inputs import generator
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED

CONVERTED = sorted((Path(__file__).parents[1] / "beyond" / "models").glob("*.tflite"))
# Small models. test_memory_models.py compares the large CNNs with TFLM at each level.
SHARED = (
    "hello_world_float", "hello_world_int8", "keyword_scrambled_8bit", "micro_speech_int8",
    "microwakeword_okay_nabu", "mlperf_kws_int8", "mlperf_resnet8_int8", "mnist_lstm_int8",
)  # fmt: skip
_PATHS = [OFF] + [f"saved {level}" for level in (OFF, SPEED, BALANCED, RAM)]


def _agree(name, model, runs=2):
    case = Case(name, model, inputs="random", runs=runs, slices=(3,))
    values = case.input_lists()
    jobs = [case.job(path, flat_model_for(model, f"flat {path}"), values) for path in _PATHS]
    outcomes = runner.run(jobs)
    for path, outcome in zip(_PATHS, outcomes, strict=True):
        assert outcome.kind == "ok", (path, outcome)
        assert not outcome.problems, path
        assert outcome.outputs == outcomes[0].outputs, f"{path} differs from {OFF}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", CONVERTED, ids=lambda path: path.stem)
def test_converted(path):
    _agree(path.stem, path.read_bytes())


@pytest.mark.parametrize("name", SHARED)
def test_shared(name, shared_models):
    _agree(name, (shared_models / f"{name}.tflite").read_bytes(), runs=1)


# A float32 model with int8 weights, with one scale or with a scale for each channel. The tensors
# inside the model are larger than its input and output, so that bands save memory.
class _Hybrid:
    def __init__(self, name, per_channel):
        self.random, self.per_channel = generator(name), per_channel
        self.model = ModelBuilder(name)
        self.shape = (1, 21, 12, 3)
        self.first = self.last = self.model.tensor(self.shape, "float32")

    def add(self, kind, shape, inputs, **options):
        source, self.shape = self.last, shape
        self.last = self.model.tensor(shape, "float32")
        self.model.operator(kind, [source, *inputs], [self.last], **options)

    def weights(self, shape, axis):
        scales = self.random.uniform(0.002, 0.02, shape[axis] if self.per_channel else 1)
        values = self.random.integers(-127, 128, shape)
        bias = self.random.normal(size=shape[axis])
        return [
            self.model.tensor(
                shape, "int8", values, scale=scales, zero_point=0, quantized_dimension=axis
            ),
            self.model.tensor((shape[axis],), "float32", bias),
        ]

    def conv(self, count, size=3, padding="SAME"):
        _, height, width, depth = self.shape
        less = 0 if padding == "SAME" else size - 1
        inputs = self.weights((count, size, size, depth), 0)
        self.add("CONV_2D", (1, height - less, width - less, count), inputs,
                 stride_h=1, stride_w=1, padding=padding)  # fmt: skip

    def depthwise(self):
        inputs = self.weights((1, 3, 3, self.shape[3]), 3)
        self.add("DEPTHWISE_CONV_2D", self.shape, inputs,
                 stride_h=1, stride_w=1, padding="SAME", depth_multiplier=1)  # fmt: skip

    def pad(self):
        _, height, width, depth = self.shape
        sides = self.model.tensor((4, 2), "int32", np.array([[0, 0], [1, 1], [1, 1], [0, 0]]))
        self.add("PAD", (1, height + 2, width + 2, depth), [sides])

    def pool(self, size):
        _, height, width, depth = self.shape
        self.add("MAX_POOL_2D", (1, height // size, width // size, depth), [],
                 filter_height=size, filter_width=size, stride_h=size, stride_w=size,
                 padding="VALID")  # fmt: skip

    def build(self):
        self.model.io([self.first], [self.last])
        return self.model.build()


def _convolutions(net):
    net.conv(16)
    net.conv(16)
    net.pool(2)


def _separable(net):
    net.conv(16, 1)
    net.depthwise()
    net.pool(3)


# The weights of a filter have 27 bytes, which is not a multiple of 4.
def _padded(net):
    net.pad()
    net.conv(1, padding="VALID")
    net.conv(12)
    net.pool(2)


@pytest.mark.parametrize("per_channel", (False, True))
@pytest.mark.parametrize("build", (_convolutions, _separable, _padded))
def test_hybrid(build, per_channel):
    name = f"hybrid {build.__name__} {per_channel}"
    net = _Hybrid(name, per_channel)
    build(net)
    _agree(name, net.build())
