# tflm.ml.preprocessing: Normalization: images as inputs of a model.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import micropython

from ..memoryview_cast import view_as


# Write a row of pixels, interpolated between two rows of the source. settings: bytes before each
# of these rows, weight of the second row (of 256), width of the source, pixels to write, step in
# the source (65536 is a pixel), channels of the source, channels to write, XOR of each byte.
@micropython.viper
def _resize_row(target: ptr8, source: ptr8, settings: ptr32):
    first = settings[0]
    second = settings[1]
    weight = settings[2]
    last = (settings[3] - 1) << 16
    step = settings[5]
    depth = settings[6]
    channels = settings[7]
    x = 0
    to = 0
    while x < settings[4]:
        at = x * step + (step >> 1) - 32768
        if at < 0:
            at = 0
        if at > last:
            at = last
        left = (at >> 16) * depth
        right = left + depth if at < last else left
        share = (at >> 8) & 255
        grey = 0
        k = 0
        while k < depth:
            above = source[first + left + k] * (256 - share) + source[first + right + k] * share
            below = source[second + left + k] * (256 - share) + source[second + right + k] * share
            value = (above * (256 - weight) + below * weight + 32768) >> 16
            if depth == channels:
                target[to + k] = value ^ settings[8]
            elif depth == 1:
                target[to] = value ^ settings[8]
                target[to + 1] = value ^ settings[8]
                target[to + 2] = value ^ settings[8]
            else:  # the brightness of R, G and B is 77, 150 and 29 of 256
                grey += value * (77 if k == 0 else 150 if k == 1 else 29)
            k += 1
        if depth > channels:
            target[to] = ((grey + 128) >> 8) ^ settings[8]
        to += channels
        x += 1


class Normalization:
    """OpenMV's Normalization: `model.predict([Normalization()(image)])`.

    scale: (least, greatest) value of a float32 input. mean, stdev: of R, G and B, for float32;
    value = (scaled - mean) / stdev. int8 inputs get the bytes less 128, uint8 inputs the bytes.
    roi: (x, y, width, height) of the image to use; None for all of it.

    The region is resized (bilinear) with its aspect kept, in the middle of the input; the rest is
    black. An image is any object with width(), height() and bytearray(), with one byte (grey) or
    three (RGB) for each pixel. Raises ValueError for other images and inputs.
    """

    def __init__(self, scale=(0.0, 1.0), mean=(0.0, 0.0, 0.0), stdev=(1.0, 1.0, 1.0), roi=None):
        self.scale, self.mean, self.stdev = scale, mean, stdev
        self.roi = roi
        self._image = None

    def __call__(self, image, shape=None, dtype=None):
        """Return a Normalization of an image; or, with three arguments, fill a buffer.

        The buffer has the bytes of an input with this shape [1, height, width, 1 or 3] and dtype,
        a typecode: "b", "B" or "f".
        """
        if shape is not None:
            return self._fill(image, shape, dtype)
        bound = Normalization(self.scale, self.mean, self.stdev, self.roi)
        bound._image = image
        bound.roi = self.roi or (0, 0, image.width(), image.height())
        return bound

    def _fill(self, buffer, shape, dtype):
        image, code = self._image, chr(dtype) if isinstance(dtype, int) else dtype
        if image is None or len(shape) != 4 or shape[3] not in (1, 3) or code not in "bBf":
            raise ValueError(
                "the input %s is no image of int8, uint8 or float32, or no image is bound; call "
                "Normalization()(image)" % (shape,)
            )
        _, height, width, channels = shape
        left, top, source_width, source_height = self.roi
        pixels, stride = image.bytearray(), image.width()
        depth = len(pixels) // (stride * image.height())
        if depth not in (1, 3) or left < 0 or top < 0 or (
            left + source_width > stride or top + source_height > image.height()
        ):  # fmt: skip
            raise ValueError(
                "the image has %d bytes for each pixel, the region is %s; pass grey or RGB pixels "
                "and a region inside" % (depth, self.roi)
            )
        flip = 128 if code == "b" else 0
        scale = min(width / source_width, height / source_height)
        columns = min(max(int(source_width * scale + 0.5), 1), width)
        rows = min(max(int(source_height * scale + 0.5), 1), height)
        x, y = (width - columns) // 2, (height - rows) // 2
        target = memoryview(bytearray(width * height * channels) if code == "f" else buffer)
        for i in range(len(target)):
            target[i] = flip
        settings = array("i", bytes(36))
        settings[3], settings[4] = source_width, columns
        settings[5] = (source_width << 16) // columns
        settings[6], settings[7], settings[8] = depth, channels, flip
        step = (source_height << 16) // rows
        for row in range(rows):
            at = min(max(row * step + (step >> 1) - 32768, 0), (source_height - 1) << 16)
            first = at >> 16
            second = min(first + 1, source_height - 1)
            settings[0] = ((top + first) * stride + left) * depth
            settings[1] = ((top + second) * stride + left) * depth
            settings[2] = (at >> 8) & 255
            start = ((y + row) * width + x) * channels
            _resize_row(target[start : start + columns * channels], pixels, settings)
        if code == "f":
            self._normalize(view_as(memoryview(buffer), "f", 4), target, channels)

    # Store bytes as floats.
    def _normalize(self, values, source, channels):
        means, deviations = self.mean, self.stdev
        if channels == 1:
            means = (_luma(means),)
            deviations = (_luma(deviations),)
        low, high = self.scale
        for k in range(channels):
            factor = (high - low) / 255 / deviations[k]
            offset = (low - means[k]) / deviations[k]
            table = [byte * factor + offset for byte in range(256)]
            for i in range(k, len(source), channels):
                values[i] = table[source[i]]


# Return one value for grey of the values for R, G and B.
def _luma(values):
    return 0.299 * values[0] + 0.587 * values[1] + 0.114 * values[2]
