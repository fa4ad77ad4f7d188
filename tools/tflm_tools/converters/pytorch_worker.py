# tflm_tools: the child process of process.py that converts a .pt2 of PyTorch to a float .tflite
# MIT license; Copyright (c) 2026 the tflm authors

# This file imports no other file of tflm, so that any Python with litert-torch can run it.
# A request is a line of JSON on standard input: {"do": name of a method of Worker, arguments...}.
# The reply is a line of JSON on standard output. PyTorch's own output goes to standard error.

import json
import os
import shutil
import sys

_IMAGE_CHANNELS = 1, 3, 4


# True for a shape N, C, H, W of images, which boards have as N, H, W, C.
def _is_image(shape):
    return len(shape) == 4 and shape[1] in _IMAGE_CHANNELS and shape[3] not in _IMAGE_CHANNELS


class Worker:
    """The requests about one exported program; each method returns a dict, the reply."""

    def open(self, model):
        """Load the model; reply with the version of litert-torch and the inputs."""
        import importlib.metadata

        import litert_torch  # noqa: F401 (an ImportError is reported here)
        import torch

        self.program = torch.export.load(model)
        nodes = {n.name: n for n in self.program.graph.nodes if n.op == "placeholder"}
        inputs = []
        for name in self.program.graph_signature.user_inputs:
            value = nodes[name].meta["val"]
            shape = [int(s) if isinstance(s, int) else None for s in value.shape]
            dtype = str(value.dtype).removeprefix("torch.")
            inputs.append({"name": name, "dtype": dtype, "shape": shape})
        self.dtypes = [entry["dtype"] for entry in inputs]
        return {"version": importlib.metadata.version("litert-torch"), "inputs": inputs}

    def trace(self, shapes, unroll):
        """Remember the shapes of the inputs; PyTorch computes the outputs when it converts."""
        self.shapes = shapes
        return {"outputs": [], "unrolled": []}

    def convert(self, form, keep_float, runs):
        """Write model.tflite, in float32. Images become N, H, W, C."""
        import litert_torch
        import torch

        module = self.program.module()
        samples = [
            torch.zeros(shape, dtype=getattr(torch, dtype))
            for shape, dtype in zip(self.shapes, self.dtypes)  # noqa: B905
        ]
        images = [number for number, shape in enumerate(self.shapes) if _is_image(shape)]
        if images:
            module = litert_torch.to_channel_last_io(module, args=images)
            for number in images:
                samples[number] = samples[number].permute(0, 2, 3, 1).contiguous()
        litert_torch.convert(module, tuple(samples)).export("model.tflite")
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
            except BaseException as error:  # reasons.error() turns any exception into a sentence
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), file=replies, flush=True)
    finally:  # unless the program that has asked removes the folder, it was ended
        shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
