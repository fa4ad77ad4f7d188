# An interpreter with random outputs for the tests of tflm.detect, as MicroPython code
# MIT license; Copyright (c) 2026 the tflm authors

# Outputs are (dtype, shape, scale, zero point, bytes).
SOURCE = """
import struct
from tflm import dtypes
from tflm.tensor import Tensor


class Fake:
    def __init__(self, size, outputs):
        self._input = Tensor("image", dtypes.INT8, (1, size[1], size[0], 3), 0, 0, b"")
        self._outputs = []
        for dtype, shape, scale, zero_point, data in outputs:
            code = {"int8": dtypes.INT8, "uint8": dtypes.UINT8, "float32": dtypes.FLOAT32}
            code["int16"] = dtypes.INT16
            bits = struct.unpack("<I", struct.pack("<f", scale))[0]
            raw = memoryview(bytearray(data))
            self._outputs.append(Tensor("out", code[dtype], shape, bits, zero_point, raw))

    def input(self, i):
        return self._input

    def output(self, i):
        return self._outputs[i]

    def outputs_size(self):
        return len(self._outputs)


# Detect twice, the second time without heap; print the boxes.
def show(detector):
    first = detector.detect(), bytes(detector.boxes)
    micropython.heap_lock()
    count = detector.detect()
    micropython.heap_unlock()
    assert (count, bytes(detector.boxes)) == first
    keypoints = getattr(detector, "keypoints", ())
    print([list(detector.boxes[: 6 * count]), list(keypoints)])
"""
