# tflm_tools: the child process of process.py that converts an .onnx to a float .tflite
# MIT license; Copyright (c) 2026 the tflm authors

# This file imports no other file of tflm, so that any Python with onnx2tf can run it.
# A request is a line of JSON on standard input: {"do": name of a method of Worker, arguments...}.
# The reply is a line of JSON on standard output. onnx2tf's own output goes to standard error.

import json
import os
import shutil
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"


class Worker:
    """The requests about one ONNX model; each method returns a dict, the reply."""

    def open(self, model):
        """Load the model; reply with the version of onnx2tf and the inputs."""
        import importlib.metadata

        import onnx

        self.path = model
        graph = onnx.load(model).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = []
        for entry in graph.input:
            if entry.name in constants:
                continue
            kind = entry.type.tensor_type
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).name
            shape = [
                size.dim_value if size.HasField("dim_value") and size.dim_value > 0 else None
                for size in kind.shape.dim
            ]
            inputs.append({"name": entry.name, "dtype": dtype, "shape": shape})
        self.names = [entry["name"] for entry in inputs]
        return {"version": importlib.metadata.version("onnx2tf"), "inputs": inputs}

    def trace(self, shapes, unroll):
        """Remember the shapes of the inputs; onnx2tf computes the outputs when it converts."""
        self.shapes = shapes
        return {"outputs": [], "unrolled": []}

    def convert(self, form, keep_float, runs):
        """Write model.tflite, in float32. Images become N, H, W, C."""
        import onnx2tf

        shapes = [
            f"{name}:{','.join(map(str, shape))}"
            for name, shape in zip(self.names, self.shapes)  # noqa: B905
        ]
        onnx2tf.convert(
            input_onnx_file_path=self.path,
            output_folder_path="onnx",
            overwrite_input_shape=shapes,
            non_verbose=True,
        )
        found = [name for name in os.listdir("onnx") if name.endswith("_float32.tflite")]
        os.replace(os.path.join("onnx", found[0]), "model.tflite")
        return {}


def main():
    """Answer requests until standard input ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = getattr(worker, request.pop("do"))(**request)
            except BaseException as error:  # onnx2tf ends with SystemExit
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), file=replies, flush=True)
    finally:  # unless the program that has asked removes the folder, it was ended
        shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
