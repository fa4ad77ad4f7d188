# Tests of input by rows: all kinds of sources give the same outputs as the whole input
# MIT license; Copyright (c) 2026 the tflm authors

import json
from pathlib import Path

import numpy as np
import pytest
from optimize.float_models import model as float_model
from optimize.float_models import values
from optimize.network import Network
from support.inputs import generator
from tflm.model import FlatModel
from tflm_tools.check import oracle
from tflm_tools.check.verify import verify
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from unit.on_device import device


# Convolutions over a picture, with overlapping windows, strides, pools and activations.
def chain(name, height=24, width=16, channels=3, dense=True):
    net = Network(name, (height, width, channels))
    x = net.conv(net.inputs[0], 8, 3, 2)
    x = net.depthwise(x)
    x = net.conv(x, 16, 1)
    x = net.depthwise(x, 3, 2)
    x = net.conv(x, 24, 1)
    return net.build(net.dense(x, 10) if dense else x)


def first(name):
    net = Network(name, (20, 12, 4))
    if name == "pool":
        x = net.pool("MAX_POOL_2D", net.inputs[0], 2)
    elif name == "activation":
        x = net.unary("RELU", net.inputs[0], 0.03, -128)
    elif name == "depthwise":
        x = net.depthwise(net.inputs[0], 5, 2, "VALID")  # no window includes the last row
    else:
        x = net.pad(net.inputs[0], [(1, 1), (1, 1)])
        x = net.conv(x, 6, 3, 1, "VALID")
    return net.build(net.conv(x, 4, 3))


# Convolutions along one dimension, as Keras's converter writes them: rows become columns of a
# picture with one row, or rows of pixels.
def line(name, length=40, channels=8, padding="SAME", dtype="int8", shape=None, dense=True):
    net = Network(name, (length, channels), dtype=dtype)
    size = (3, 1) if shape else (1, 3)
    x = net.reshape(net.inputs[0], shape or (1, 1, length, channels))
    x = net.conv(x, 8, size, 1, padding)
    x = net.depthwise(x, size, 2, padding)
    x = net.conv(x, 12, 1)
    return net.build(net.dense(x, 10) if dense else x)


# Other operators that read rows with another shape.
def reshaped(name):
    net = Network(name, (24, 6))
    x = net.reshape(net.inputs[0], (1, 1, 24, 6))
    if name == "reshaped twice":
        x = net.conv(net.reshape(x, (1, 24, 1, 6)), 4, (3, 1))
    elif name == "pictures of rows":
        x = net.conv(net.reshape(net.inputs[0], (1, 24, 6, 1)), 4, 3)
    elif name == "pool of columns":
        x = net.unary("MAX_POOL_2D", x, shape=(1, 1, 12, 6), filter_height=1, filter_width=2,
                      stride_h=1, stride_w=2, padding="VALID")  # fmt: skip
    else:
        return net.build(net.dense(net.reshape(net.inputs[0], (1, 144)), 3))
    return net.build(net.conv(x, 4, 1))


MODELS = {
    "chain": chain("chain"),
    "narrow": chain("narrow", 40, 4, 4),
    "odd": chain("odd", 20, 7, 3),  # the bytes of a row are not a multiple of 4
    "ends in rows": chain("ends in rows", dense=False),
    **{name: first(name) for name in ("pool", "activation", "depthwise", "pad")},
    "line": line("line"),
    "valid line": line("valid line", 37, 3, "VALID"),  # the bytes of a row are not a multiple of 4
    "single values": line("single values", 61, 1, dense=False),
    "line of pixels": line("line of pixels", 24, 4, shape=(1, 24, 1, 4)),
    **{
        name: reshaped(name)
        for name in ("reshaped twice", "pictures of rows", "pool of columns", "flattened")
    },
}

# Runs every kind of source twice, then sources that fail; prints the outputs.
_SOURCES = """
import io, json
data = bytes.fromhex(data)
interp = tflm.Interpreter(tflm.load(path))
x = interp.input(0)
by_rows = not len(x.raw)
rows = [data[at:at + size] for at in range(0, len(data), size)]
found = []


class Slow:  # a socket gives what it has
    def __init__(self):
        self.at = 0

    def readinto(self, view):
        count = min(len(view), 7)
        view[:count] = data[self.at:self.at + count]
        self.at += count
        return count


def filler():
    at = [0]

    def fill(row):
        for i in range(len(row)):
            value = data[at[0] + i]
            row[i] = value - 256 if value > 127 else value
        at[0] += len(row)
    return fill


def numbers():
    for row in rows:
        yield [(q - (q > 127) * 256 - x.zero_point) * x.scale for q in row]


def failing():
    yield from rows[:5]
    raise ValueError("no picture")


odd = memoryview(b"x" + data)[1:]
for source in (
    io.BytesIO(data), rows, (bytearray(r) for r in rows), Slow(), filler(), numbers(),
    data, bytearray(data), memoryview(data), odd,
):
    interp.invoke(source)
    found.append(bytes(interp.output(0).raw).hex())
    if by_rows:
        assert "invoke(source)" in raises(InputError, interp.invoke)
assert "too early" in raises(InputError, interp.invoke, iter(rows[:-1]))
assert "too early" in raises(InputError, interp.invoke, io.BytesIO(data[:-1]))
assert "no rows" in raises(InputError, interp.invoke, 3)
assert "bytes, got" in raises(InputError, interp.invoke, data[:-1])
assert "bytes, got" in raises(InputError, interp.invoke, data + data)
assert "a row has" in raises(InputError, interp.invoke, [bytes(size + 1)])
assert raises(ValueError, interp.invoke, failing()) == "no picture"
interp.invoke(rows)  # as if there had been no other
found.append(bytes(interp.output(0).raw).hex())
if by_rows:
    assert "comes by rows" in raises(InputError, lambda: x.data)
    assert "comes by rows" in raises(InputError, lambda: x.quantize([1]))
interp.summary()
print(interp)
profiler = tflm.Profiler()
interp = tflm.Interpreter(tflm.load(path), profiler=profiler)
interp.invoke(rows)
found.append(bytes(interp.output(0).raw).hex())
interp = tflm.Interpreter(tflm.load(path), slice_units=1)
interp.invoke(rows)
found.append(bytes(interp.output(0).raw).hex())
print(json.dumps(found))
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MODELS)
def test_sources(name, tmp_path):
    tflite = MODELS[name]
    shape = FlatModel(flatten(tflite)).tensor(0)[4]
    x = generator(name).integers(-128, 128, shape).astype(np.int8)
    wanted = oracle.run(tflite, [[x]]).outputs[0][0].tobytes().hex()
    path = tmp_path / "model.tflm"
    size = x.nbytes // shape[1]
    for level, by_rows in (("ram", True), ("speed", True), ("off", True), ("ram", False)):
        path.write_bytes(flatten(tflite, optimize=level, by_rows=by_rows))
        lines = device(_SOURCES, path=str(path), data=x.tobytes().hex(), size=size)
        assert json.loads(lines[-1]) == [wanted] * 13, (level, by_rows)


# The arena has only the rows of a band of a large input.
def test_arena():
    tflite = chain("large", 64, 64, 3)
    whole, rows = (FlatModel(flatten(tflite, optimize="ram", by_rows=b)) for b in (False, True))
    assert whole.arena_bytes >= 64 * 64 * 3 and rows.arena_bytes < 64 * 64 * 3 * 0.7


@pytest.mark.parametrize("target", [None, "armv6m"])
def test_arena_of_a_line(target):
    tflite = line("long line", 400, 12)
    whole, rows = (
        FlatModel(flatten(tflite, optimize="ram", by_rows=b, target=target)).arena_bytes
        for b in (False, True)
    )
    assert whole >= 400 * 12 and rows < 400 * 12 * 0.5


# A float32 input that is stored as integers accepts float32 from all sources.
def test_floats(tmp_path):
    tflite = float_model("rows of floats")
    x = np.clip(np.nan_to_num(values((1, 6, 8, 4))), -1e6, 1e6)
    wanted = oracle.run(tflite, [[x]]).outputs[0][0].reshape(-1)
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(tflite, by_rows=True, optimize="ram"))
    code = """
        import io, struct
        interp = tflm.Interpreter(tflm.load(path))
        assert (interp.input(0).dtype, interp.input(0).shape) == ("float32", (1, 6, 8, 4))
        data = bytes.fromhex(data)
        values = struct.unpack("<%df" % (len(data) // 4), data)
        rows = [values[at:at + 32] for at in range(0, len(values), 32)]
        at = 0
        def fill(row):
            global at
            for i in range(len(row)):
                row[i] = values[at + i]
            at += len(row)
        for source in (io.BytesIO(data), rows, fill, data, memoryview(data)):
            interp.invoke(source)
            found = interp.output(0).dequantize()  # as text, single precision loses digits
            print(struct.pack("<%df" % len(found), *found).hex())
        """
    lines = device(code, path=str(path), data=x.tobytes().hex())
    assert len(lines) == 5
    for line in lines:
        assert bytes.fromhex(line) == wanted.tobytes()


# A model with rows of another type. quantized: with a QUANTIZE, which is folded into a float32
# input.
def typed(kind, quantized=False):
    net = Network(f"line of {kind}", (33, 3), dtype="int8" if quantized else kind)
    x = net.inputs[0]
    if quantized:
        scale = {} if kind == "float32" else {"scale": 0.05, "zero_point": 0}
        net.inputs = [net.builder.tensor((1, 33, 3), kind, name="x0", **scale)]
        net.builder.operator("QUANTIZE", net.inputs, [x])
    x = net.reshape(x, (1, 1, 33, 3))
    if net.dtype == "float32":
        return net.build(net.unary("TANH", net.unary("RELU", x)))
    return net.build(net.conv(net.conv(x, 8, (1, 3)), 8, (1, 3), 2))


@pytest.mark.parametrize(
    "kind, quantized",
    [("float32", False), ("int16", False), ("float32", True), ("uint8", True)],
)
def test_types_of_a_line(kind, quantized, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(typed(kind, quantized))
    found = verify(path, runs=2, by_rows=True)
    assert found.is_equal() and [p.path for p in found.paths] == ["flat"]


# `tflm verify --input-by-rows` compares with TFLM.
def test_commands(tmp_path):
    path = tmp_path / "model.tflite"
    net = Network("dense by rows", (8, 4, 4))
    dense = net.build(net.dense(net.inputs[0], 3))
    for tflite in (MODELS["chain"], float_model("verified by rows"), dense):
        path.write_bytes(tflite)
        found = verify(path, runs=2, by_rows=True)
        assert found.is_equal() and [p.path for p in found.paths] == ["flat"]


# The operator reads a shape with other rows than the input.
def other_rows(shape):
    net = Network(f"other rows {shape}", (4, 12))
    return net.build(net.conv(net.reshape(net.inputs[0], shape), 4, (1, 3)))


# Two operators read an input, directly (d) or as a view (v).
def two_readers(order):
    net = Network(f"two readers {order}", (16, 8))
    branches = []
    for how in order:
        if how == "d":
            x = net.pad(net.inputs[0], [(1, 1)])
            x = net.conv(net.reshape(x, (1, 1, 18, 8)), 8, (1, 3), 1, "VALID")
        else:
            x = net.conv(net.reshape(net.inputs[0], (1, 1, 16, 8)), 8, 1)
        branches.append(x)
    return net.build(net.binary("ADD", *branches))


def test_refusals():
    net = Network("dense", (64,))
    for tflite, words in (
        (net.build(net.dense(net.inputs[0], 3)), "not read by rows"),
        (float_model("two", inputs=2), "2 inputs"),
        (other_rows((1, 1, 8, 6)), "not read by rows"),
        (other_rows((1, 16, 1, 3)), "not read by rows"),
        (other_rows((1, 1, 48, 1)), "not read by rows"),
        *((two_readers(order), "not read by rows") for order in ("dv", "vd", "vv")),
    ):
        with pytest.raises(ToolError, match=words):
            flatten(tflite, by_rows=True)


# A model that cannot use a source raises an error with the reason and the method to call.
def test_refusals_on_a_board(tmp_path):
    rows, two = (str(tmp_path / name) for name in ("rows.tflm", "two.tflm"))
    Path(rows).write_bytes(flatten(MODELS["chain"], by_rows=True))
    Path(two).write_bytes(flatten(float_model("two", inputs=2)))
    code = """
        from tflm import litert
        interp = tflm.Interpreter(tflm.load(two))
        assert "a source fills one input, not 2" in raises(InputError, interp.invoke, [b"1"])
        interp = litert.Interpreter(model_path=rows)
        interp.allocate_tensors()
        text = raises(InputError, interp.invoke)
        assert "use invoke(source) of tflm.Interpreter" in text, text
        """
    device(code, rows=rows, two=two)


# The examples read a picture in flash, and a file with a line for each row.
def test_examples(tmp_path, repository):
    x = generator("example").integers(-128, 128, (1, 24, 16, 3)).astype(np.int8)
    tflite = MODELS["chain"]
    (tmp_path / "m.tflm").write_bytes(flatten(tflite, by_rows=True))
    (tmp_path / "x.bin").write_bytes((x.astype(np.int16) + 128).astype(np.uint8).tobytes())
    real = (x.reshape(24, -1).astype(np.float64) + 128) * 0.05
    lines = [",".join(map(repr, row.tolist())) for row in real]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    wanted = oracle.run(tflite, [[x]]).outputs[0][0].reshape(-1)
    code = """
        sys.path.append(folder)
        import json, from_flash, from_lines
        with open(place + "/x.bin", "rb") as file:
            print(json.dumps(from_flash.classify(place + "/m.tflm", file.read())))
        print(json.dumps(from_lines.classify(place + "/m.tflm", place + "/x.csv")))
        """
    folder = str(repository / "examples" / "by_rows")
    for line in device(code, folder=folder, place=str(tmp_path)):
        found = np.rint(np.array(json.loads(line)) / 0.1) - 20
        assert found.astype(int).tolist() == wanted.tolist()
