# tflm_tools: execution: tflm.Interpreter for CPython, whose model runs in a MicroPython process
# MIT license; Copyright (c) 2026 the tflm authors

import json
import tempfile
import weakref
from pathlib import Path

import numpy as np
import tflm
from tflm import dtypes, errors
from tflm.tensor import Tensor
from tflm.tflite.shapes import resized

from ..errors import DeviceError, ToolError
from ..port import unix_port

_CODES = {dtypes.name(code): code for code in range(32) if dtypes.is_known(code)}


class ArrayTensor(Tensor):
    """A Tensor whose `data` is a flat numpy array over `raw`, a bytearray of this process."""

    def __init__(self, described):
        bits = int(np.float32(described["scale"]).view(np.uint32))
        code, shape = _CODES[described["dtype"]], tuple(described["shape"])
        raw = bytearray(described["bytes"])
        super().__init__(described["name"], code, shape, bits, described["zero_point"], raw)

    @property
    def data(self):
        return np.frombuffer(self.raw, self.dtype)

    def dequantize(self):
        values = self.data.astype(np.float64)  # numpy's int8 would wrap
        return ((self.scale or 1.0) * (values - self.zero_point)).tolist()


# End the process. The TemporaryDirectory of its model removes itself.
def _end(process):
    process.stdin.close()
    process.wait()
    process.stdout.close()


class Interpreter:
    """tflm.Interpreter for CPython: numpy arrays here, the model in MicroPython's unix port.

    model: a path, a buffer, or the result of tflm.load(). keep_tensors: as for tflm.Interpreter.
    cores: ignored; boards use it. Methods raise what tflm.Interpreter raises, and DeviceError
    when the MicroPython process has ended.
    """

    def __init__(self, model, keep_tensors=False, cores=1):
        self.model = model if hasattr(model, "metadata") else tflm.load(model)
        self._keep_tensors = keep_tensors
        self._folder = tempfile.TemporaryDirectory(prefix="tflm-")
        self._process = None
        self._allocated = None

    def allocate_tensors(self):
        if self._allocated is not None:
            return
        path = Path(self._folder.name) / "model"
        path.write_bytes(self.model.buffer)
        if self._process is None:
            self._process = unix_port.start_script("session", "", self._folder.name)
            weakref.finalize(self, _end, self._process)
        answer, _ = self._ask(
            "allocate",
            model=str(path),
            signature=getattr(self.model, "chosen_signature", None),
            shapes=list(getattr(self.model, "input_shapes", {}).items()),
            keep_tensors=self._keep_tensors,
        )
        self._inputs = [ArrayTensor(each) for each in answer["inputs"]]
        self._outputs = [ArrayTensor(each) for each in answer["outputs"]]
        self._kept = {number: ArrayTensor(each) for number, each in answer["kept"]}
        self._allocated = answer

    # Send one request; return its answer, (JSON, bytes).
    def _ask(self, action, data=b"", **request):
        text = json.dumps({"do": action, "bytes": len(data), **request}).encode()
        source = self._process.stdout
        try:
            self._process.stdin.write(len(text).to_bytes(4, "little") + text + data)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # reading the answer fails below
        size = source.read(4)
        if len(size) < 4:
            raise DeviceError("the MicroPython process has ended; make a new Interpreter", "crash")
        answer = json.loads(source.read(int.from_bytes(size, "little")))
        if "error" in answer:
            kind = getattr(errors, answer["kind"], None)
            raise kind(answer["error"]) if kind else DeviceError(answer["error"], answer["kind"])
        return answer, source.read(answer["bytes"])

    def resize_input(self, i, shape):
        self.model = resized(self.model, self._allocated, i, [int(size) for size in shape])

    def input(self, i):
        self.allocate_tensors()
        return _tensor(self._inputs, i, "input")

    def output(self, i):
        self.allocate_tensors()
        return _tensor(self._outputs, i, "output")

    def inputs_size(self):
        self.allocate_tensors()
        return len(self._inputs)

    def outputs_size(self):
        self.allocate_tensors()
        return len(self._outputs)

    def invoke(self):
        self.allocate_tensors()
        answer, data = self._ask("invoke", b"".join(tensor.raw for tensor in self._inputs))
        at = 0
        for tensor in [*self._outputs, *self._kept.values()]:
            tensor.raw[:] = data[at : at + len(tensor.raw)]
            at += len(tensor.raw)
        return answer["status"]

    def tensors(self):
        self.allocate_tensors()
        if not self._kept:
            raise ToolError("no tensors are kept; use a .tflite with keep_tensors=True")
        return self._kept

    def reset(self):
        self.allocate_tensors()
        self._ask("reset")

    def free(self):
        self._allocated = None

    def arena_used_bytes(self):
        self.allocate_tensors()
        return self._allocated["arena"]


def _tensor(tensors, i, kind):
    if not 0 <= i < len(tensors):
        raise errors.InputError(f"there is no {kind} {i}; the model has {len(tensors)}")
    return tensors[i]
