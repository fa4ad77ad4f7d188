# tflm.litert: Interpreter: the API of LiteRT (ai_edge_litert, tf.lite).
# MIT license; Copyright (c) 2026 the tflm authors

from .api_compat import arrays, details
from .api_compat.signature_runner import SignatureRunner
from .dtypes import const
from .introspection.signature import table_of
from .loading import load

_VAR_HANDLE = const(142)


class Interpreter:
    """LiteRT's Interpreter: `from tflm.litert import Interpreter`, on a board or a computer.

    model_path: a .tflite or .tflm. model_content: the bytes of one, used in place. num_threads: 2
        or more use a second core, if the board has one.
    experimental_preserve_all_tensors: get_tensor() also returns intermediate tensors of a .tflite.
        Other experimental_ options are accepted and change nothing.

    As in LiteRT, inputs keep their values between invokes, and outputs until the next invoke: for
    that, a copy of the inputs is stored outside of the arena. Raises ValueError for invalid
    arguments, as LiteRT does, and TflmError for invalid models.
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
        """Place the tensors; inputs keep values that still fit their shape."""
        self._interpreter.allocate_tensors()

    # Return (numbers of the inputs, numbers of the outputs) among the model's tensors.
    def _indices(self):
        model = self._interpreter.model
        if hasattr(model, "subgraphs"):
            return list(model.subgraphs[0].inputs), list(model.subgraphs[0].outputs)
        *_, inputs, outputs = model.subgraph()
        return list(range(inputs)), list(range(inputs, inputs + outputs))

    def get_input_details(self):
        """Return a list of dicts: name, index, shape, dtype, quantization and the like.

        quantization is (scale, zero point). On a computer shapes and scales are numpy arrays and
        dtype is a numpy class; on a board they are lists and a function with that __name__. Both
        kinds of dtype convert their argument.
        """
        interpreter = self._interpreter
        tensors = [interpreter.input(i) for i in range(interpreter.inputs_size())]
        return details.of_tensors(interpreter.model, self._indices()[0], tensors)

    def get_output_details(self):
        """Return the details of the outputs, see get_input_details()."""
        interpreter = self._interpreter
        tensors = [interpreter.output(i) for i in range(interpreter.outputs_size())]
        return details.of_tensors(interpreter.model, self._indices()[1], tensors)

    def get_tensor_details(self):
        """Return the details of all tensors of a .tflite, or of a .tflm's inputs and outputs."""
        return details.of_all(
            self._interpreter.model, self.get_input_details() + self.get_output_details()
        )

    # Return the position of a tensor among the inputs.
    def _input(self, index):
        indices = self._indices()[0]
        if index not in indices:
            raise ValueError("tensor %s is no input; the inputs are %s" % (index, indices))
        return indices.index(index)

    # Return the stored values of an input, which invoke() copies to the arena, and its Tensor.
    def _values(self, index):
        tensor = self._interpreter.input(self._input(index))
        held = self._held.get(index)
        if held is None or len(held) != len(tensor.data):
            self._held[index] = held = arrays.elements(tensor.raw, tensor.dtype)
        return held, tensor

    def set_tensor(self, tensor_index, value):
        """Copy values to an input: an array of the tensor's own type, in its shape.

        On a board, values may be nested lists, a flat array or a buffer. Raises ValueError for
        other shapes and types.
        """
        held, tensor = self._values(tensor_index)
        arrays.store(held, value, tensor)

    # Return (flat elements, Tensor) of a tensor.
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
        """Return a copy of a tensor's values, in its type and shape.

        On a computer it is a numpy array; on a board nested lists with shape, flatten() and
        tolist().
        """
        data, tensor = self._elements(tensor_index)
        return arrays.shaped(data, tensor.shape)

    def tensor(self, tensor_index):
        """Return a function that returns a tensor's values in place; on a board they are flat."""

        def values():
            data, tensor = self._elements(tensor_index)
            return arrays.view(data, tensor.shape)

        return values

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        """Set the shape of an input; effective after the next allocate_tensors()."""
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
        """Set variables to the values that they had before the first invoke."""
        self._interpreter.reset()

    def get_signature_list(self):
        """Return {key: {"inputs": names, "outputs": names}} of the signatures."""
        table = table_of(self._interpreter.model)
        return {key: {"inputs": _names(table[key][1]), "outputs": _names(table[key][2])}
                for key in table}  # fmt: skip

    def get_signature_runner(self, signature_key=None):
        """Return a function of a signature: `runner(x=array)` returns a dict of arrays by name.

        signature_key: None: the only one. Raises ValueError for a missing signature.
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
            return self._of_other_subgraph(signature_key).get_signature_runner(signature_key)
        indices = self._indices()
        return SignatureRunner(
            self,
            {name: indices[0][i] for i, name in inputs},
            {name: indices[1][i] for i, name in outputs},
        )

    # Return an Interpreter of a signature that does not run sub-graph 0. It has separate memory.
    def _of_other_subgraph(self, key):
        model = self._interpreter.model
        if not hasattr(model, "subgraphs"):
            raise ValueError(
                "signature %s begins in another sub-graph; flatten with --signature %s"
                % (key, key)
            )
        if model.has_code((_VAR_HANDLE,)):
            raise ValueError(
                "signature %s may share variables with others; use tflm.load(signature=)" % key
            )
        return Interpreter(model_content=load(model.buffer, signature=key))


def _names(entries):
    return sorted([name for _, name in entries])
