# tflm_tools: board: invokes a model that is loaded on a board, with arrays of the host
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError
from ..execution.device_model import Invocation, split_outputs
from ..model.arrays import to_bytes
from .replies import SIZE, Nullable

_CHUNK_BYTES = 1024
_EVENTS_SCHEMA = [(int, str, str, int)]  # of the board's Profiler
_MISSES_SCHEMA = [Nullable(int)]


def send_bytes(link, data):
    """Send bytes to the buffer that the board's fill() writes."""
    for i in range(0, len(data), _CHUNK_BYTES):
        text = binascii.b2a_base64(data[i : i + _CHUNK_BYTES], newline=False)
        link.exec(f"fill({text!r})")


class Session:
    """A model that BoardDevice.session() has loaded on a board with InvokeOptions.

    arena: bytes of the arena. seconds: limit for one run.
    """

    def __init__(self, link, model, arena, seconds, options):
        self._link, self._model, self._arena, self._seconds = link, model, arena, seconds
        self._options = options

    def invoke(self, arrays):
        """Invoke on the arrays of all inputs; return (arrays of all outputs, [microseconds])."""
        link, model, options = self._link, self._model, self._options
        if options.reset:
            link.exec("_interpreter.reset()")
        for i, array in enumerate(arrays):
            link.exec(f"select_input({i})")
            send_bytes(link, to_bytes(array, model.inputs[i]))
        call = f"timed_invokes({options.repeat}, {options.locked})"
        times = link.eval(call, self._seconds, [int])
        raw = b"".join(
            self._receive(f"_interpreter.output({i}).kept.raw", (info.kept or info).bytes)
            for i, info in enumerate(model.outputs)
        )
        return split_outputs(raw, 1, model.outputs)[0], times

    def invoke_all(self, runs, progress=None):
        """Invoke all runs in order and return an Invocation.

        progress: as for BoardDevice.invoke().
        """
        outputs, times = [], []
        for done, arrays in enumerate(runs):
            if progress is not None:
                progress(done, len(runs))
            run_outputs, run_times = self.invoke(arrays)
            outputs.append(run_outputs)
            times += run_times
        return self.result(outputs, times)

    def result(self, outputs, times):
        """Return an Invocation of results of invoke(), with the kept tensors and the profile."""
        tensors = self._tensors() if self._options.keep_tensors else {}
        events, misses = [], []
        if self._options.profile:
            events = self._link.eval("_profiler.events()", schema=_EVENTS_SCHEMA)
            misses = self._link.eval("_profiler.misses", schema=_MISSES_SCHEMA)
        return Invocation(outputs, times, self._arena, tensors, events, misses)

    # Read the first `size` bytes of a buffer on the board.
    def _receive(self, expression, size):
        data = b""
        while len(data) < size:
            stop = min(len(data) + _CHUNK_BYTES, size)
            try:
                chunk = binascii.a2b_base64(
                    self._link.exec(f"show({expression}, {len(data)}, {stop})")
                )
            except binascii.Error:
                chunk = b""
            if not 0 < len(chunk) <= stop - len(data):
                raise DeviceError(
                    f"the board at {self._link.port} sent invalid output data; try again",
                    "garbage",
                )
            data += chunk
        return data

    # {tensor number: bytes} of all kept tensors.
    def _tensors(self):
        return {
            number: self._receive(f"_interpreter.tensors()[{number}].raw", size)
            for number, size in self._link.eval("kept_tensors()", schema=[(int, SIZE)])
        }
