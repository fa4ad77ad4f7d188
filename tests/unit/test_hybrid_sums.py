# Tests of the sums of hybrid operators in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
from support.inputs import generator
from tflm.prepare.hybrid import HYBRID

from tools.asm.kernels import hybrid_sums, hybrid_sums_mac16
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_RECORD, _ARENA, _ROM = 0x1000, 0x10000, 0x40000
_QUANTIZED, _OFFSETS, _OUTPUT = 0x1001, 0x2000, 0x3000
_WEIGHTS = 3
_MODULES = dict.fromkeys(("armv6m", "armv7em", "rv32imc"), hybrid_sums)
_MODULES["xtensawin"] = hybrid_sums_mac16
_UNITS = 7, 1000  # of a call
# (batches, image, filter, stride, dilation of rows, padding, output channels); image: rows,
# columns and channels, others: rows and columns.
_SHAPES = (
    (3, (1, 1, 37), (1, 1), (1, 1), 1, (0, 0), 11),
    (1, (1, 1, 3), (1, 1), (1, 1), 1, (0, 0), 1),
    (2, (5, 4, 2), (3, 3), (1, 1), 1, (1, 1), 5),
    (1, (6, 3, 1), (2, 4), (2, 1), 2, (3, 4), 3),
    (1, (4, 4, 0), (1, 1), (1, 1), 1, (0, 0), 2),
)


def _sums(image, weights, offsets, stride, dilation, padding, outputs):
    batches, rows, columns, _ = image.shape
    found = np.zeros((batches, *outputs, len(weights)), np.int32)
    for index in np.ndindex(batches, *outputs):
        y, x = (index[i + 1] * stride[i] - padding[i] for i in range(2))
        for row, column in np.ndindex(*weights.shape[1:3]):
            at, beside = y + row * dilation, x + column
            if 0 <= at < rows and 0 <= beside < columns:
                inputs = image[index[0], at, beside] - offsets[index[0]]
                found[index] += weights[:, row, column] @ inputs
    return found


def _record(fields):
    words = [fields[name] for name in HYBRID]
    return struct.pack(f"<{len(words) + 1}i", 1, *words)


@pytest.mark.parametrize("units", _UNITS)
@pytest.mark.parametrize("name", _MODULES)
@pytest.mark.parametrize("shape", _SHAPES)
def test_sums(name, shape, units):
    random = generator(f"sums {shape}")
    batches, size, window, stride, dilation, padding, channels = shape
    reach = (window[0] - 1) * dilation + 1, window[1]
    outputs = [(size[i] + 2 * padding[i] - reach[i]) // stride[i] + 1 for i in range(2)]
    image = random.integers(-128, 128, (batches, *size))
    weights = random.integers(-128, 128, (channels, *window, size[2]))
    offsets = random.integers(-128, 128, batches)
    cell = size[2]
    fields = dict.fromkeys(HYBRID, 0)
    fields |= {"quantized": _QUANTIZED << 2, "offsets": _OFFSETS << 2, "output": _OUTPUT << 2}
    fields |= {"weights": _WEIGHTS << 2 | 1, "input_channels": cell, "output_channels": channels}
    fields |= {"dilation_height": dilation, "dilation_width": 1, "depth": cell}
    fields |= {"channel_step": window[0] * window[1] * cell, "cell_step": cell}
    for i, side in enumerate(("height", "width")):
        each = {"input": size, "output": outputs, "filter": window, "stride": stride}
        fields |= {f"{key}_{side}": values[i] for key, values in each.items()}
        fields[f"padding_{side}"] = padding[i]
    wanted = _sums(image, weights, offsets, stride, dilation, padding, outputs)
    data = bytearray(wanted.nbytes)
    operands = {
        "record": (_RECORD, _record(fields), False),
        "quantized": (_ARENA + _QUANTIZED, image.astype(np.int8).tobytes(), False),
        "offsets": (_ARENA + _OFFSETS, offsets.astype("<i4").tobytes(), False),
        "weights": (_ROM + _WEIGHTS, weights.astype(np.int8).tobytes(), False),
        "output": (_ARENA + _OUTPUT, data, True),
    }
    kernel = _MODULES[name].sums_kernel(InterpretedMachine(MACHINES[name]))
    for start in range(0, wanted.size, units):
        count = min(units, wanted.size - start)
        last = (start, start + count) if name == "xtensawin" else (start << 10 | count,)
        run(kernel, Memory(operands), _RECORD, _ARENA, _ROM, *last)
    assert (np.frombuffer(data, "<i4") == wanted.ravel()).all()
