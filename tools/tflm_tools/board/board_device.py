# tflm_tools: board: BoardDevice: invokes models on a board, as device_model does in the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
from contextlib import contextmanager

from tflm import format as layout

from ..errors import DeviceError, ToolError
from ..model.arrays import to_bytes
from ..model.flat_file import FlatFile
from ..run.device_model import Invocation, form, split
from .facts import ask, script
from .form import model_name
from .link import Link
from .replies import SIZE, Maybe

_CHUNK = 1024
_SECONDS = 600.0
_EVENTS = [(int, str, str, int)]  # of the board's Profiler
_MISSES = [Maybe(int)]


@contextmanager
def board_device(port, timeout=None):
    """A BoardDevice at a port (see ports.resolve), in a `with`; timeout: see Link."""
    with Link(port, timeout) as link:
        yield BoardDevice(link)


class BoardDevice:
    """A board that has tflm; `facts` says what it is. Models that are not there go to its RAM."""

    def __init__(self, link):
        self._link = link
        self.facts = ask(link)
        self.facts.check_firmware()
        if self.facts.tflm is None:
            raise DeviceError(
                f"the board at {link.port} has no tflm; put the model and what it needs on it "
                f"with: tflm deploy MODEL {link.port}",
                "ImportError",
            )

    def invoke(self, model, runs, path="flat", repeat=1, locked=False, keep_tensors=False,
               heap=None, timeout=None, custom=(), profile=False, reset=False,
               progress=None):  # fmt: skip
        """As device_model.invoke(), on the board; `heap` is what the board has.

        profile: `events` and `misses` of the result say what each step took.
        progress: is called with how many runs are done, and how many there are.
        """
        if heap is not None:
            raise ToolError("--heap is for the unix port; the heap of a board is what it has")
        target = None if keep_tensors else self.facts.target
        model = form(model, path, keep_tensors, custom, target)
        seconds = timeout or _SECONDS
        link = self._link
        link.reset()
        link.exec(script("invoke"))
        source = self._source(model_name(model.path), model.data)
        resolver = self._resolver(custom)
        profiler = "None"
        if profile:
            link.exec(script("misses"))
            profiler = "Misses()"
        arena = link.eval(
            f"start({source}, {resolver}, {repeat > 1}, {keep_tensors}, {profiler})", seconds, SIZE
        )
        outputs, times = [], []
        for done, arrays in enumerate(runs):
            if progress is not None:
                progress(done, len(runs))
            if reset:
                link.exec("_interpreter.reset()")
            for i, array in enumerate(arrays):
                link.exec(f"aim({i})")
                self._send(to_bytes(array, model.inputs[i]))
            times += link.eval(f"go({repeat}, {locked})", seconds, [int])
            raw = b"".join(
                self._receive(f"_interpreter.output({i}).kept.raw", (info.kept or info).bytes)
                for i, info in enumerate(model.outputs)
            )
            outputs += split(raw, 1, model.outputs)
        tensors = self._tensors() if keep_tensors else {}
        events, misses = [], []
        if profile:
            events = link.eval("_profiler.events()", form=_EVENTS)
            misses = link.eval("_profiler.misses", form=_MISSES)
        return Invocation(outputs, times, arena, tensors, events, misses)

    # The expression that gives the model on the board: where it has been put, or in RAM.
    def _source(self, name, data):
        found = self._link.eval(
            f"find({name!r}, {data[: layout.HEADER_BYTES]!r})", form=Maybe(str)
        )
        if found is not None:
            return found
        self._check_heap(data)
        self._link.exec(f"_model = make_room({len(data)})")
        self._send(data)
        if self._link.eval("(__import__('binascii').crc32(_model), _at)") != (
            binascii.crc32(data),
            len(data),
        ):
            raise DeviceError(
                f"the model did not arrive whole at the board at {self._link.port}; try again",
                "crc",
            )
        return "_model"

    # Refuse a model that the heap cannot hold beside its arena.
    def _check_heap(self, data):
        arena = FlatFile(data).arena_bytes if data[:4] == layout.MAGIC else 0
        if len(data) + arena > self.facts.free or len(data) > self.facts.block:
            raise DeviceError(
                f"the model ({len(data)} bytes) and its arena ({arena}) are too large for the "
                f"heap of the board at {self._link.port} ({self.facts.free} bytes free, "
                f"{self.facts.block} in one piece); put it into flash with: tflm deploy MODEL",
                "heap",
            )

    # Python that gives the resolver with what the user's files register.
    def _resolver(self, custom):
        if not custom:
            return "None"
        self._link.exec("import tflm\n_resolver = tflm.OpResolver()")
        for file in custom:
            with open(file, encoding="utf-8") as source:
                text = source.read()
            self._link.exec(f"_names = {{}}\nexec({text!r}, _names)")
            self._link.exec("_names['register'](_resolver)")
        return "_resolver"

    # Bytes to where the board's `fill` puts them.
    def _send(self, data):
        for i in range(0, len(data), _CHUNK):
            text = binascii.b2a_base64(data[i : i + _CHUNK], newline=False)
            self._link.exec(f"fill({text!r})")

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
