# tflm_tools: requantize: changes int8 activations of a model to int16
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np
from tflm import dtypes

from .. import files
from ..check import oracle
from ..check.cases import make_cases
from ..errors import ToolError
from ..flat.flatten import flatten
from ..inspection.survey import survey
from ..model import arrays
from ..model.model_file import open_model, open_tflite
from ..model.schema import BuiltinOperator
from . import schema

_CASES = 4

# Operators with weights: (inputs that stay int8, (input, weights, bias) of each sum).
_WEIGHTS = {
    BuiltinOperator.CONV_2D: ((1,), ((0, 1, 2),)),
    BuiltinOperator.DEPTHWISE_CONV_2D: ((1,), ((0, 1, 2),)),
    BuiltinOperator.FULLY_CONNECTED: ((1,), ((0, 1, 2),)),
    BuiltinOperator.TRANSPOSE_CONV: ((1,), ((2, 1, 3),)),
    BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM: (
        tuple(range(1, 9)),
        tuple((0, 1 + i, 12 + i) for i in range(4)),
    ),
}
_WITH_BIAS_TYPE = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.FULLY_CONNECTED,
    BuiltinOperator.TRANSPOSE_CONV,
)


@dataclass
class Distance:
    """The distance between the outputs of the int16 model and the int8 model, in real values.

    step: the scale of the int8 output. largest: the largest distance over some random inputs.
    """

    name: str
    step: float
    largest: float


@dataclass
class Requantized:
    """The result of `tflm requantize`: changed activations and biases, and sizes in bytes."""

    source: str
    output: str
    activations: int
    biases: int
    before_bytes: int
    after_bytes: int
    distances: list[Distance]


# {position: tensor} of an operator's inputs, without omitted inputs.
def _inputs(subgraph, operator):
    numbers = operator.inputs if operator.inputs is not None else ()
    return {i: subgraph.tensors[n] for i, n in enumerate(numbers) if n >= 0}


# (scale, zero point) of a per-tensor quantized tensor, None for any other tensor.
def _quantization(tensor):
    found = tensor.quantization
    if found is None or found.scale is None or len(found.scale) != 1:
        return None
    points = found.zeroPoint
    return np.float64(found.scale[0]), int(points[0]) if points is not None and len(points) else 0


class _Requantizer:
    """Requantizes one ModelT.

    old: {id of an activation's TensorT: its int8 scale}. biases: {id of a bias's TensorT: its new
    scales}. activations: how many were changed.
    """

    def __init__(self, model):
        self.model = model
        self.old = {}
        self.biases = {}
        self.activations = 0

    def run(self):
        """Change all activations, then all biases, whose scales depend on the activations."""
        for subgraph in self.model.subgraphs:
            weights = self._weights(subgraph)
            for tensor in subgraph.tensors:
                if tensor.type == dtypes.INT8 and id(tensor) not in weights:
                    self._activation(tensor)
        for subgraph in self.model.subgraphs:
            for operator in subgraph.operators or []:
                self._sums(subgraph, operator)
        schema.drop_unused_buffers(self.model)

    # {id: TensorT} of the tensors that stay int8.
    def _weights(self, subgraph):
        found, others = {}, {}
        for operator in subgraph.operators or []:
            positions, _ = _WEIGHTS.get(schema.code_of(self.model, operator), ((), ()))
            for i, tensor in _inputs(subgraph, operator).items():
                (found if i in positions else others)[id(tensor)] = tensor
            for number in operator.outputs if operator.outputs is not None else ():
                others[id(subgraph.tensors[number])] = subgraph.tensors[number]
        for key in found.keys() & others.keys():
            if found[key].type == dtypes.INT8:
                name = _name(found[key])
                raise ToolError(
                    f"the weights '{name}' are also used as an activation; convert the model so "
                    "that weights are separate constants"
                )
        return found

    # Change an int8 activation with any zero point to int16 with zero point 0. The end of the int8
    # range that is further from zero becomes 32768 steps. For SOFTMAX, LOGISTIC and TANH, whose
    # int8 scales are 1/256 and 1/128, this is the scale 1/32768 of their int16 kernels.
    def _activation(self, tensor):
        found = _quantization(tensor)
        if found is None:
            return
        scale, zero_point = found
        steps = max(128 - zero_point, 128 + zero_point)
        new = np.float32(scale * steps / 32768)
        values = schema.constant(self.model, tensor)
        if values is not None:
            real = scale * (np.frombuffer(values, np.int8).astype(np.float64) - zero_point)
            quantized = np.clip(np.round(real / np.float64(new)), -32768, 32767).astype("<i2")
            tensor.buffer = schema.add_buffer(self.model, quantized.tobytes())
        self.old[id(tensor)] = scale
        tensor.type = dtypes.INT16
        tensor.quantization.scale = [float(new)]
        tensor.quantization.zeroPoint = [0]
        tensor.quantization.min = tensor.quantization.max = None
        self.activations += 1

    # Change the biases of an operator; the scale of a bias is input scale * weights scale.
    def _sums(self, subgraph, operator):
        code = schema.code_of(self.model, operator)
        tensors = _inputs(subgraph, operator)
        sums = _WEIGHTS.get(code, ((), ()))[1]
        wide = [
            sum_ for sum_ in sums if sum_[0] in tensors and tensors[sum_[0]].type == dtypes.INT16
        ]
        for source, weights, bias in wide:
            if bias in tensors:
                self._bias(tensors[source], tensors[weights], tensors[bias])
        if wide and code in _WITH_BIAS_TYPE and operator.builtinOptions is not None:
            operator.builtinOptions.quantizedBiasType = dtypes.INT64

    def _bias(self, source, weights, bias):
        scale = np.float64(np.float32(source.quantization.scale[0]))
        scales = scale * np.asarray(weights.quantization.scale, np.float64)
        if id(bias) in self.biases:
            if not np.array_equal(self.biases[id(bias)], scales):
                raise ToolError(
                    f"operators with different scales share the bias '{_name(bias)}'; convert the "
                    "model so that each operator has a separate bias"
                )
            return
        values = schema.constant(self.model, bias)
        if bias.type != dtypes.INT32 or values is None:
            return
        old = self.old[id(source)] * np.asarray(weights.quantization.scale, np.float64)
        numbers = np.frombuffer(values, "<i4").astype(np.float64)
        wide = np.round(numbers * (old / scales)).astype("<i8")
        bias.buffer = schema.add_buffer(self.model, wide.tobytes())
        bias.type = dtypes.INT64
        bias.quantization.scale = [float(value) for value in scales]
        bias.quantization.zeroPoint = [0] * len(scales)
        self.biases[id(bias)] = scales


def _name(tensor):
    name = tensor.name or ""
    return name.decode(errors="replace") if isinstance(name, bytes) else name


# Raise ToolError if an operator has no int16 kernel.
def _check_runs(data, path):
    _, _, missing = survey(data)
    if missing:
        reasons = "; ".join(f"{entry.op}: {entry.reason}" for entry in missing)
        raise ToolError(f"{path} cannot have int16 activations: {reasons}; keep it in int8")
    flatten(data)


# Run both models on the same real inputs; returns a Distance for each output.
def _distances(before, after, timeout):
    cases = make_cases(before.inputs, _CASES, 0)[:_CASES]
    ours = [
        [_converted(array, b, a) for array, b, a in zip(case.inputs, before.inputs, after.inputs,
                                                        strict=True)]
        for case in cases
    ]  # fmt: skip
    wanted = oracle.run(before.data, [case.inputs for case in cases], timeout=timeout).outputs
    got = oracle.run(after.data, ours, timeout=timeout).outputs
    found = []
    for k, info in enumerate(before.outputs):
        largest = 0.0
        for run in range(len(cases)):
            a = arrays.dequantize(got[run][k], after.outputs[k])
            b = arrays.dequantize(wanted[run][k], info)
            if a.size:
                largest = max(largest, float(np.abs(a.astype(np.float64) - b).max()))
        found.append(Distance(info.name, info.scale, largest))
    return found


# An input of the model `before`, quantized for the model `after`.
def _converted(array, before, after):
    if before.dtype == after.dtype:
        return array
    return arrays.quantize(arrays.dequantize(array, before), after)


def requantize(path, output, timeout=None):
    """Change the int8 .tflite at `path` to int16 activations and int64 biases; write `output`.

    Weights stay int8. Before the new model is written, TFLM runs both models on the same inputs.
    timeout: seconds that TFLM has for each model. Returns a Requantized. Raises TflmError, also
    for a model without int8 activations.
    """
    files.check_output(output, path)
    schema.require()
    before = open_tflite(path, "requantize")
    with schema.changes(path, before.data):
        requantizer = _Requantizer(schema.read_model(before.data))
        requantizer.run()
        if not requantizer.activations:
            raise ToolError(f"{path} has no int8 activations; requantize an int8 model")
        data = schema.write_model(requantizer.model)
    _check_runs(data, path)
    distances = _distances(before, open_model(output, data), timeout)
    files.write(output, data)
    return Requantized(
        source=str(path),
        output=str(output),
        activations=requantizer.activations,
        biases=len(requantizer.biases),
        before_bytes=len(before.data),
        after_bytes=len(data),
        distances=distances,
    )
