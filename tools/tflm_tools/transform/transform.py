# tflm_tools: transform: removes data from a .tflite that no board needs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from .. import files
from ..check import oracle
from ..check.cases import make_cases
from ..check.comparison import first_difference
from ..errors import ToolError
from ..flat.flatten import flatten
from ..model.model_file import open_model, open_tflite
from ..model.schema import BuiltinOperator
from . import schema

_CASES = 3


@dataclass
class Transformed:
    """The result of `tflm transform`; `done` names the transforms, sizes are in bytes."""

    source: str
    output: str
    done: list[str]
    before_bytes: int
    after_bytes: int


# Remove the names of the model, sub-graphs and tensors, and the signatures, which are only names.
def _strip_strings(model):
    model.description = None
    model.signatureDefs = None
    for subgraph in model.subgraphs:
        subgraph.name = None
        for tensor in subgraph.tensors:
            tensor.name = None


# Replace the names of resource variables, which include a container, by 0, 1, 2, ...
def _shorten_variables(model):
    known = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators or []:
            if (
                schema.code_of(model, operator) == BuiltinOperator.VAR_HANDLE
                and operator.builtinOptions
            ):
                options = operator.builtinOptions
                key = (options.container, options.sharedName)
                options.container = None
                options.sharedName = str(known.setdefault(key, len(known)))


# Remove the ranges of the training, which no interpreter reads, and replace equal zero points of
# all channels by one.
def _strip_quantization(model):
    for subgraph in model.subgraphs:
        for tensor in subgraph.tensors:
            quantization = tensor.quantization
            if quantization is None:
                continue
            quantization.min = quantization.max = None
            points = quantization.zeroPoint
            if points is not None and len(points) > 1 and len(set(map(int, points))) == 1:
                quantization.zeroPoint = points[:1]


TRANSFORMS = {
    "strip-strings": _strip_strings,
    "shorten-variables": _shorten_variables,
    "strip-quantization": _strip_quantization,
}


# (cases, outputs) of a .tflite in TFLM for random inputs with a fixed seed.
def _outputs(model, timeout):
    cases = make_cases(model.inputs, _CASES, 0)
    return cases, oracle.run(model.data, [case.inputs for case in cases], timeout=timeout).outputs


# Raise TflmError unless TFLM computes equal outputs for both models, and the new one can be
# flattened.
def _check_same(before, after, timeout):
    flatten(after.data)
    _, wanted = _outputs(before, timeout)
    cases, got = _outputs(after, timeout)
    for case, ours, theirs in zip(cases, got, wanted, strict=True):
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype or first_difference(a, b):
                raise ToolError(
                    f"output {k} of {before.path} would change in the case '{case.name}'; leave "
                    "out a transform"
                )


def transform(path, output, names=(), timeout=None):
    """Apply transforms to the .tflite at `path`, and write `output`.

    names: the transforms, keys of TRANSFORMS; by default all of them. timeout: seconds that TFLM
    has for each model. Before the new model is written, TFLM compares it with the old one. Returns
    a Transformed. Raises TflmError.
    """
    files.check_output(output, path)
    schema.require()
    before = open_tflite(path, "transform")
    done = [name for name in TRANSFORMS if not names or name in names]
    with schema.changes(path, before.data):
        model = schema.read_model(before.data)
        for name in done:
            TRANSFORMS[name](model)
        data = schema.write_model(model)
    _check_same(before, open_model(output, data), timeout)
    files.write(output, data)
    return Transformed(str(path), str(output), done, len(before.data), len(data))
