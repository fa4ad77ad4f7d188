# Tests of `tflm run`
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.oracle import shared_oracle
from tflm_tools.flat.flatten import flatten

# A .npy whose header claims a terabyte.
_VAST = b"\x93NUMPY\x01\x00F\x00"
_VAST += b"{'descr': '|i1', 'fortran_order': False, 'shape': (1099511627776,)}  \n"


@pytest.fixture
def values(tmp_path):
    """An int8 input of the fixture `layers`, saved as values.npy."""
    array = np.random.default_rng(1).integers(-128, 128, (1, 8)).astype(np.int8)
    np.save(tmp_path / "values.npy", array)
    return array


def _wanted(layers, values):
    return shared_oracle().run(layers.read_bytes(), [[values]])[0][0]


@pytest.mark.parametrize("path", ["flat", "tflite"])
def test_outputs_equal_tflm(tflm, layers, values, tmp_path, path):
    folder = tmp_path / "deep" / "out"
    found = tflm("run", layers, "--input", tmp_path / "values.npy", "--output-dir", folder,
                 "--path", path, "--repeat", 3, "--json")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    got = np.load(folder / "output_0.npy")
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got, _wanted(layers, values))
    assert [p.name for p in folder.iterdir()] == ["output_0.npy"]
    report = found.json()
    assert report["invokes"] == 3
    assert report["mean_us"] >= report["best_us"] >= 0
    best = int(np.argmax(got))
    assert report["outputs"][0]["top"][0] == [best, pytest.approx(0.1 * (int(got[0, best]) + 2))]


def test_flat_file_and_table(tflm, layers, values, tmp_path):
    flat = tmp_path / "layers.tflm"
    flat.write_bytes(flatten(layers.read_bytes()))
    found = tflm("run", flat, "--input", tmp_path / "values.npy", "--output-dir", tmp_path)
    assert found.code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "output_0.npy"), _wanted(layers, values))
    assert "output_0.npy" in found.out
    assert "bytes of arena" in found.out
    refused = tflm("run", flat, "--input", tmp_path / "values.npy", "--output-dir", tmp_path,
                   "--path", "tflite")  # fmt: skip
    assert refused.code == 1
    assert "needs the .tflite" in refused.err


# Halves are rounded away from zero, and values out of range are clamped.
def test_quantize(tflm, layers, tmp_path):
    real = np.array([[0.0, 0.05, -0.05, 0.151, 1e9, -1e9, np.inf, 12.4]])
    np.save(tmp_path / "real.npy", real)
    arguments = ("run", layers, "--input", tmp_path / "real.npy", "--output-dir", tmp_path)
    refused = tflm(*arguments)
    assert refused.code == 1
    assert "float64" in refused.err and "int8" in refused.err and "--quantize" in refused.err
    assert tflm(*arguments, "--quantize").code == 0
    scale = float(np.float32(0.1))
    wanted = [3, 3 + (0.05 / scale >= 0.5), 3 - (0.05 / scale >= 0.5), 5, 127, -128, 127, 127]
    quantized = np.array([wanted], np.int8)
    np.testing.assert_array_equal(np.load(tmp_path / "output_0.npy"), _wanted(layers, quantized))


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((8,), np.int8), "has the shape 8, input 0 'input' requires 1x8"),
        (np.zeros((1, 8), np.complex64), "holds complex64, input 0 'input' requires int8"),
        (np.zeros((1, 8), "S1"), "holds |S1"),
        (np.full((1, 8), np.nan, np.float32), "NaN"),
        (np.array([{}], object), "not a .npy file of numbers"),
        (b"", "not a .npy file of numbers"),
        (b"\x93NUMPY\x01\x00", "not a .npy file of numbers"),
        (b"PK\x03\x04", "not a .npy file of numbers"),
        (_VAST, "not a .npy file of numbers"),
        (_VAST.replace(b"(1099", b"((199"), "not a .npy file of numbers"),
        (None, "no such file"),
    ],
)
def test_bad_arrays(tflm, layers, tmp_path, array, words):
    path = tmp_path / "bad.npy"
    if isinstance(array, bytes):
        path.write_bytes(array)
    elif array is not None:
        np.save(path, array)
    found = tflm("run", layers, "--input", path, "--output-dir", tmp_path / "out", "--quantize")
    assert found.code == 1
    assert words in found.err
    assert len(found.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


# With --quantize the numbers of any type are real numbers.
@pytest.mark.parametrize(
    "dtype", ["uint8", "int32", "int64", "float16", "float32", "float64", "bool", ">i2"]
)
def test_real_numbers_of_any_type(tflm, layers, tmp_path, dtype):
    np.save(tmp_path / "real.npy", np.array([[0, 1, 2, 3, 0, 1, 12, 9]]).astype(dtype))
    called = "run", layers, "--input", tmp_path / "real.npy"
    refused = tflm(*called)
    assert refused.code == 1 and "give --quantize to quantize real values" in refused.err
    named = "or array.astype(np.int8) if it holds quantized ones" in refused.err
    assert named == (np.dtype(dtype).kind in "iu")
    found = tflm(*called, "--quantize", "--output-dir", tmp_path)
    assert found.code == 0 and "are they scaled" not in found.out
    real = np.load(tmp_path / "real.npy").astype(float)
    wanted = _wanted(layers, np.round(real / np.float32(0.1) + 3).clip(-128, 127).astype(np.int8))
    np.testing.assert_array_equal(np.load(tmp_path / "output_0.npy"), wanted)


# astype() would wrap 200 to -56, so it is not proposed.
def test_remedy_for_bytes(tflm, layers, tmp_path):
    np.save(tmp_path / "bytes.npy", np.full((1, 8), 200, np.uint8))
    called = "run", layers, "--input", tmp_path / "bytes.npy"
    assert "astype" not in tflm(*called).err
    found = tflm(*called, "--quantize")
    assert "100 % of the values of" in found.out and "are they scaled" in found.out


# A float32 input accepts numbers of other types with --quantize; without an output folder the
# table names the outputs.
def test_float_input(tflm, tmp_path):
    model = ModelBuilder("float")
    x, y = (model.tensor((1, 4), "float32", name=name) for name in ("first", "last"))
    model.operator("NEG", [x], [y])
    model.io([x], [y])
    (tmp_path / "float.tflite").write_bytes(model.build())
    np.save(tmp_path / "doubles.npy", np.array([[0.5, 2, 3, 255]]))
    np.save(tmp_path / "bytes.npy", np.array([[0, 2, 3, 255]]))
    called = "run", tmp_path / "float.tflite", "--input", tmp_path / "doubles.npy"
    refused = tflm(*called)
    assert "give --quantize to accept all real numbers, or array.astype(np.float32)" in refused.err
    found = tflm(*called, "--quantize")
    assert found.code == 0 and "last" in found.out and "-255" in found.out
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".npy", ".npy", ".tflite"]
    found = tflm(*called[:3], tmp_path / "bytes.npy", "--quantize")
    assert "was the model trained on bytes" in " ".join(found.out.split())


def test_wrong_number_of_inputs(tflm, layers, tmp_path):
    found = tflm("run", layers, "--output-dir", tmp_path)
    assert found.code == 1
    assert "inputs given is 0, but the model has 1" in found.err


# The command reports the message of an error in MicroPython.
def test_heap_too_small(tflm, layers, values, tmp_path):
    found = tflm("run", layers, "--input", tmp_path / "values.npy", "--output-dir", tmp_path,
                 "--path", "tflite", "--heap", "24k")  # fmt: skip
    assert found.code == 1
    assert "use --heap 48k" in found.err
    assert len(found.err.splitlines()) == 1


def test_missing_op(tflm, lacking, tmp_path):
    for name, dtype in (("a", np.float32), ("b", np.float64)):
        np.save(tmp_path / f"{name}.npy", np.zeros((1, 4), dtype))
    inputs = ("--input", tmp_path / "a.npy", "--input", tmp_path / "b.npy")
    for path in ("flat", "tflite"):
        found = tflm("run", lacking, *inputs, "--output-dir", tmp_path, "--path", path)
        assert found.code == 1
        assert "Sparkle" in found.err
        assert len(found.err.splitlines()) == 1
