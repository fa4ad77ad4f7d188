# tflm.features: Sink: where features go: an array of float32, or an input of a model.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import micropython

from ..errors import InputError
from ..kernels.float32_divide import div

_LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
_STEPS = 1 | 1 << 10  # of a division by one number


# Copy words of the work memory to words of the target.
@micropython.viper
def _copy(target: ptr32, position: int, work: ptr32, at: int, count: int):
    end = at + count
    while at < end:
        target[position] = work[at]
        position += 1
        at += 1


# Store float32 quotients as integers, rounded with halves away from zero. settings: zero point,
# lowest, highest, 1 for int16.
@micropython.viper
def _quantize(target: ptr8, position: int, work: ptr32, at: int, count: int, settings: ptr32):
    wide = ptr16(target)
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    zero = (settings[0] << sign) >> sign
    low = (settings[1] << sign) >> sign
    high = settings[2]
    end = at + count
    while at < end:
        bits = work[at]
        e = bits >> 23 & 0xFF
        value = bits & 0x7FFFFF | 0x800000
        if e < 126:
            value = 0
        elif e < 150:
            value = (value >> 149 - e) + 1 >> 1
        else:
            value = 0x800000
        if bits >> 31 & 1:
            value = 0 - value
        value += zero
        if value < low:
            value = low
        if value > high:
            value = high
        if settings[3]:
            wide[position] = value
        else:
            target[position] = value
        position += 1
        at += 1


class Sink:
    """Stores float32 numbers of the work memory in a target.

    target: an array or memoryview of float32, or a Tensor. size: the number of features. Raises
    InputError for targets with other types or sizes.
    """

    def __init__(self, target, size):
        self.target = target
        self._settings = None
        tensor = getattr(target, "kept", None)
        if tensor is None:
            if len(target) != size or not isinstance(target[0], float):
                raise InputError(
                    "the features are %d float32 numbers; pass array('f') of this length, or a "
                    "Tensor with %d elements" % (size, size)
                )
            self._memory = target
            return
        if len(tensor.data) != size:
            raise InputError(
                "the input '%s' has %d elements, the features are %d; use the block of the "
                "model's training" % (tensor.name, len(tensor.data), size)
            )
        self._memory = tensor.raw
        if tensor.dtype == "float32":
            return
        if tensor.dtype not in _LIMITS or not tensor.scale:
            raise InputError(
                "the input '%s' is %s; features need float32, or int8, uint8 or int16 with a scale"
                % (tensor.name, tensor.dtype)
            )
        low, high = _LIMITS[tensor.dtype]
        self._settings = array("i", [tensor.zero_point, low, high, int(tensor.dtype == "int16")])
        self._scale = array("f", [tensor.scale])

    @micropython.native
    def write(self, work, at, count, position):
        """Store `count` numbers as the elements from `position` on; changes them in `work`."""
        if self._settings is None:
            _copy(self._memory, position, work, at, count)
            return
        div(work, self._scale, at << 4, at << 4, 1, count, _STEPS)
        _quantize(self._memory, position, work, at, count, self._settings)
