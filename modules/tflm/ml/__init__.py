# tflm.ml: Model: the API of OpenMV's module ml.
# MIT license; Copyright (c) 2026 the tflm authors

from ..api_compat import arrays


class Model:
    """OpenMV's ml.Model: `ml.Model("model.tflite").predict([values])`, also for a .tflm.

    path: of the model. postprocess: a function of (model, inputs, outputs), which predict() calls
    with the outputs in the types of the model; predict() returns its result. load_to_fb: ignored.

    len: bytes of the model. ram: bytes of its arena. labels: the lines of a .txt file with the
    model's name, else the labels in its metadata, else None. input_shape, input_dtype,
    input_scale, input_zero_point, and output_...: lists with an entry for each tensor; a dtype is
    a typecode of array. Arrays are numpy's on a computer; on a board they are nested lists with
    shape, flatten() and tolist().
    """

    def __init__(self, path, postprocess=None, *, load_to_fb=False):
        self.postprocess = postprocess
        self.interpreter = interpreter = arrays.Interpreter(path)
        interpreter.allocate_tensors()
        model = interpreter.model
        self.len = len(model.buffer)
        self.ram = interpreter.arena_used_bytes()
        self.labels = _labels(path) or model.labels() or None
        self._inputs = [interpreter.input(i) for i in range(interpreter.inputs_size())]
        self._outputs = [interpreter.output(i) for i in range(interpreter.outputs_size())]
        for name, tensors in (("input_", self._inputs), ("output_", self._outputs)):
            setattr(self, name + "shape", [tensor.shape for tensor in tensors])
            setattr(self, name + "dtype", [arrays.typecode(tensor.dtype) for tensor in tensors])
            setattr(self, name + "scale", [tensor.scale for tensor in tensors])
            setattr(self, name + "zero_point", [tensor.zero_point for tensor in tensors])

    def predict(self, inputs, *, callback=None):
        """Run the model; return a list of arrays of real numbers, one for each output.

        inputs: a list with an entry for each input: real numbers in its shape, or a function of
        (buffer, shape, dtype) that fills the buffer with the input's bytes. callback: replaces
        postprocess for this call. Raises ValueError for a wrong number of inputs, InputError for
        wrong values.
        """
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(self._inputs):
            raise ValueError("the model has %d inputs; pass a list of them" % len(self._inputs))
        for values, tensor in zip(inputs, self._inputs):
            if callable(values):
                values(tensor.raw, tensor.shape, arrays.typecode(tensor.dtype))
            else:
                tensor.quantize(arrays.real(values))
        self.interpreter.invoke()
        callback = callback or self.postprocess
        if callback is not None:
            found = [arrays.shaped(tensor.data, tensor.shape) for tensor in self._outputs]
            return callback(self, inputs, found)
        return [arrays.shaped(arrays.floats(tensor), tensor.shape) for tensor in self._outputs]

    def __repr__(self):
        return "<Model of %d bytes, %d of RAM>" % (self.len, self.ram)


# Return the lines of the .txt file with the model's name; [] without one.
def _labels(path):
    try:
        with open((path[: path.rfind(".")] if "." in path else path) + ".txt") as file:
            return [line.rstrip("\r\n") for line in file]
    except OSError:
        return []
