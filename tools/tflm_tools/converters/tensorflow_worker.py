# tflm_tools: worker: the child process of process.py, which converts a model with TensorFlow
# MIT license; Copyright (c) 2026 the tflm authors

# This file imports no other file of tflm, so that any Python with TensorFlow can run it.
# A request is a line of JSON on standard input: {"do": name of a method of Worker, arguments...}.
# The reply is a line of JSON on standard output. TensorFlow's own output goes to standard error.

import json
import os
import shutil
import sys
import zipfile

import numpy as np

# These must be set before TensorFlow loads. oneDNN is off because it computes float sums in an
# order that depends on the CPU.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"


class Source:
    """A model to convert.

    inputs: a TensorSpec for each input. call: a function of the input tensors that returns a list
    of outputs. layers: the Keras layers. function: the traced `call`, set by Worker.trace().
    """

    def __init__(self, inputs, call, layers=()):
        self.inputs = inputs
        self.call = call
        self.layers = layers
        self.function = None


# The version of Keras that wrote a file, "" if it is not known.
def _written_by(path):
    try:
        if zipfile.is_zipfile(path):
            return json.loads(zipfile.ZipFile(path).read("metadata.json"))["keras_version"]
        import h5py

        with h5py.File(path) as file:
            return str(file.attrs["keras_version"])
    except (OSError, KeyError, ValueError, ImportError):
        return ""


def _keras(path):
    import tensorflow as tf

    model = tf.keras.models.load_model(path, compile=False)
    specs = [tf.TensorSpec(t.shape, t.dtype, name=t.name.split(":")[0]) for t in model.inputs]

    structure = getattr(model, "_inputs_struct", None)

    def call(*tensors):
        given = list(tensors) if len(tensors) > 1 else tensors[0]
        if isinstance(structure, dict):
            given = tf.nest.pack_sequence_as(structure, tensors)
        return tf.nest.flatten(model(given, training=False))

    # _flatten_layers() includes layers inside of other layers, such as Bidirectional.
    return Source(specs, call, list(model._flatten_layers()))


def _saved_model(path):
    import tensorflow as tf

    loaded = tf.saved_model.load(path)
    signatures = dict(loaded.signatures)
    if "serving_default" not in signatures:
        raise LookupError(f"signatures: {', '.join(signatures) or 'none'}")
    signature = signatures["serving_default"]
    specs = signature.structured_input_signature[1]
    names = list(specs)

    def call(*tensors):
        found = signature(**dict(zip(names, tensors)))  # noqa: B905
        return [found[name] for name in sorted(found)]

    source = Source([tf.TensorSpec(specs[n].shape, specs[n].dtype, name=n) for n in names], call)
    source.loaded = loaded  # keeps the variables of the model alive
    return source


# A TensorSpec or tensor as JSON; None stands for an open dimension or rank.
def _description(name, tensor):
    shape = tensor.shape.as_list() if tensor.shape.rank is not None else None
    return {"name": name, "dtype": tensor.dtype.name, "shape": shape}


class Worker:
    """The requests about one model; each method returns a dict, the reply."""

    def open(self, model):
        """Load the model; reply with TensorFlow's version and the inputs."""
        self.written_by = "" if os.path.isdir(model) else _written_by(model)
        import keras
        import tensorflow as tf

        self.keras = keras.__version__
        self.source = (_saved_model if os.path.isdir(model) else _keras)(model)
        inputs = [_description(spec.name, spec) for spec in self.source.inputs]
        return {"tensorflow": tf.__version__, "inputs": inputs}

    def trace(self, shapes, unroll):
        """Trace the model with these input shapes; reply with the outputs.

        unroll: unroll recurrent layers, because loops cannot be quantized; the reply names them.
        """
        import tensorflow as tf

        unrolled = []
        for layer in self.source.layers if unroll else ():
            if getattr(layer, "unroll", None) is False:
                layer.unroll = True
                unrolled.append(layer.name)
        specs = [
            tf.TensorSpec(shape, spec.dtype, name=spec.name)
            for spec, shape in zip(self.source.inputs, shapes)  # noqa: B905
        ]
        traced = tf.function(self.source.call, input_signature=specs).get_concrete_function()
        self.source.function = traced
        outputs = [_description(f"output_{i}", tensor) for i, tensor in enumerate(traced.outputs)]
        return {"outputs": outputs, "unrolled": unrolled}

    def predict(self, runs):
        """Compute output 0 of each run in scored.npz, and write predicted.npz."""
        found = {}
        with np.load("scored.npz") as file:
            for i in range(runs):
                arrays = [file[f"{i}_{k}"] for k in range(len(self.source.inputs))]
                found[f"o{i}"] = self._call(arrays)[0].numpy()
        np.savez("predicted.npz", **found)
        return {}

    def _call(self, arrays):
        import tensorflow as tf

        found = self.source.function(*map(tf.constant, arrays))
        return tf.nest.flatten(found)

    def convert(self, form, keep_float, runs):
        """Write model.tflite, quantized with the runs in taken.npz."""
        import tensorflow as tf

        converter = tf.lite.TFLiteConverter.from_concrete_functions([self.source.function])
        # Variables become constants, and inputs and outputs keep their order.
        converter.experimental_lower_to_saved_model = False
        if form != "float32":
            sets = tf.lite.OpsSet
            wide = sets.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: self._taken(runs)
            converter.target_spec.supported_ops = [
                wide if form == "int16" else sets.TFLITE_BUILTINS_INT8
            ]
            if not keep_float:
                ends = tf.int16 if form == "int16" else tf.int8
                converter.inference_input_type = converter.inference_output_type = ends
        data = converter.convert()
        with open("model.tflite", "wb") as file:
            file.write(data)
        return {}

    def _taken(self, runs):
        with np.load("taken.npz") as file:
            for i in range(runs):
                yield [file[f"{i}_{k}"] for k in range(len(self.source.inputs))]


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = getattr(worker, request.pop("do"))(**request)
            except Exception as error:  # reasons.error() turns any exception into a sentence
                reply = {"error": f"{type(error).__name__}: {error}"}
                reply["written_by"] = getattr(worker, "written_by", "")
                reply["keras"] = getattr(worker, "keras", "")
            print(json.dumps(reply), file=replies, flush=True)
    finally:  # unless the program that has asked removes the folder, it was ended
        shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
