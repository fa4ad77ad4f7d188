# Tests of the pass float-ends: float32 inputs and outputs are stored as integers
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
from optimize.float_models import SCALE, ZERO_POINT, model, values
from tflm.model import FlatModel
from tflm_tools.check import oracle
from tflm_tools.execution.device_model import invoke
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.arrays import from_bytes, to_bytes
from tflm_tools.model.model_file import open_model
from unit.on_device import device

_SET = """
import struct
interp = tflm.Interpreter(tflm.load(path))
for i in range(interp.inputs_size()):
    x = interp.input(i)
    assert (x.dtype, x.shape, len(x.data)) == ("float32", (1, 6, 8, 4), 192), x
    assert not hasattr(x.data, "decode")
    if how == "quantize":
        x.quantize(values)
    elif how == "bytes":
        data = struct.pack("<%df" % len(values), *values)
        assert len(x.raw) == len(data)
        x.raw[:400] = data[:400]
        x.raw[400:] = data[400:]
    elif how == "slice":
        x.data[:100] = values[:100]
        x.data[100:][:] = values[100:]
    else:
        for k, value in enumerate(values):
            x.data[k] = value
interp.invoke()
y = interp.output(0)
assert y.dtype == "float32"
import json
assert bytes(y.raw) == struct.pack("<%df" % len(y.data), *y.data)
assert (y.raw[5], y.raw[-1]) == (bytes(y.raw)[5], bytes(y.raw)[-1])
found = list(y.data), y.dequantize(), [y.data[k] for k in range(len(y.data))], list(y.data[-9:-1])
assert found[0] == found[1] == found[2] and found[3] == found[0][-9:-1]
print(json.dumps(found[0]))
"""


# Each way to set inputs and to read outputs gives TFLM's numbers bit for bit.
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_programs(tmp_path, dtype):
    tflite = model(f"programs {dtype}", dtype)
    x = values((1, 6, 8, 4))
    if dtype == "int16":
        x = np.where(np.isfinite(x) & (np.abs(x) < 1e4), x, 0).astype(np.float32)
    x[np.isnan(x)] = 0  # undefined in C
    x = np.clip(x, -1e6, 1e6)
    wanted = oracle.run(tflite, [[x]]).outputs[0][0].reshape(-1)
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(tflite))
    for how in ("quantize", "slice", "bytes", "one by one"):
        names = {"path": str(path), "how": how, "values": x.reshape(-1).tolist()}
        found = json.loads(device(_SET, **names)[-1])
        assert np.float32(found).tobytes() == wanted.tobytes(), how
        assert np.float64(np.float32(found)).tolist() == found  # exactly a float32


# QUANTIZE's kernel, a program and the host round alike, even values that are undefined in C.
def test_rounding(tmp_path):
    tflite = model("rounding")
    x = values((1, 6, 8, 4))
    info = open_model("m", flatten(tflite)).inputs[0]
    code = """
        interp = tflm.Interpreter(tflm.load(path))
        interp.input(0).quantize([float(v) for v in values.split()])
        print(bytes(interp.input(0).kept.raw).hex())
        """
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(tflite))
    words = " ".join(map(repr, x.reshape(-1).tolist()))
    found = device(code, path=str(path), values=words)[-1]
    assert bytes.fromhex(found) == to_bytes(x, info)
    kernel = model("kernel", more=lambda net, x, q, y: [q])  # its integers are an output
    whole = open_model("m", flatten(kernel, without=("float-ends",)))
    assert invoke(whole, [[x]]).outputs[0][1].tobytes() == to_bytes(x, info)


# Models with various operators beside the ends, and whether their ends are folded.
def _two_scales(net, x, q, y):
    other = net.tensor((1, 6, 8, 4), 0.11, 3)
    net.builder.operator("QUANTIZE", [x], [other])
    return [net.binary("ADD", other, other)]


def _twice(net, x, q, y):
    other = net.tensor((1, 6, 8, 4), SCALE, ZERO_POINT)
    net.builder.operator("QUANTIZE", [x], [other])
    return [net.binary("ADD", other, other)]


def _read_as_float(net, x, q, y):
    out = net.builder.tensor((1, 6, 8, 4), "float32")
    net.builder.operator("ABS", [x], [out])
    return [out]


def _second_output(net, x, q, y):
    out = net.builder.tensor(net.shapes[y], "float32")
    net.builder.operator("DEQUANTIZE", [y], [out])
    return [out]


MODELS = {  # name: (extra operators, number of inputs, inputs are folded, outputs are folded)
    "plain": (None, 1, [True], [True]),
    "two inputs": (None, 2, [True, True], [True]),
    "two scales": (_two_scales, 1, [False], [True, False]),
    "quantized twice alike": (_twice, 1, [True], [True, False]),
    "read as float32, too": (_read_as_float, 1, [False], [True, False]),
    "integers are an output, too": (lambda net, x, q, y: [q], 1, [False], [True, False]),
    "result is an output, too": (lambda net, x, q, y: [y], 1, [True], [False, False]),
    "two outputs of one": (_second_output, 1, [True], [True, False]),
    "read by another": (lambda net, x, q, y: [net.unary("RELU", y)], 1, [True], [True, False]),
}


# Each model equals TFLM on all paths and levels, and is folded where this does not change results.
@pytest.mark.parametrize("name", MODELS)
def test_where(name, tmp_path):
    more, count, folded_inputs, folded_outputs = MODELS[name]
    tflite = model(name, more=more, inputs=count)
    flat = open_model("m", flatten(tflite))
    assert [t.kept is not None for t in flat.inputs] == folded_inputs
    assert [t.kept is not None for t in flat.outputs] == folded_outputs
    for tensors in (flat.inputs, flat.outputs):
        assert all(t.dtype == "float32" for t in tensors if t.kept)
    x = [np.clip(np.nan_to_num(values(t.shape)), -9, 9) for t in flat.inputs]
    wanted = oracle.run(tflite, [x]).outputs[0]
    for optimize in ("off", "balanced"):
        got = invoke(open_model("m", flatten(tflite, optimize=optimize)), [x]).outputs[0]
        for ours, theirs in zip(got, wanted, strict=True):
            assert ours.tobytes() == theirs.tobytes(), optimize


# The input needs a quarter of its bytes, except with --without float-ends.
def test_arena():
    tflite = model("arena")
    whole, kept = (FlatModel(flatten(tflite, without=w)) for w in (("float-ends",), ()))
    assert whole.tensor(0)[1] == 4 * kept.tensor(0)[1] == 768
    assert kept.arena_bytes < whole.arena_bytes * 0.9


# Bytes that are not whole floats are refused, and files are not read into the integers.
def test_bytes(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(model("bytes")))
    device(
        """
        interp = tflm.Interpreter(tflm.load(path))
        x = interp.input(0)
        def copy(to, start, stop, size):
            to[start:stop] = bytes(size)
        def put(to):
            to[0] = 1
        copy(x.raw, 0, 768, 768)
        for part in ((0, 768, 192), (2, 6, 4), (0, 6, 6)):
            assert "set whole numbers" in raises(InputError, copy, x.raw, *part)
        assert "set whole numbers" in raises(InputError, put, x.raw)
        assert "768 values for 192 elements" in raises(InputError, copy, x.data, 0, 192, 768)
        raises(TypeError, open(path, "rb").readinto, x.raw)
        assert len(x.kept.raw) == 192 and x.kept.dtype == "int8" and x.kept.scale and not x.scale
        raises(InputError, x.quantize, [0.5] * 191)
        """,
        path=str(path),
    )


# The host converts the integers of outputs to float32.
def test_from_bytes():
    info = open_model("m", flatten(model("back"))).outputs[0]
    data = np.arange(info.kept.bytes, dtype=np.uint8).tobytes()
    array = from_bytes(data, info)
    q = np.frombuffer(data, np.int8).astype(np.float32).reshape(info.shape)
    scale = np.float32(info.kept.scale)
    assert array.tobytes() == (scale * (q - np.float32(info.kept.zero_point))).tobytes()
