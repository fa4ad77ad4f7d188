# tflm: Signatures: call a model with inputs and outputs by name.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import format as layout
from ..errors import InputError, ModelError, UnsupportedError, checked_name
from ..table_reader import TableReader


class Signature:
    """A signature of a model: `signature(x=values)` runs it and returns a dict of outputs.

    key: its name. inputs, outputs: names, in the order of the model's inputs and outputs.
    """

    def __init__(self, interpreter, key, inputs, outputs):
        self.key = key
        self.inputs = _names(inputs)
        self.outputs = _names(outputs)
        self._interpreter = interpreter
        self._inputs = inputs
        self._outputs = outputs

    def __call__(self, **values):
        """Run the model once; return {output name: flat list of its values}.

        values: for each input real numbers (see Tensor.quantize), or its raw bytes as bytes or
        bytearray. Outputs are real numbers, or integers if the tensor has no scale. Returns None
        if an operator ended the run early. Raises InputError for wrong names or values.
        """
        inputs = ", ".join(self.inputs)
        for name in values:
            if name not in self.inputs:
                raise InputError(
                    "the signature '%s' has no input '%s'; its inputs: %s"
                    % (self.key, name, inputs)
                )
        for name in self.inputs:
            if name not in values:
                raise InputError(
                    "the signature '%s' needs '%s', too; its inputs: %s" % (self.key, name, inputs)
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


# Return the names of (position, name).
def _names(entries):
    return [name for _, name in entries]


# Set an input to the caller's values.
def _set(tensor, values):
    if not isinstance(values, (bytes, bytearray)):
        tensor.quantize(values)
    elif len(values) == len(tensor.raw):
        tensor.raw[:] = values
    else:
        raise InputError(
            "tensor '%s' has %d bytes, got %d; pass numbers as a list"
            % (tensor.name, len(tensor.raw), len(values))
        )


# Return the values of an output.
def _values(tensor):
    return tensor.dequantize() if tensor.scale else list(tensor.data)


# Return the Signature of a key; None: the only one.
def find(interpreter, key):
    key, inputs, outputs = entry_of(interpreter.model, key)
    for entries, size in (
        (inputs, interpreter.inputs_size()),
        (outputs, interpreter.outputs_size()),
    ):
        for position, _ in entries:
            if position >= size:
                raise _damaged(key)
    return Signature(interpreter, key, inputs, outputs)


# Return the entry of a key in a table of signatures.
def entry_in(found, key):
    if key not in list(found):
        raise InputError(
            "the model has no signature %r; pass one of: %s"
            % (key, ", ".join(sorted(found)) or "none")
        )
    return found[key]


# Return (key, inputs, outputs) of a signature that the model can run; None: the only one.
def entry_of(model, key):
    found = table_of(model)
    if key is None and len(found) == 1:
        key = list(found)[0]
    subgraph, inputs, outputs = entry_in(found, key)
    if subgraph:
        raise UnsupportedError(
            "the signature '%s' runs sub-graph %d, not the first; pass it to load() or flatten"
            % (key, subgraph)
        )
    return key, inputs, outputs


def _damaged(key):
    return ModelError("the signature '%s' is damaged; convert the model again" % key)


# Return the signatures: {key: (sub-graph, inputs, outputs)}, with [(position, name)] in order.
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


# Return [(position among the inputs or outputs, name)] in order.
def _positions(key, names, tensors):
    tensors = list(tensors)
    entries = []
    for name, tensor in names.items():
        if tensor not in tensors:
            raise _damaged(key)
        entries.append((tensors.index(tensor), name))
    return sorted(entries)


# Return the signatures in the metadata of a flat model.
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


# Return the next string of the table.
def _string(table):
    return checked_name(bytes(table.take(table.unpack("<H")[0])))
