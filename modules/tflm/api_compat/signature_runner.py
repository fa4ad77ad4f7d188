# tflm: SignatureRunner: LiteRT's function for a signature of a model.
# MIT license; Copyright (c) 2026 the tflm authors


class SignatureRunner:
    """The result of get_signature_runner(): `runner(x=array)` returns a dict of arrays by name."""

    def __init__(self, interpreter, inputs, outputs):
        self._interpreter = interpreter
        self._inputs = inputs
        self._outputs = outputs

    def __call__(self, **values):
        interpreter = self._interpreter
        if sorted(values) != sorted(self._inputs):
            raise ValueError(
                "the inputs of this signature are %s, got %s; pass each by its name"
                % (sorted(self._inputs), sorted(values))
            )
        details = self.get_input_details()
        for name in values:
            shape = getattr(values[name], "shape", None)
            if shape is not None and list(shape) != list(details[name]["shape"]):
                interpreter.resize_tensor_input(self._inputs[name], shape)
        for name in values:
            interpreter.set_tensor(self._inputs[name], values[name])
        interpreter.invoke()
        return {name: interpreter.get_tensor(self._outputs[name]) for name in self._outputs}

    def get_input_details(self):
        """Return the details of the inputs: {name: details}."""
        return _by_name(self._inputs, self._interpreter.get_input_details())

    def get_output_details(self):
        """Return the details of the outputs: {name: details}."""
        return _by_name(self._outputs, self._interpreter.get_output_details())


def _by_name(names, details):
    found = {each["index"]: each for each in details}
    return {name: found[index] for name, index in names.items()}
