# Test support: builds .tflite files, from one operator to graphs with sub-graphs
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Mapping, Sequence
from typing import Any

import flatbuffers
import numpy as np

from .encoding import ALIGNMENT, AlignedBuffer, flexbuffer, tensor_bytes
from .schema import DTYPES, builtin_code, dtype_name, make_options, schema

_PLACEHOLDER = 1 << 40  # an offset that is not known yet; FlatBuffers would not store a 0


# A sub-graph under construction. Tensors are identified by their numbers.
class Subgraph:
    """Tensors and operators of one sub-graph; ModelBuilder creates it."""

    def __init__(self, model: "ModelBuilder", name: str):
        self._model = model
        self.table = schema.SubGraphT()
        self.table.name = name
        self.table.tensors = []
        self.table.operators = []
        self.table.inputs = []
        self.table.outputs = []

    def tensor(
        self,
        shape: Sequence[int],
        dtype: Any,
        data: Any = None,
        *,
        scale: Any = None,
        zero_point: Any = None,
        quantized_dimension: int = 0,
        name: str | None = None,
        variable: bool = False,
        shape_signature: Sequence[int] | None = None,
        raw: bytes | None = None,
        buffer: int | None = None,
    ) -> int:
        """Add a tensor and return its number.

        `data` makes it a constant (checked against the shape), `raw` gives its bytes unchecked,
        `buffer` shares a buffer of the model. Several scales are per-channel quantization along
        `quantized_dimension`; one zero point then stands for all channels.
        """
        tensor = schema.TensorT()
        kind = dtype_name(dtype)
        tensor.type = DTYPES[kind][0]
        tensor.shape = [int(dimension) for dimension in shape]
        tensor.name = f"tensor{len(self.table.tensors)}" if name is None else name
        tensor.isVariable = variable
        if shape_signature is not None:
            tensor.shapeSignature = list(shape_signature)
        if scale is not None:
            tensor.quantization = _quantization(scale, zero_point, quantized_dimension)
        if data is not None:
            if np.size(data) != int(np.prod(tensor.shape, dtype=np.int64)):
                raise ValueError(f"{tensor.name}: {np.size(data)} values for {tensor.shape}")
            raw = tensor_bytes(data, kind)
        tensor.buffer = self._model.buffer(raw) if buffer is None else buffer
        self.table.tensors.append(tensor)
        return len(self.table.tensors) - 1

    def operator(
        self,
        name: str,
        inputs: Sequence[int | None],
        outputs: Sequence[int | None],
        *,
        version: int = 1,
        options_table: str | None = None,
        intermediates: Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        """Add a builtin operator; an absent tensor is None (stored as -1).

        `options` are the fields of its options table, spelled as in the schema; enumerations by
        name: `operator("CONV_2D", [x, w, None], [y], stride_h=1, padding="SAME")`.
        """
        if builtin_code(name) is None:
            raise ValueError(
                f"the schema has no operator {name}; custom ones are added by custom()"
            )
        operator = self._add(name, version, inputs, outputs)
        operator.builtinOptionsType, operator.builtinOptions = make_options(
            name, options_table, options
        )
        if intermediates is not None:
            operator.intermediates = list(intermediates)

    def custom(
        self,
        name: str,
        inputs: Sequence[int | None],
        outputs: Sequence[int | None],
        options: Mapping[str, Any] | bytes = b"",
        *,
        version: int = 1,
    ) -> None:
        """Add a custom operator; `options` are a map (stored as FlexBuffers) or plain bytes."""
        operator = self._add(name, version, inputs, outputs)
        raw = options if isinstance(options, bytes) else flexbuffer(options)
        operator.customOptions = np.frombuffer(raw, np.uint8)
        operator.customOptionsFormat = schema.CustomOptionsFormat.FLEXBUFFERS

    def composite(self, inputs: Sequence[int], outputs: Sequence[int], subgraph: int) -> None:
        """Add a STABLEHLO_COMPOSITE that `subgraph` decomposes."""
        operator = self._add("STABLEHLO_COMPOSITE", 1, inputs, outputs)
        operator.builtinOptions2Type = schema.BuiltinOptions2.StableHLOCompositeOptions
        operator.builtinOptions2 = schema.StableHLOCompositeOptionsT()
        operator.builtinOptions2.name = "odml.test"
        operator.builtinOptions2.decompositionSubgraphIndex = subgraph

    def io(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Name the inputs and outputs of the sub-graph."""
        self.table.inputs = list(inputs)
        self.table.outputs = list(outputs)

    def _add(self, name, version, inputs, outputs):
        operator = schema.OperatorT()
        operator.opcodeIndex = self._model.operator_code(name, version)
        operator.inputs = [-1 if tensor is None else tensor for tensor in inputs]
        operator.outputs = [-1 if tensor is None else tensor for tensor in outputs]
        self.table.operators.append(operator)
        return operator


def _quantization(scale, zero_point, dimension):
    quantization = schema.QuantizationParametersT()
    scales = np.atleast_1d(np.asarray(scale, np.float32))
    zero_points = np.atleast_1d(np.asarray(0 if zero_point is None else zero_point, np.int64))
    if zero_points.size == 1:
        zero_points = np.repeat(zero_points, scales.size)
    quantization.scale = scales.tolist()
    quantization.zeroPoint = zero_points.tolist()
    quantization.quantizedDimension = dimension
    return quantization


# A model under construction; it has the methods of Subgraph, for sub-graph 0.
class ModelBuilder:
    """Builds a .tflite file: add tensors and operators, name inputs and outputs, `build()`."""

    def __init__(self, description: str = "test"):
        self.table = schema.ModelT()
        self.table.version = 3
        self.table.description = description
        self.table.operatorCodes = []
        self.table.subgraphs = []
        self.table.buffers = []
        self.table.metadata = []
        self.table.signatureDefs = []
        self._codes: dict[tuple[str, int], int] = {}
        self.buffer(None)  # buffer 0 is empty by convention
        self.main = self.subgraph("main")
        self.tensor = self.main.tensor
        self.operator = self.main.operator
        self.custom = self.main.custom
        self.io = self.main.io

    def subgraph(self, name: str) -> Subgraph:
        """Add a sub-graph (for IF, WHILE, CALL_ONCE); its number is the order of calls, from 1."""
        subgraph = Subgraph(self, name)
        self.table.subgraphs.append(subgraph.table)
        return subgraph

    def buffer(self, raw: bytes | None) -> int:
        """Add a buffer and return its number."""
        buffer = AlignedBuffer()
        buffer.data = raw
        self.table.buffers.append(buffer)
        return len(self.table.buffers) - 1

    def operator_code(self, name: str, version: int) -> int:
        """Return the number of an operator code, added at first use."""
        key = (name, version)
        if key not in self._codes:
            code = schema.OperatorCodeT()
            builtin = builtin_code(name)
            if builtin is None:
                builtin = schema.BuiltinOperator.CUSTOM
                code.customCode = name
            code.builtinCode = builtin
            code.deprecatedBuiltinCode = min(builtin, 127)
            code.version = version
            self._codes[key] = len(self.table.operatorCodes)
            self.table.operatorCodes.append(code)
        return self._codes[key]

    def metadata(self, name: str, raw: bytes) -> None:
        """Add a metadata entry."""
        entry = schema.MetadataT()
        entry.name = name
        entry.buffer = self.buffer(raw)
        self.table.metadata.append(entry)

    def offline_plan(self, offsets: Sequence[int]) -> None:
        """Add an OfflineMemoryAllocation: an offset for each tensor of the model, -1 is online."""
        values = [1, len(self.table.subgraphs), len(offsets), *offsets]
        self.metadata("OfflineMemoryAllocation", np.asarray(values, "<i4").tobytes())

    def signature(
        self, key: str, inputs: Mapping[str, int], outputs: Mapping[str, int], subgraph: int = 0
    ) -> None:
        """Add a signature: names of the input and output tensors of a sub-graph."""
        entry = schema.SignatureDefT()
        entry.signatureKey = key
        entry.subgraphIndex = subgraph
        entry.inputs = [_tensor_map(name, index) for name, index in inputs.items()]
        entry.outputs = [_tensor_map(name, index) for name, index in outputs.items()]
        self.table.signatureDefs.append(entry)

    def build(self, *, external_buffers: bool = False) -> bytes:
        """Return the file; `external_buffers` puts constants after the FlatBuffer."""
        self.table.metadata = self.table.metadata or None
        self.table.signatureDefs = self.table.signatureDefs or None
        if not external_buffers:
            return self._pack()
        payloads = {i: b.data for i, b in enumerate(self.table.buffers) if b.data}
        for i, payload in payloads.items():
            self._externalize(i, _PLACEHOLDER, len(payload))
        end = len(self._pack())
        tail = bytearray()
        for i, payload in payloads.items():
            tail += bytes(-(end + len(tail)) % ALIGNMENT)
            self._externalize(i, end + len(tail), len(payload))
            tail += payload
        return self._pack() + bytes(tail)

    def _externalize(self, number, offset, size):
        buffer = self.table.buffers[number]
        buffer.data, buffer.offset, buffer.size = None, offset, size

    def _pack(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.table.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def _tensor_map(name, index):
    entry = schema.TensorMapT()
    entry.name = name
    entry.tensorIndex = index
    return entry
