# tflm_tools: tflite_writer: writes a .tflite, tensor by tensor and operator by operator
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from ..transform import schema as tflite

_TYPES = {"float32": "f4", "int8": "i1", "int32": "i4", "bool": "?", "resource": "i4"}


class TfliteWriter:
    """A .tflite with one sub-graph; tensors are identified by their numbers."""

    def __init__(self, description):
        tflite.require()
        self._schema = tflite.schema()
        self._model = self._schema.ModelT()
        self._model.version = 3
        self._model.description = description
        self._model.operatorCodes, self._model.buffers = [], [self._schema.BufferT()]
        self._graph = self._schema.SubGraphT()
        self._graph.name = "main"
        self._graph.tensors, self._graph.operators = [], []
        self._model.subgraphs = [self._graph]
        self._codes = {}

    def tensor(self, shape, dtype, name, scales=None, zero_point=0, data=None):
        """Add a tensor and return its number.

        scales: one, or one for each entry of the first axis, for int8. data: values of a constant.
        """
        tensor = self._schema.TensorT()
        tensor.type = getattr(self._schema.TensorType, dtype.upper())
        tensor.shape, tensor.name = list(shape), name
        if scales is not None:
            scales = np.atleast_1d(np.asarray(scales, np.float32))
            tensor.quantization = self._schema.QuantizationParametersT()
            tensor.quantization.scale = scales.tolist()
            tensor.quantization.zeroPoint = [int(zero_point)] * len(scales)
        if data is None:
            tensor.buffer = 0
        else:
            array = np.asarray(data).astype(_TYPES[dtype]).reshape(shape)
            tensor.buffer = tflite.add_buffer(self._model, array.tobytes())
        self._graph.tensors.append(tensor)
        return len(self._graph.tensors) - 1

    def operator(self, name, inputs, outputs, version=1, table=None, **options):
        """Add an operator; a missing input is None.

        table: the name of its options in the schema. options: their fields, as in the schema.
        """
        operator = self._schema.OperatorT()
        operator.opcodeIndex = self._code(name, version)
        operator.inputs = [-1 if tensor is None else tensor for tensor in inputs]
        operator.outputs = list(outputs)
        if table:
            operator.builtinOptionsType = getattr(self._schema.BuiltinOptions, table)
            operator.builtinOptions = getattr(self._schema, table + "T")()
            for field, value in options.items():
                setattr(operator.builtinOptions, field, value)
        self._graph.operators.append(operator)

    def _code(self, name, version):
        if (name, version) not in self._codes:
            entry = self._schema.OperatorCodeT()
            entry.builtinCode = getattr(self._schema.BuiltinOperator, name)
            entry.deprecatedBuiltinCode = min(entry.builtinCode, 127)
            entry.version = version
            self._codes[name, version] = len(self._codes)
            self._model.operatorCodes.append(entry)
        return self._codes[name, version]

    def finish(self, inputs, outputs, metadata):
        """Return the bytes of the file. inputs, outputs: tensors. metadata: {name: bytes}."""
        self._graph.inputs, self._graph.outputs = list(inputs), list(outputs)
        for name, data in metadata.items():
            tflite.add_metadata(self._model, name, data)
        return tflite.write_model(self._model)
