# tflm_tools: the child process of process.py: traces a Keras model or SavedModel and converts it
# MIT license; Copyright (c) 2026 the tflm authors

# It imports nothing of ours: any Python that has TensorFlow runs it, as a file. A request is a
# line of JSON on standard input, {"do": the name of a function below, its arguments}; so is the
# reply on standard output. What TensorFlow prints goes to standard error.

import json
import os
import sys
import zipfile

import numpy as np

# Must be set before TensorFlow loads: oneDNN reorders float sums from one CPU to the next.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"


class Source:
    """What is converted. `inputs`: a TensorSpec of each, `call(*tensors)`: a list of outputs."""

    def __init__(self, inputs, call, layers=()):
        self.inputs = inputs
        self.call = call
        self.layers = layers
        self.function = None


# The version of Keras that wrote a file, "" where it does not say.
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

    # Those inside of others, as of Bidirectional, too.
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
    source.loaded = loaded  # its variables live as long as it does
    return source


# What a TensorSpec or tensor is, in words of JSON; None for what is open.
def _told(name, tensor):
    shape = tensor.shape.as_list() if tensor.shape.rank is not None else None
    return {"name": name, "dtype": tensor.dtype.name, "shape": shape}


class Worker:
    """Answers requests about one model."""

    def open(self, model):
        """Load the model: versions, and its inputs."""
        self.written_by = "" if os.path.isdir(model) else _written_by(model)
        import keras
        import tensorflow as tf

        self.keras = keras.__version__
        self.source = (_saved_model if os.path.isdir(model) else _keras)(model)
        inputs = [_told(spec.name, spec) for spec in self.source.inputs]
        return {"tensorflow": tf.__version__, "inputs": inputs}

    def trace(self, shapes, unroll):
        """Fix the shapes of the inputs: outputs, and names of recurrent layers made straight."""
        import tensorflow as tf

        straight = []
        for layer in self.source.layers if unroll else ():
            if getattr(layer, "unroll", None) is False:
                layer.unroll = True
                straight.append(layer.name)
        specs = [
            tf.TensorSpec(shape, spec.dtype, name=spec.name)
            for spec, shape in zip(self.source.inputs, shapes)  # noqa: B905
        ]
        traced = tf.function(self.source.call, input_signature=specs).get_concrete_function()
        self.source.function = traced
        outputs = [_told(f"output_{i}", tensor) for i, tensor in enumerate(traced.outputs)]
        return {"outputs": outputs, "unrolled": straight}

    def predict(self, runs):
        """Output 0 of each run of scored.npz, in TensorFlow, to predicted.npz."""
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
        """Write model.tflite, quantized by the runs of taken.npz."""
        import tensorflow as tf

        converter = tf.lite.TFLiteConverter.from_concrete_functions([self.source.function])
        # Constants instead of variables; inputs and outputs stay in their order.
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
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # whatever it is, the other side makes a sentence of it
            reply = {"error": f"{type(error).__name__}: {error}"}
            reply["written_by"] = getattr(worker, "written_by", "")
            reply["keras"] = getattr(worker, "keras", "")
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
