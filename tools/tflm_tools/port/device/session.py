# tflm_tools: port: keeps a model in MicroPython and answers requests of the host over pipes
# MIT license; Copyright (c) 2026 the tflm authors

# A message is the length of its JSON (4 bytes), the JSON, then data, whose size is `bytes` of the
# JSON. Requests come from standard input, answers go to standard output.

import json
import sys

import tflm


# A tensor's description, of which the host makes its own tensor.
def _describe(tensor):
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "scale": tensor.scale,
        "zero_point": tensor.zero_point,
        "bytes": len(tensor.raw),
    }


class _Session:
    def __init__(self):
        self._interpreter = None

    # Load a model and allocate its tensors: `model` (path), `signature` (name or None), `shapes`
    # ([input, shape] pairs), `keep_tensors`.
    def allocate(self, request, _):
        model = tflm.load(request["model"], signature=request["signature"])
        self._interpreter = interp = tflm.Interpreter(model, keep_tensors=request["keep_tensors"])
        for i, shape in request["shapes"]:
            interp.resize_input(i, shape)
        interp.allocate_tensors()
        self._inputs = [interp.input(i) for i in range(interp.inputs_size())]
        self._outputs = [interp.output(i) for i in range(interp.outputs_size())]
        self._kept = interp.tensors() if request["keep_tensors"] else {}
        answer = {
            "arena": interp.arena_used_bytes(),
            "inputs": [_describe(tensor) for tensor in self._inputs],
            "outputs": [_describe(tensor) for tensor in self._outputs],
            "kept": [[number, _describe(self._kept[number])] for number in self._kept],
        }
        return answer, []

    # Invoke on the bytes of all inputs; answer with all outputs, then with all kept tensors.
    def invoke(self, _, data):
        at = 0
        for tensor in self._inputs:
            size = len(tensor.raw)
            tensor.raw[:] = data[at : at + size]
            at += size
        status = self._interpreter.invoke()
        return {"status": status}, [t.raw for t in self._outputs + list(self._kept.values())]

    def reset(self, _request, _data):
        self._interpreter.reset()
        return {}, []


def _answer(session, request, data):
    try:
        return getattr(session, request["do"])(request, data)
    except MemoryError as error:
        return {"error": f"MicroPython's heap is too small: {error}", "kind": "MemoryError"}, []
    except Exception as error:
        return {"error": str(error), "kind": type(error).__name__}, []


def main():
    session = _Session()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        size = source.read(4)
        if len(size) < 4:  # the host has ended
            return
        request = json.loads(source.read(int.from_bytes(size, "little")))
        answer, buffers = _answer(session, request, source.read(request["bytes"]))
        data = b"".join([bytes(buffer) for buffer in buffers])
        answer["bytes"] = len(data)
        text = json.dumps(answer).encode()
        sink.write(len(text).to_bytes(4, "little") + text)
        sink.write(data)


main()
