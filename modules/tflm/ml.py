# tflm.ml: Model with the names and meanings of OpenMV's module ml
# MIT license; Copyright (c) 2026 the tflm authors

from .api_compat import arrays


class Model:
    """OpenMV's ml.Model: `ml.Model("model.tflite").predict([values])`, a .tflm as well.

    postprocess: a function of (model, inputs, outputs) that predict() calls with outputs as the
    model has them; what it returns is what predict() gives. load_to_fb is taken and changes
    nothing. labels: the lines of a .txt file beside the model, else the labels in its metadata,
    else None. len: bytes of the model; ram: bytes of its arena. input_shape, input_dtype,
    input_scale, input_zero_point, and the same of outputs: lists with one entry a tensor; a dtype
    is a letter, as array has it. Arrays are numpy's on a computer, nested lists with shape,
    flatten() and tolist() on a board.
    """

    def __init__(self, path, postprocess=None, *, load_to_fb=False):
        self.postprocess = postprocess
        self._interpreter = interpreter = arrays.Interpreter(path)
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
        """Run the model; a list of arrays of real numbers, one for each output.

        inputs: one entry for each input: real numbers in its shape, or a function that is called
        with (buffer, shape, dtype) and fills the buffer with the input's bytes. callback: in place
        of postprocess, for this call. Raises InputError for other entries.
        """
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(self._inputs):
            raise ValueError("the model has %d inputs; pass a list of them" % len(self._inputs))
        for values, tensor in zip(inputs, self._inputs):
            if callable(values):
                values(tensor.raw, tensor.shape, arrays.typecode(tensor.dtype))
            else:
                tensor.quantize(arrays.real(values))
        self._interpreter.invoke()
        callback = callback or self.postprocess
        if callback is not None:
            found = [arrays.shaped(tensor.data, tensor.shape) for tensor in self._outputs]
            return callback(self, inputs, found)
        return [arrays.shaped(arrays.floats(tensor), tensor.shape) for tensor in self._outputs]

    def __repr__(self):
        return "<Model of %d bytes, %d of RAM>" % (self.len, self.ram)


# The lines of the .txt file of the model's name; [] without one.
def _labels(path):
    try:
        with open((path[: path.rfind(".")] if "." in path else path) + ".txt") as file:
            return [line.rstrip("\r\n") for line in file]
    except OSError:
        return []
