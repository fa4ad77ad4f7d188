# tflm.litert: Interpreter with the names and meanings of LiteRT (ai_edge_litert, tf.lite)
# MIT license; Copyright (c) 2026 the tflm authors

from .api_compat import arrays, details
from .api_compat.signature_runner import SignatureRunner
from .introspection.signature import table_of


class Interpreter:
    """LiteRT's Interpreter: `from tflm.litert import Interpreter`, on a board or a computer.

    model_path: a .tflite or .tflm. model_content: its bytes, used in place. num_threads: 2 or
    more take a second core, where a board has one. experimental_preserve_all_tensors: get_tensor
    gives what is between operators, too (a .tflite only). Other experimental_ options change no
    result, and nothing here. Raises ValueError as LiteRT does for what is passed, and TflmError
    for models.

    Inputs keep their values from invoke to invoke, and outputs theirs until the next one, as in
    LiteRT: for that, inputs are held once more outside of the arena.
    """

    def __init__(
        self,
        model_path=None,
        model_content=None,
        experimental_delegates=None,
        num_threads=None,
        experimental_op_resolver_type=None,
        experimental_preserve_all_tensors=False,
        **options,
    ):
        if (model_path is None) == (model_content is None):
            raise ValueError("one of model_path and model_content is needed; pass one of them")
        if num_threads is not None and (not isinstance(num_threads, int) or num_threads < 1):
            raise ValueError("num_threads is %r; pass 1 or more" % (num_threads,))
        for name in options:
            if name[:13] != "experimental_":
                raise TypeError("Interpreter has no option %s; leave it out" % name)
        if experimental_delegates:
            raise ValueError("LiteRT's delegates are for computers; leave them out")
        self._keep = experimental_preserve_all_tensors
        self._interpreter = arrays.Interpreter(
            model_content if model_path is None else str(model_path),
            keep_tensors=self._keep,
            cores=2 if (num_threads or 1) > 1 else 1,
        )
        self._held = {}  # number of an input: its values

    def allocate_tensors(self):
        """Lay out the tensors; inputs keep values that still fit."""
        self._interpreter.allocate_tensors()

    # (numbers of the inputs, numbers of the outputs) among the model's tensors.
    def _indices(self):
        model = self._interpreter.model
        if hasattr(model, "subgraphs"):
            return list(model.subgraphs[0].inputs), list(model.subgraphs[0].outputs)
        *_, inputs, outputs = model.subgraph()
        return list(range(inputs)), list(range(inputs, inputs + outputs))

    def get_input_details(self):
        """A list of dicts: name, index, shape, dtype, quantization (scale, zero point) and so on.

        Shapes and scales are arrays of numpy on a computer, lists on a board. dtype is a class of
        numpy there, a function of that __name__ here: both convert what they are called with.
        """
        interpreter = self._interpreter
        tensors = [interpreter.input(i) for i in range(interpreter.inputs_size())]
        return details.of_tensors(interpreter.model, self._indices()[0], tensors)

    def get_output_details(self):
        """The same of the outputs."""
        interpreter = self._interpreter
        tensors = [interpreter.output(i) for i in range(interpreter.outputs_size())]
        return details.of_tensors(interpreter.model, self._indices()[1], tensors)

    def get_tensor_details(self):
        """The same of every tensor of a .tflite; of a .tflm inputs and outputs are known."""
        return details.of_all(
            self._interpreter.model, self.get_input_details() + self.get_output_details()
        )

    # The number of an input among the inputs.
    def _input(self, index):
        indices = self._indices()[0]
        if index not in indices:
            raise ValueError("tensor %s is no input; the inputs are %s" % (index, indices))
        return indices.index(index)

    # The values of an input, which invoke() hands on.
    def _values(self, index):
        tensor = self._interpreter.input(self._input(index))
        held = self._held.get(index)
        if held is None or len(held) != len(tensor.data):
            self._held[index] = held = arrays.elements(tensor.raw, tensor.dtype)
        return held, tensor

    def set_tensor(self, tensor_index, value):
        """Copy values of the tensor's own type to an input: an array in its shape.

        On a board nested lists do, or a flat array or buffer. Raises ValueError for other shapes
        and types.
        """
        held, tensor = self._values(tensor_index)
        arrays.store(held, value, tensor)

    # The elements of a tensor, flat, and the Tensor.
    def _elements(self, index):
        inputs, outputs = self._indices()
        if index in outputs:
            tensor = self._interpreter.output(outputs.index(index))
            return tensor.data, tensor
        if index in inputs:
            return self._values(index)
        if self._keep and index in self._interpreter.tensors():
            tensor = self._interpreter.tensors()[index]
            return tensor.data, tensor
        constant = details.constant(self._interpreter.model, index)
        if constant is None:
            raise ValueError(
                "tensor %s is not kept; experimental_preserve_all_tensors=True keeps all" % index
            )
        return constant

    def get_tensor(self, tensor_index):
        """A copy of a tensor's values, of its own type, in its shape.

        An array of numpy on a computer; nested lists on a board, with shape, flatten() and
        tolist().
        """
        data, tensor = self._elements(tensor_index)
        return arrays.shaped(data, tensor.shape)

    def tensor(self, tensor_index):
        """A function that gives a tensor's values in place; on a board they are flat."""

        def values():
            data, tensor = self._elements(tensor_index)
            return arrays.view(data, tensor.shape)

        return values

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        """Give an input another shape, for all calls after the next allocate_tensors()."""
        i = self._input(input_index)
        sizes = [int(size) for size in tensor_size]
        if strict:
            known = list(self.get_input_details()[i]["shape_signature"])
            for was, size in zip(known, sizes):
                if was not in (-1, size):  # LiteRT raises this, too
                    raise RuntimeError(
                        "%s: only its dimensions of -1 can be resized; leave strict out" % known
                    )
        self._interpreter.free()
        self._interpreter.resize_input(i, sizes)

    def invoke(self):
        """Run the model once."""
        for i, index in enumerate(self._indices()[0]):
            held, tensor = self._values(index)
            self._interpreter.input(i).data[:] = held
        self._interpreter.invoke()

    def reset_all_variables(self):
        """Give variables the values they had before the first invoke."""
        self._interpreter.reset()

    def get_signature_list(self):
        """{key: {"inputs": names, "outputs": names}} of the model's signatures."""
        table = table_of(self._interpreter.model)
        return {key: {"inputs": _names(table[key][1]), "outputs": _names(table[key][2])}
                for key in table}  # fmt: skip

    def get_signature_runner(self, signature_key=None):
        """A function of a signature: inputs by name, as set_tensor takes them, give outputs.

        None stands for the only signature there is. Raises ValueError for others.
        """
        table = table_of(self._interpreter.model)
        if signature_key is None and len(table) == 1:
            signature_key = list(table)[0]
        if signature_key not in table:
            raise ValueError(
                "there is no signature %s; the model has: %s"
                % (signature_key, ", ".join(sorted(table)) or "none")
            )
        number, inputs, outputs = table[signature_key]
        if number:
            raise ValueError("signature %s begins in another sub-graph" % signature_key)
        places = self._indices()
        return SignatureRunner(
            self,
            {name: places[0][i] for i, name in inputs},
            {name: places[1][i] for i, name in outputs},
        )


def _names(entries):
    return sorted([name for _, name in entries])
