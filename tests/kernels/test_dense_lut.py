# Tests of layers whose weights are indices of at most 16 values, for the target armv6m
# MIT license; Copyright (c) 2026 the tflm authors

from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from support.check import Cases
from support.inputs import generator
from support.kernel_tests import module_of
from support.single_op import Tensor, single_op
from tflm_tools.errors import ToolError
from tflm_tools.flat.conversion import flatten_file
from tflm_tools.flat.flatten import prepare
from tflm_tools.optimize.passes import passes_without
from tflm_tools.render.results import print_conversion

TARGET = "armv6m"
COMPRESSED = (TARGET + " compressed",)
cases = Cases()


def clustered(name, shape, values=16, each=False, limit=127):
    """Return random int8 weights with `count` values: in all, or of each output channel."""
    random = generator(f"clustered {name}")
    rows = shape[0] if each else 1
    tables = [random.choice(2 * limit + 1, values, False) - limit for _ in range(rows)]
    indices = random.integers(0, values, (shape[0], int(np.prod(shape[1:]))))
    return np.array([tables[i % rows][row] for i, row in enumerate(indices)]).reshape(shape)


def dense(name, source, channels, activation="NONE", bias=True, int4=False, **how):
    """A FULLY_CONNECTED with clustered weights and a scale for all channels or for each."""
    depth = source[-1]
    random = generator(f"dense {name}")
    limit = 7 if int4 else 127
    weights = clustered(name, (channels, depth), limit=limit, **how)
    scales = 2.0 ** random.uniform(-1, 1, channels if how.get("each") else 1) * 0.02
    tensors = [
        Tensor(source, "int8", scale=0.05, zero_point=-7),
        Tensor((channels, depth), "int4" if int4 else "int8", weights, scale=scales, zero_point=0),
    ]
    if bias:
        numbers = random.integers(-3000, 3000, channels)
        tensors.append(Tensor((channels,), "int32", numbers, scale=0.05 * scales, zero_point=0))
    y = Tensor((source[0], channels), "int8", scale=0.01 * np.sqrt(depth) * limit / 40,
               zero_point=3)  # fmt: skip
    return single_op("FULLY_CONNECTED", tensors, [y], fused_activation_function=activation)


def conv(name, source, filters, **how):
    """A CONV_2D whose window is its whole input, with clustered weights."""
    random = generator(f"conv {name}")
    weights = clustered(name, (filters, *source[1:]), **how)
    scales = np.full(filters, 0.02)
    quantization = {"scale": scales, "zero_point": 0, "quantized_dimension": 0}
    x = Tensor(source, "int8", scale=0.05, zero_point=-7)
    w = Tensor(weights.shape, "int8", weights, **quantization)
    numbers = random.integers(-3000, 3000, filters)
    b = Tensor((filters,), "int32", numbers, scale=0.05 * scales, zero_point=0)
    y = Tensor((source[0], 1, 1, filters), "int8", scale=0.4, zero_point=-3)
    options = {"stride_h": 1, "stride_w": 1, "padding": "VALID"}
    return single_op("CONV_2D", [x, w, b], [y], **options)


MODELS = {
    "one table": dense("one table", (1, 640), 33),
    "ends within an eight": dense("ends within an eight", (1, 244), 30, activation="RELU"),
    "rows that begin anywhere": dense("rows that begin anywhere", (3, 405), 29, bias=False),
    "a table each": dense("a table each", (1, 640), 11, each=True),
    "a table each, rows": dense("a table each, rows", (2, 405), 6, each=True),
    "few values": dense("few values", (1, 320), 9, values=2, each=True),
    "one value": dense("one value", (1, 320), 9, values=1),
    "a window": conv("a window", (1, 5, 3, 24), 21),
    "a window each": conv("a window each", (2, 7, 7, 12), 7, each=True),
}
INT4 = {
    "int4": dense("int4", (1, 200), 31, values=15, int4=True),
    "int4 of an odd depth": dense("int4 odd", (2, 37), 50, values=15, int4=True, bias=False),
}
for name, model in MODELS.items():
    cases.add(name, model, paths=COMPRESSED)
# Cases of the other test files: int4 weights, and TFLM_DECODE with a table.
for case in module_of("test_unpack_int4").cases:
    if not case.error and case.name.startswith(("extreme", "source")):
        cases.add(f"other {case.name}", case.build, runs=1, paths=("saved " + TARGET,))
for case in module_of("test_decode").cases:
    if case.name in ("FULLY_CONNECTED", "CONV_2D"):
        cases.add(f"decode {case.name}", case.build(), runs=1, paths=("saved " + TARGET,))
for name, model in INT4.items():
    cases.add(name, model, paths=("saved " + TARGET, "flat"))


@cases.parametrize
def test_dense_lut(case):
    case.check()


# Return the kernels that a flat model calls.
def kernels(model, **options):
    _, storage = prepare(model, target=TARGET, **options)
    return {record.kernel for record in storage.records}


@pytest.mark.parametrize("name", MODELS)
def test_compress_weights_uses_indices(name):
    assert kernels(MODELS[name], compress_weights=True) == {"dense_lut.eval_int8"}
    assert kernels(MODELS[name]) != {"dense_lut.eval_int8"}


@pytest.mark.parametrize("name", INT4)
def test_weights_of_int4_stay_in_four_bits(name):
    assert kernels(INT4[name], passes=passes_without()) == {"dense_lut.eval_int8"}


def test_tables_are_not_decoded_when_invoked():
    (model,) = (c.build() for c in module_of("test_decode").cases if c.name == "CONV_2D")
    assert not any("decode" in kernel for kernel in kernels(model, passes=passes_without()))


def test_unsuitable_layers_are_not_compressed():
    many = dense("17 values", (1, 640), 20, values=17)
    assert "dense_lut.eval_int8" not in kernels(many, compress_weights=True)
    small = dense("tables would take more time", (1, 64), 20, each=True)
    assert "dense_lut.eval_int8" not in kernels(small, compress_weights=True)
    few = dense("less flash than the table is RAM", (1, 256), 4)
    assert "dense_lut.eval_int8" not in kernels(few, compress_weights=True)
    flash = kernels(MODELS["one table"], compress_weights=True, miss=0)
    assert "dense_lut.eval_int8" not in flash


def test_flatten_reports_compressed_layers(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(MODELS["a table each"])
    plain = flatten_file(path, None, target=TARGET)
    result = flatten_file(path, None, target=TARGET, compress_weights=True)
    (layer,) = result.compressed
    assert (layer.node, layer.values, layer.each_channel) == (0, 16, True)
    assert layer.bytes < layer.int8_bytes and layer.cycles < layer.int8_cycles
    assert plain.compressed == [] and plain.flat_bytes > result.flat_bytes
    console = Console(file=StringIO(), width=100)
    print_conversion(result, console)
    assert "16 a channel" in console.file.getvalue()
    with pytest.raises(ToolError, match="--compress-weights requires --target armv6m"):
        flatten_file(path, None, compress_weights=True)
