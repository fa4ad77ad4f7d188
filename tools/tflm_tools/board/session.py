# tflm_tools: board: Session: a model on a board, ready to be invoked with arrays of the host
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError
from ..execution.device_model import Invocation, split_outputs
from ..model.arrays import to_bytes
from .replies import SIZE, Maybe

_CHUNK = 1024
_EVENTS = [(int, str, str, int)]  # of the board's Profiler
_MISSES = [Maybe(int)]


def send(link, data):
    """Bytes to where the board's `fill` puts them."""
    for i in range(0, len(data), _CHUNK):
        text = binascii.b2a_base64(data[i : i + _CHUNK], newline=False)
        link.exec(f"fill({text!r})")


class Session:
    """What BoardDevice.session() began, with its options; `arena`: bytes, `seconds`: for a run."""

    def __init__(self, link, model, arena, seconds, repeat, locked, keep_tensors, profile, reset):
        self._link, self._model, self._arena, self._seconds = link, model, arena, seconds
        self._repeat, self._locked, self._reset = repeat, locked, reset
        self._keeps_tensors, self._profiles = keep_tensors, profile

    def invoke(self, arrays):
        """Invoke with the arrays of all inputs: (arrays of all outputs, microseconds)."""
        link, model = self._link, self._model
        if self._reset:
            link.exec("_interpreter.reset()")
        for i, array in enumerate(arrays):
            link.exec(f"aim({i})")
            send(link, to_bytes(array, model.inputs[i]))
        times = link.eval(f"go({self._repeat}, {self._locked})", self._seconds, [int])
        raw = b"".join(
            self._receive(f"_interpreter.output({i}).kept.raw", (info.kept or info).bytes)
            for i, info in enumerate(model.outputs)
        )
        return split_outputs(raw, 1, model.outputs)[0], times

    def invoke_all(self, runs, progress=None):
        """The Invocation of one run after the other; progress: as for BoardDevice.invoke()."""
        outputs, times = [], []
        for done, arrays in enumerate(runs):
            if progress is not None:
                progress(done, len(runs))
            found, took = self.invoke(arrays)
            outputs.append(found)
            times += took
        return self.result(outputs, times)

    def result(self, outputs, times):
        """The Invocation of what invoke() gave, with what the board has kept beside."""
        tensors = self._tensors() if self._keeps_tensors else {}
        events, misses = [], []
        if self._profiles:
            events = self._link.eval("_profiler.events()", form=_EVENTS)
            misses = self._link.eval("_profiler.misses", form=_MISSES)
        return Invocation(outputs, times, self._arena, tensors, events, misses)

    # `size` bytes of a buffer on the board.
    def _receive(self, expression, size):
        data = b""
        while len(data) < size:
            stop = min(len(data) + _CHUNK, size)
            try:
                piece = binascii.a2b_base64(
                    self._link.exec(f"show({expression}, {len(data)}, {stop})")
                )
            except binascii.Error:
                piece = b""
            if not 0 < len(piece) <= stop - len(data):
                raise DeviceError(
                    f"the board at {self._link.port} sent no proper output; try again", "garbage"
                )
            data += piece
        return data

    # Bytes by number of every tensor that is kept.
    def _tensors(self):
        return {
            number: self._receive(f"_interpreter.tensors()[{number}].raw", size)
            for number, size in self._link.eval("kept()", form=[(int, SIZE)])
        }
