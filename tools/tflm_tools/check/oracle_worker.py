# tflm_tools: oracle_worker: the child process of oracle.py that runs job.json with TFLM's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import ctypes
import json
import time

import flatbuffers
import numpy as np
from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

_NO_ARRAY = (schema.TensorType.STRING, schema.TensorType.RESOURCE, schema.TensorType.VARIANT)


# The numbers of the tensors that operators of the first sub-graph write.
def _computed(subgraph):
    numbers = []
    for operator in subgraph.operators or []:
        numbers += [int(t) for t in operator.outputs if t >= 0 and int(t) not in numbers]
    return [t for t in numbers if subgraph.tensors[t].type not in _NO_ARRAY]


_M_PERTURB = -6  # option of glibc's mallopt(): the byte that fills new memory


def perturb(fill):
    """Let the C library fill new memory with the byte `fill`, if it can."""
    if fill is not None:
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_M_PERTURB, fill ^ 255)


# (model whose outputs include every computed tensor, numbers of its outputs).
def _with_all_outputs(model):
    subgraph = model.subgraphs[0]
    own = [int(t) for t in subgraph.outputs]
    more = [t for t in _computed(subgraph) if t not in own]
    subgraph.outputs = own + more
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output()), own + more


# Invoke with each list of inputs; returns ({"o" + run + "_" + output: array}, microseconds of each
# run).
def _run_all(interpreter, job, inputs, outputs):
    result = {}
    times = []
    for i in range(job["runs"]):
        if job.get("reset"):
            interpreter.reset()
        for k in range(job["inputs"]):
            interpreter.set_input(inputs[f"{i}_{k}"], k)
        begin = time.perf_counter_ns()
        try:
            status = interpreter.invoke()
        except RuntimeError as error:
            if not job.get("refusals"):
                raise
            result[f"r{i}"] = np.array(str(error).splitlines()[-1])
            continue
        times.append((time.perf_counter_ns() - begin) / 1000)
        if status:
            raise SystemExit(f"an operator failed with status {status}")
        for k in range(outputs):
            result[f"o{i}_{k}"] = interpreter.get_output(k)
    return result, times


# Tensors are read by one of two methods: "preserve" is an option of TFLM; "outputs" adds outputs
# to the model, for models that TFLM cannot run with that option.
def main():
    with open("job.json") as file:
        job = json.load(file)
    with open("model", "rb") as file:
        data = file.read()
    with np.load("inputs.npz") as file:
        inputs = {key: file[key] for key in file.files}
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))
    outputs = len(model.subgraphs[0].outputs)
    computed = _computed(model.subgraphs[0])
    config = runtime.InterpreterConfig.kAllocationRecording
    if job["tensors"] == "preserve":
        config = runtime.InterpreterConfig.kPreserveAllTensors
    elif job["tensors"] == "outputs":
        data, computed = _with_all_outputs(model)
    perturb(job.get("fill"))
    interpreter = runtime.Interpreter.from_bytes(
        data, arena_size=job["arena"], intrepreter_config=config
    )
    result, times = _run_all(interpreter, job, inputs, outputs)
    for k, number in enumerate(computed):
        if job["tensors"] == "preserve":
            result[f"t{number}"] = interpreter.GetTensor(number, 0)["tensor_data"]
        elif job["tensors"] == "outputs":
            result[f"t{number}"] = interpreter.get_output(k)
    np.savez("outputs.npz", _times=np.array(times), **result)


if __name__ == "__main__":
    main()
