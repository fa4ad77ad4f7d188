# tflm_tools: litert_worker: the child process of oracle.py that runs job.json with LiteRT's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import json
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

# The reference kernels first, unless the job says otherwise; some operators only have optimized
# kernels. Weights with a scale for each block need the XNNPACK delegate: without it LiteRT leaves
# outputs unwritten.
_KERNELS = {
    "reference": OpResolverType.BUILTIN_REF,
    "optimized": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "XNNPACK": OpResolverType.BUILTIN,
}


# (interpreter, name of its kernels).
def _interpreter(job, names=("reference", "optimized")):
    keep = job["tensors"] is not None
    for name in names[names.index(job["kernels"]) if job["kernels"] in names else 0 :]:
        kernels = _KERNELS[name]
        try:
            interpreter = Interpreter(
                "model",
                experimental_op_resolver_type=kernels,
                experimental_preserve_all_tensors=keep,
            )
            interpreter.allocate_tensors()
            if kernels != OpResolverType.BUILTIN and _has_blocks(interpreter):
                return _interpreter(job, ("XNNPACK",))
            return interpreter, name
        except (RuntimeError, ValueError) as error:
            last = error
    raise last


def _has_blocks(interpreter):
    tensors = interpreter.get_tensor_details()
    return any(details["quantization_parameters"].get("block_size") for details in tensors)


# ("t" + number, array) of the tensors of the first sub-graph that can be read after the last run.
def _tensors(interpreter):
    for details in interpreter.get_tensor_details():
        with contextlib.suppress(ValueError):
            array = interpreter.get_tensor(details["index"])
            if array.dtype != object:  # handles of resource variables, and text
                yield f"t{details['index']}", array


def main():
    with open("job.json") as file:
        job = json.load(file)
    with np.load("inputs.npz") as file:
        inputs = {key: file[key] for key in file.files}
    interpreter, kernels = _interpreter(job)
    numbers = [details["index"] for details in interpreter.get_input_details()]
    result = {}
    times = []
    for i in range(job["runs"]):
        if job["reset"]:
            interpreter.reset_all_variables()
        for k, number in enumerate(numbers):
            interpreter.set_tensor(number, inputs[f"{i}_{k}"])
        begin = time.perf_counter_ns()
        try:
            interpreter.invoke()
        except RuntimeError as error:
            if not job["refusals"]:
                raise
            result[f"r{i}"] = np.array(str(error).splitlines()[0])
            continue
        times.append((time.perf_counter_ns() - begin) / 1000)
        for k, details in enumerate(interpreter.get_output_details()):
            result[f"o{i}_{k}"] = interpreter.get_tensor(details["index"])
    if job["tensors"] is not None:
        result.update(_tensors(interpreter))
    np.savez("outputs.npz", _times=np.array(times), _kernels=np.array(kernels), **result)


if __name__ == "__main__":
    main()
