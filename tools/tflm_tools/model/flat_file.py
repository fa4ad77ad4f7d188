# tflm_tools: flat_file: reads the operators, inputs and outputs of a .tflm
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm import format as layout
from tflm.access_checks import check_model
from tflm.errors import ModelError, printable
from tflm.model import FlatModel

from ..kernel_files import kernel_files


@dataclass
class FlatOp:
    """One record: its kernel, its operator and node, and the words of its operands."""

    kernel: str
    builtin_code: int
    node: int
    units: int
    slice_units: int
    record_bytes: int
    operands: tuple[int, ...]


@dataclass
class FlatTensor:
    """An input or output: name, dtype code, shape in elements, quantization, size in bytes.

    is_float: it is float32 in the .tflite, and the .tflm keeps it as the integers described here.
    """

    name: str
    dtype: int
    shape: tuple[int, ...]
    scale_bits: int
    zero_point: int
    nbytes: int
    is_float: bool


class FlatFile:
    """The contents of a .tflm, verified when the object is created.

    arena_bytes, head_bytes, constants_bytes: sizes in bytes. ops: a FlatOp for each record.
    inputs, outputs: FlatTensor objects. has_kept_tensors: Interpreter.tensors() has some, as of
    `tflm flatten --feature`. Raises ModelError for a damaged .tflm.
    """

    def __init__(self, data):
        self._data = data
        model = FlatModel(data)  # verifies header, CRC and sections
        check_model(model)  # boards do not check models in ROMFS again
        _check_shared_scratch(model)
        self.arena_bytes, self.head_bytes = model.arena_bytes, model.head_bytes
        try:
            self._read()
        except (struct.error, IndexError, UnicodeDecodeError):
            raise ModelError(
                "the .tflm is damaged: its tables contradict each other; flatten the model again"
            ) from None

    def _read(self):
        data = self._data
        self._sections = [
            struct.unpack_from(layout.SECTION, data, layout.SECTIONS_OFFSET + 8 * i)
            for i in range(layout.SECTIONS)
        ]
        self.constants_bytes = self._sections[layout.CONSTANTS][1]
        self.ops = [self._op(i) for i in range(self._sections[layout.OPS][1])]
        _, _, _, inputs, outputs = self._entry(layout.SUBGRAPHS, layout.SUBGRAPH, 0)
        self.inputs = [self._tensor(i) for i in range(inputs)]
        self.outputs = [self._tensor(inputs + i) for i in range(outputs)]
        others = range(inputs + outputs, self._sections[layout.TENSORS][1])
        self.has_kept_tensors = any(not self._is_variable(i) for i in others)

    def _entry(self, section, kind, i):
        at = self._sections[section][0] + i * struct.calcsize(kind)
        return struct.unpack_from(kind, self._data, at)

    def _name(self, offset):
        at = self._sections[layout.NAMES][0] + offset
        return printable(self._data[at + 1 : at + 1 + self._data[at]])

    def _op(self, i):
        kernel, code, node, operands, slice_units, start, size = self._entry(
            layout.OPS, layout.OP, i
        )
        operands &= ~layout.ORDERED
        units, *words = struct.unpack_from(f"<{operands + 1}I", self._data, start)
        name = self._name(self._entry(layout.KERNELS, layout.KERNEL, kernel)[0])
        return FlatOp(name, code, node, units, slice_units, size, tuple(words))

    def _is_variable(self, i):
        flags = self._entry(layout.TENSORS, layout.TENSOR, i)[5]
        return flags & layout.TENSOR_VARIABLE != 0

    def _tensor(self, i):
        _, size, name, dtype, rank, flags, zero_point, scale_bits, *shape = self._entry(
            layout.TENSORS, layout.TENSOR, i
        )
        is_float = flags & layout.TENSOR_FLOAT != 0
        shape = tuple(shape[:rank])
        return FlatTensor(self._name(name), dtype, shape, scale_bits, zero_point, size, is_float)


# Raise ModelError if two cores would use the same scratch buffers because the model does not
# describe them: a trusted model is not checked again.
def _check_shared_scratch(model):
    facts = kernel_files() if model.single_core_ops else {}
    for i in model.single_core_ops:
        kernel = model.op(i)[0]
        if facts[kernel.split(".")[0]].group:
            raise ModelError(
                f"the .tflm is damaged: it omits scratch buffers of op {i} ({kernel}); "
                "flatten the model again"
            )
