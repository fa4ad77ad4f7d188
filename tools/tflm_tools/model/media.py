# tflm_tools: media: reads images, sounds and tables as real numbers for an input of a model
# MIT license; Copyright (c) 2026 the tflm authors

import io
import wave
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError
from ..extras import installing
from .csv_table import read_table

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")
SOUNDS = (".wav",)
_TABLES = (".csv",)
_MAX_PIXELS = 1 << 26


def of_one(shape):
    """Return the shape of one example, which is `shape` without a batch dimension of 1."""
    return shape[1:] if shape[:1] == (1,) else shape


def is_media(path):
    """True for a file that real_values() reads, judged by the suffix of its name."""
    return Path(path).suffix.lower() in IMAGES + SOUNDS + _TABLES


def real_values(path, info, pixels=None):
    """Return the real numbers of a file for an input: float64, in the input's shape.

    An image is converted to grey or RGB for an input of 1 or 3 channels, and resized to the
    input's height and width (bilinear).
    A sound becomes samples from -1 to 1: channels are averaged, and the end is cut off or filled
    with silence. An int16 input without a scale gets the samples as they are in the file.
    A table holds all numbers of the input, row by row.
    If the input has a FeatureBlock, a sound or table holds the samples of its window.

    info: the TensorInfo of the input. pixels: (black, white), the real numbers for the pixel
    values 0 and 255; by default the numbers in the model's metadata, else the least and greatest
    value of a quantized input, and 0 and 1 for float32.
    Raises ToolError.
    """
    suffix = Path(path).suffix.lower()
    if suffix in IMAGES:
        return _image(path, info, pixels or getattr(info, "pixels", None) or _range(info))
    if suffix in SOUNDS:
        return _sound(path, info)
    if info.block:
        return info.block.features_of(info.block.table(path, rows(path)), info)
    values = np.array(rows(path)).reshape(-1)
    if values.size != int(np.prod(info.shape)):
        raise ToolError(
            f"{path} holds {values.size} numbers, input '{info.name}' has "
            f"{int(np.prod(info.shape))}; write one example of them"
        )
    return values.reshape(info.shape)


# (least, greatest) real number of an input; 0 and 1 for float32.
def _range(info):
    dtype = info.numpy_dtype()
    if dtype.kind not in "iu":
        return 0.0, 1.0
    limits = np.iinfo(dtype)
    scale = info.scale or 1.0
    return (limits.min - info.zero_point) * scale, (limits.max - info.zero_point) * scale


def _image(path, info, pixels):
    data = io.BytesIO(files.read(path))
    try:
        from PIL import Image
    except ImportError:
        raise ToolError(f"images need Pillow; install it with: {installing('report')}") from None
    sizes = of_one(info.shape)
    channels = sizes[2] if len(sizes) == 3 else 1
    if len(sizes) not in (2, 3) or channels not in (1, 3) or np.prod(info.shape) != np.prod(sizes):
        raise ToolError(
            f"input '{info.name}' has the shape {'x'.join(map(str, info.shape))}, which an "
            "image does not have; give an array (.npy)"
        )
    try:
        with Image.open(data) as image:
            if image.width * image.height > _MAX_PIXELS:
                raise ToolError(f"{path} has more than 64 million pixels; make it smaller")
            if image.mode[:1] == "I":  # 16 bits, which convert() would cut off at 255
                image = Image.fromarray((np.asarray(image) // 257).astype(np.uint8))
            image = image.convert("L" if channels == 1 else "RGB")
            image = image.resize((sizes[1], sizes[0]), Image.Resampling.BILINEAR)
            values = np.asarray(image, np.float64).reshape(info.shape)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise ToolError(f"{path} cannot be read as an image; convert it to PNG") from None
    black, white = (np.asarray(value) for value in pixels)
    if black.size not in (1, channels):
        raise ToolError(
            f"the model's metadata normalizes {black.size} channels, input '{info.name}' has "
            f"{channels}; give the values of black and white with --pixels"
        )
    return black + values * ((white - black) / 255)


def sample_rate(path):
    """Return the sample rate of a sound in Hz. Raises ToolError."""
    return _wave(path)[0].framerate


# (parameters, bytes) of a WAV.
def _wave(path):
    content = io.BytesIO(files.read(path))
    try:
        with wave.open(content) as file:
            return file.getparams(), file.readframes(file.getnframes())
    except (EOFError, RuntimeError, wave.Error) as error:
        reason = str(error) or "it ends within its header"
        raise ToolError(f"cannot read {path} as WAV: {reason}; convert it to PCM") from None


def _sound(path, info):
    parameters, data = _wave(path)
    width, channels = parameters.sampwidth, parameters.nchannels
    data = data[: len(data) // (width * channels) * (width * channels)]
    if width == 1:  # unsigned
        samples = (np.frombuffer(data, np.uint8).astype(np.int64) - 128) << 8
    else:  # keep the two highest bytes of each sample
        highest = np.frombuffer(data, np.uint8).reshape(-1, width)[:, -2:]
        samples = np.ascontiguousarray(highest).view("<i2").reshape(-1).astype(np.int64)
    samples = samples.reshape(-1, channels).mean(1)
    wanted = info.block.samples if info.block else int(np.prod(info.shape))
    samples = np.concatenate([samples[:wanted], np.zeros(max(0, wanted - len(samples)))])
    if info.block:
        return info.block.features_of(np.trunc(samples), info)
    is_raw = info.dtype == "int16" and not info.scale
    return (np.trunc(samples) if is_raw else samples / 32768).reshape(info.shape)


def rows(path):
    """Return the numbers of a .csv as a list of rows; a header row is skipped.

    Raises ToolError for a file that cannot be read, and for rows of different length.
    """
    table = read_table(path)
    return table.numbers(range(table.width)).tolist()
