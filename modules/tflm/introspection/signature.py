# tflm: signatures: inputs and outputs of a model by name
# MIT license; Copyright (c) 2026 the tflm authors

from .. import format as layout
from ..errors import InputError, ModelError, UnsupportedError, intact
from ..table_reader import TableReader


class Signature:
    """A signature of a model, to be called: `signature(x=values)` gives a dict of outputs.

    key: its name. inputs, outputs: names, in the order of the model's inputs and outputs.
    """

    def __init__(self, interpreter, key, inputs, outputs):
        self.key = key
        self.inputs = [name for _, name in inputs]
        self.outputs = [name for _, name in outputs]
        self._interpreter = interpreter
        self._inputs = inputs
        self._outputs = outputs

    def __call__(self, **values):
        """Run the model once; a dict of output name to a flat list of its values.

        Each input gets real numbers (see Tensor.quantize), or its own bytes as bytes or bytearray.
        Outputs are real numbers, whole ones where the tensor has no scale. None when an operator
        ended the run early. Raises InputError for names and values that do not fit.
        """
        for name in values:
            if name not in self.inputs:
                raise InputError(
                    "the signature '%s' has no input '%s'; its inputs are: %s"
                    % (self.key, name, ", ".join(self.inputs))
                )
        for name in self.inputs:
            if name not in values:
                raise InputError(
                    "the signature '%s' needs the input '%s' as well; its inputs are: %s"
                    % (self.key, name, ", ".join(self.inputs))
                )
        interpreter = self._interpreter
        for position, name in self._inputs:
            _set(interpreter.input(position), values[name])
        if interpreter.invoke():
            return None
        return {name: _values(interpreter.output(position)) for position, name in self._outputs}

    def __repr__(self):
        return "<Signature %s(%s) gives %s>" % (
            self.key,
            ", ".join(self.inputs),
            ", ".join(self.outputs),
        )


# Store what a caller gave for an input.
def _set(tensor, values):
    if not isinstance(values, (bytes, bytearray)):
        tensor.quantize(values)
    elif len(values) == len(tensor.raw):
        tensor.raw[:] = values
    else:
        raise InputError(
            "tensor '%s' has %d bytes, got %d; numbers to be quantized are passed as a list"
            % (tensor.name, len(tensor.raw), len(values))
        )


# What a caller gets of an output.
def _values(tensor):
    return tensor.dequantize() if tensor.scale else list(tensor.data)


# The Signature of a key; None stands for the only one there is.
def find(interpreter, key):
    found = table_of(interpreter.model)
    if key is None and len(found) == 1:
        key = list(found)[0]
    if key not in list(found):
        raise InputError(
            "the model has no signature %s; it has: %s"
            % ("of its own" if key is None else repr(key), ", ".join(sorted(found)) or "none")
        )
    subgraph, inputs, outputs = found[key]
    if subgraph:
        raise UnsupportedError(
            "the signature '%s' runs sub-graph %d, an Interpreter runs the first one; convert a "
            "model for each signature" % (key, subgraph)
        )
    for entries, size in (
        (inputs, interpreter.inputs_size()),
        (outputs, interpreter.outputs_size()),
    ):
        if [position for position, _ in entries if position >= size]:
            raise _damaged(key)
    return Signature(interpreter, key, inputs, outputs)


def _damaged(key):
    return ModelError("the signature '%s' is damaged; convert the model again" % key)


# Signatures of a model: {key: (sub-graph, inputs, outputs)}, both [(position, name)] in order.
def table_of(model):
    if not hasattr(model, "subgraphs"):
        return parse(model.signature_data())
    found = {}
    for key, (number, inputs, outputs) in model.signatures().items():
        if number >= len(model.subgraphs):
            raise _damaged(key)
        subgraph = model.subgraphs[number]
        found[key] = (
            number,
            _positions(key, inputs, subgraph.inputs),
            _positions(key, outputs, subgraph.outputs),
        )
    return found


# Names with the places of their tensors among inputs or outputs.
def _positions(key, names, tensors):
    tensors = list(tensors)
    entries = []
    for name, tensor in names.items():
        if tensor not in tensors:
            raise _damaged(key)
        entries.append((tensors.index(tensor), name))
    return sorted(entries)


# What a flat model keeps of that; nothing when there is none.
def parse(data):
    found = {}
    if data is None:
        return found
    table = TableReader(data, "the table of its signatures")
    for _ in range(table.unpack("<H")[0]):
        number, inputs, outputs = table.unpack(layout.SIGNATURE)
        key = _string(table)
        entries = [(table.unpack("<H")[0], _string(table)) for _ in range(inputs + outputs)]
        found[key] = number, entries[:inputs], entries[inputs:]
    return found


def _string(table):
    return intact(bytes(table.take(table.unpack("<H")[0])))
