# tflm_tools: board: BoardDevice: invokes models on a board, as device_model does in the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
from contextlib import contextmanager

from tflm import format as layout

from ..errors import DeviceError, ToolError
from ..execution.device_model import model_for_device
from ..model.flat_file import FlatFile
from .facts import ask, script
from .flatten_for_board import model_name
from .link import Link
from .replies import SIZE, Maybe
from .session import Session, send

_SECONDS = 600.0


@contextmanager
def board_device(port, timeout=None):
    """A BoardDevice at a port (see ports.resolve), in a `with`; timeout: see Link."""
    with Link(port, timeout) as link:
        yield BoardDevice(link)


class BoardDevice:
    """A board that has tflm; `facts` says what it is. Models that are not there go to its RAM."""

    is_board = True
    jobs = 1

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
               heap=None, timeout=None, custom=(), profile=False, reset=False, flat=None,
               progress=None):  # fmt: skip
        """As device_model.invoke(), on the board; `heap` is what the board has.

        profile: `events` and `misses` of the result say what each step took.
        progress: is called with how many runs are done, and how many there are.
        """
        session = self.session(
            model, path, repeat, locked, keep_tensors, heap, timeout, custom, profile, reset,
            flat,
        )  # fmt: skip
        return session.invoke_all(runs, progress)

    @property
    def where(self):
        """What it is."""
        return self.facts.machine

    def session(self, model, path="flat", repeat=1, locked=False, keep_tensors=False, heap=None,
                timeout=None, custom=(), profile=False, reset=False, flat=None):  # fmt: skip
        """A Session of the board with a ModelFile: options as for invoke()."""
        if flat and flat.get("by_rows"):
            raise ToolError("rows are for the unix port; leave out --on")
        if heap is not None:
            raise ToolError("--heap is for the unix port; the heap of a board is what it has")
        target = None if keep_tensors else self.facts.target
        model = model_for_device(model, path, keep_tensors, custom, target, flat)
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
        return Session(link, model, arena, seconds, repeat, locked, keep_tensors, profile, reset)

    def share(self, items, task, progress=None):
        """[task(this board, item) for each item]; several boards do it at the same time."""
        found = []
        for item in items:
            if progress is not None:
                progress(len(found), len(items))
            found.append(task(self, item))
        return found

    def require_one_kind(self):
        """Nothing: it is one board."""

    def cancel(self):
        """Have what another thread waits for end with an error."""
        self._link.cancel()

    # The expression that gives the model on the board: where it has been put, or in RAM.
    def _source(self, name, data):
        found = self._link.eval(
            f"find({name!r}, {data[: layout.HEADER_BYTES]!r})", form=Maybe(str)
        )
        if found is not None:
            return found
        self._check_heap(data)
        self._link.exec(f"_model = make_room({len(data)})")
        send(self._link, data)
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
