# Tests of images, sounds, tables and folders as inputs of `tflm run` and `tflm eval`
# MIT license; Copyright (c) 2026 the tflm authors

import wave
from types import SimpleNamespace

import flatbuffers
import numpy as np
import pytest
from support.builder import ModelBuilder
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.measure import dataset
from tflm_tools.measure.examples import ReadOptions
from tflm_tools.model import media
from tflm_tools.model.model_file import open_model
from tflm_tools.model.normalization import pixels_of
from tflm_tools.wake.sound import blocks


def info(shape, dtype="int8", scale=0.0, zero_point=0):
    return SimpleNamespace(
        name="x", shape=shape, dtype=dtype, scale=scale, zero_point=zero_point,
        numpy_dtype=lambda: np.dtype(dtype), block=None,
    )  # fmt: skip


@pytest.fixture
def image(tmp_path):
    from PIL import Image

    path = tmp_path / "x.png"
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:4], pixels[4:, :, 1] = 255, 255
    Image.fromarray(pixels).save(path)
    return path


def test_values_of_an_image(image, tmp_path):
    from PIL import Image

    # By default black and white are the least and greatest value of the input.
    signed = media.real_values(image, info((1, 8, 8, 3), scale=1 / 127, zero_point=0))
    assert signed.shape == (1, 8, 8, 3)
    assert np.allclose(signed[0, 0, 0], 1)
    assert np.allclose(signed[0, 7, 0], [-128 / 127, 1, -128 / 127])
    assert media.real_values(image, info((8, 8, 3), "float32")).max() == 1
    assert media.real_values(image, info((1, 8, 8), "float32")).shape == (1, 8, 8)
    given = media.real_values(image, info((1, 8, 8, 3), "float32"), (-1, 3))
    assert given[0, 7, 0].tolist() == [-1, 3, -1]
    grey = media.real_values(image, info((1, 4, 4, 1), "float32"))
    with Image.open(image) as file:
        wanted = np.asarray(file.convert("L").resize((4, 4), Image.Resampling.BILINEAR)) / 255
    assert np.allclose(grey[0, :, :, 0], wanted)
    with pytest.raises(ToolError, match="which an image does not have"):
        media.real_values(image, info((1, 10)))
    (tmp_path / "bad.png").write_bytes(image.read_bytes()[:40])
    with pytest.raises(ToolError, match="cannot be read as an image"):
        media.real_values(tmp_path / "bad.png", info((1, 8, 8, 1)))


# TFLite Metadata (a FlatBuffer of ModelMetadata) with the normalization of the only input.
def _metadata(mean, std):
    builder = flatbuffers.Builder()

    def table(fields):
        builder.StartObject(5)
        for number, value in fields.items():
            if number == 0:
                builder.PrependUint8Slot(0, value, 0)
            else:
                builder.PrependUOffsetTRelativeSlot(number, value, 0)
        return builder.EndObject()

    def tables(*items):
        builder.StartVector(4, len(items), 4)
        for item in items:
            builder.PrependUOffsetTRelative(item)
        return builder.EndVector()

    means, deviations = (builder.CreateNumpyVector(np.array(v, np.float32)) for v in (mean, std))
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(0, means, 0)
    builder.PrependUOffsetTRelativeSlot(1, deviations, 0)
    options = builder.EndObject()
    units = tables(table({0: 1, 1: options}))
    inputs = tables(table({4: units}))
    builder.Finish(table({3: tables(table({2: inputs}))}))
    return bytes(builder.Output())


# The metadata of a .tflite and of a .tflm define the values of black and white.
def test_normalization_in_the_metadata(image, tmp_path):
    model = ModelBuilder()
    x, y = (model.tensor((1, 8, 8, 3), "int8", scale=0.05, zero_point=3) for _ in range(2))
    model.operator("ABS", [x], [y])
    model.io([x], [y])
    mean, std = (127.5, 0, 255), (50, 100, 200)
    data = _metadata(mean, std)
    for entry, wanted in (
        (data, [[127.5 / 50, 2.55, 0], [-127.5 / 50, 2.55, -255 / 200]]),
        (_metadata([127.5], [127.5]), [[1, 1, 1], [-1, 1, -1]]),
    ):
        model.metadata("TFLITE_METADATA", entry)
        (tmp_path / "x.tflite").write_bytes(model.build())
        (tmp_path / "x.tflm").write_bytes(flatten(model.build()))
        for name in ("x.tflite", "x.tflm"):
            opened = open_model(tmp_path / name).inputs[0]
            found = media.real_values(image, opened)
            assert np.allclose(found[0, 0, 0], wanted[0]) and np.allclose(
                found[0, 7, 0], wanted[1]
            )
            assert media.real_values(image, opened, (0, 1)).max() == 1
    # Damaged or invalid metadata is ignored; another number of channels is refused.
    damaged = [data[:n] for n in range(0, len(data), 7)] + [_metadata([0], [0]), _metadata([], [])]
    for entry in damaged:
        assert pixels_of({"TFLITE_METADATA": entry}, 1) == [None]
    assert pixels_of({"TFLITE_METADATA": data}, 2) == [None, None]
    two = info((1, 8, 8, 3))
    two.pixels = pixels_of({"TFLITE_METADATA": _metadata([0, 0], [1, 1])}, 1)[0]
    with pytest.raises(ToolError, match="normalizes 2 channels, input 'x' has 3; .*--pixels"):
        media.real_values(image, two)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_samples_of_a_sound(tmp_path, width):
    path = tmp_path / "x.wav"
    samples = [[0, 0], [16384, 0], [-32768, -32768], [32512, 32512]]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(width)
        file.setframerate(8000)
        for sample in np.array(samples).reshape(-1).tolist():
            value = (sample >> 8) + 128 if width == 1 else sample << 8 * (width - 2)
            file.writeframes(value.to_bytes(width, "little", signed=width > 1))
    found = media.real_values(path, info((1, 6), "float32"))
    assert found.tolist() == [[0, 0.25, -1, 32512 / 32768, 0, 0]]
    assert media.real_values(path, info((2,), "int16")).tolist() == [0, 8192]
    # A file that ends in its header, and a chunk before the samples that is longer than the file.
    whole = path.read_bytes()
    for content in (b"RIFF", whole[:12] + b"junk" + b"\xff\xff\xff\0" + whole[12:]):
        path.write_bytes(content)
        with pytest.raises(ToolError, match="cannot read .* as WAV: it ends within its header"):
            media.real_values(path, info((2,), "int16"))
        with pytest.raises(ToolError, match="cannot read .* as WAV: it ends within its header"):
            list(blocks(path))


# A PNG of 16 bits has the values of its higher bytes.
def test_image_of_16_bits(tmp_path):
    from PIL import Image

    pixels = np.repeat([[0, 0x1000, 0x8000, 0xFFFF]], 4, 0).astype(np.uint16)
    Image.fromarray(pixels).save(tmp_path / "x.png")
    found = media.real_values(tmp_path / "x.png", info((4, 4, 1), "float32"))
    assert np.allclose(found[0, :, 0], [0, 15 / 255, 127 / 255, 1])


@pytest.mark.parametrize(
    "rates, block_rate, words",
    [
        ([16000, 16000, 8000], None, "2.wav has 8000 samples per second, most other sounds have"),
        ([16000, 8000, 16000], None, "1.wav has 8000 samples per second, .* 16000; resample it"),
        ([16000] * 3, 8000, "0.wav has 16000 samples per second, the features need 8000;"),
        ([16000] * 3, None, None),
    ],
)
def test_sample_rates_of_a_folder(tmp_path, rates, block_rate, words):
    (tmp_path / "yes").mkdir()
    for number, rate in enumerate(rates):
        with wave.open(str(tmp_path / "yes" / f"{number}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(bytes(8))
    x = info((1, 4), "float32")
    if block_rate:
        x.block = SimpleNamespace(settings=SimpleNamespace(rate=block_rate))
    if words:
        with pytest.raises(ToolError, match=words):
            dataset.load(tmp_path, [x], [])
    else:
        assert dataset.read(tmp_path, [x]).arrays["x"].shape == (3, 4)


# An empty folder of a class is an error; the folders of tools are no classes.
def test_folders(tmp_path, image):
    for name in ("0", ".ipynb_checkpoints", "__MACOSX"):
        (tmp_path / name).mkdir()
    (tmp_path / "0" / "a.png").write_bytes(image.read_bytes())
    x = info((1, 8, 8, 1), "uint8", scale=1.0)
    assert dataset.read(tmp_path, [x]).arrays["y"].tolist() == [0]
    (tmp_path / "1").mkdir()
    with pytest.raises(
        ToolError, match="1 holds no images.*; add examples.* or remove the folder"
    ):
        dataset.read(tmp_path, [x])


# Data sets of a .csv and of folders.
def test_data_sets(tmp_path, image):
    x = info((1, 2), scale=0.5, zero_point=3)
    outputs, pair = [info((1, 4), scale=1.0)], [info((1, 2), scale=1.0)]
    outputs[0].bytes, pair[0].bytes = 4, 2
    (tmp_path / "data.csv").write_text("a,b,class\n0.5,-2,1\n3,4,0\n\n1,1,3\n")
    found = dataset.load(tmp_path / "data.csv", [x], outputs)
    assert [run[0].tolist() for run in found.runs] == [[[4, -1]], [[9, 11]], [[5, 5]]]
    assert found.labels.tolist() == [1, 0, 3]
    for name in ("blue", "green"):
        (tmp_path / "set" / name).mkdir(parents=True)
    (tmp_path / "set" / "green" / "a.png").write_bytes(image.read_bytes())
    (tmp_path / "set" / "blue" / "b.png").write_bytes(image.read_bytes())
    (tmp_path / "set" / "blue" / "notes.txt").write_text("no image")
    pixels = info((1, 8, 8, 1), "uint8", scale=1.0)
    found = dataset.load(tmp_path / "set", [pixels], pair)
    assert found.labels.tolist() == [0, 1] and found.runs[0][0].max() == 255
    labels = ["red", "green", "white", "blue"]
    found = dataset.load(tmp_path / "set", [pixels], outputs, ReadOptions(labels))
    assert found.labels.tolist() == [3, 1]
    # A limit keeps examples of all classes.
    for number in range(5):
        (tmp_path / "set" / "blue" / f"{number}.png").write_bytes(image.read_bytes())
    for number in range(8):
        (tmp_path / "set" / "green" / f"{number}.png").write_bytes(image.read_bytes())
    for limit, wanted in ((5, [0] * 2 + [1] * 3), (8, [0] * 4 + [1] * 4), (10, [0] * 4 + [1] * 6)):
        found = dataset.load(tmp_path / "set", [pixels], pair, ReadOptions(limit=limit))
        assert found.labels.tolist() == wanted


def test_run_and_eval_with_images(repository, tflm, tmp_path):
    from PIL import Image

    digits = np.load(repository / "models" / "digits" / "digits_test.npz")
    pixels = (digits["x"][3].reshape(8, 8) * (255 / 16)).round().astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "3.png")
    model = repository / "models" / "digits" / "digits_int8.tflite"
    found = tflm("run", model, "--input", tmp_path / "3.png", "--output-dir", tmp_path / "out")
    assert found.code == 0, found.err
    assert np.load(tmp_path / "out" / "output_0.npy").argmax() == digits["y"][3]
    (tmp_path / "set" / str(digits["y"][3])).mkdir(parents=True)
    (tmp_path / "3.png").rename(tmp_path / "set" / str(digits["y"][3]) / "a.png")
    found = tflm("eval", model, "--data", tmp_path / "set")
    assert found.code == 0 and "1 of 1" in found.out, (found.out, found.err)
