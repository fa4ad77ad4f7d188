# tflm_tools: board: invokes models on a board, with the interface of execution.device_model
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
from contextlib import contextmanager

from tflm import format as layout

from ..errors import DeviceError, ToolError
from ..execution.device_model import model_for_device
from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..port.invocation import DEFAULTS
from .deploy import TEXT_FIRMWARE
from .facts import read_facts, script_source
from .flatten_for_board import candidates_for_board, model_name
from .link import Link
from .replies import SIZE, Nullable
from .session import Session, send_bytes

_INVOKE_SECONDS = 600.0


@contextmanager
def board_device(port, timeout=None):
    """Yield the BoardDevice at a port (see ports.resolve); timeout: see Link."""
    with Link(port, timeout) as link:
        yield BoardDevice(link)


class BoardDevice:
    """A board that has tflm. `facts` describes it.

    A model that the board does not store already is sent to its RAM.
    """

    is_board = True
    jobs = 1

    def __init__(self, link):
        self._link = link
        self.facts = read_facts(link)
        self.facts.check_firmware()
        if self.facts.tflm is None:
            raise DeviceError(
                f"the board at {link.port} has no tflm; install tflm and the model with: "
                f"tflm deploy MODEL {link.port}",
                "ImportError",
            )

    def invoke(self, model, runs, options=DEFAULTS, progress=None):
        """Invoke a model on the board as device_model.invoke() does.

        `options.heap` must be None, as a board's heap is fixed. With `options.profile` the result
        has `misses`.
        """
        return self.session(model, options).invoke_all(runs, progress)

    @property
    def where(self):
        """The board's own name."""
        return self.facts.machine

    def session(self, model, options=DEFAULTS):
        """Load a ModelFile on the board and return its Session; options: InvokeOptions."""
        if options.flat and options.flat.get("by_rows"):
            raise ToolError("--input-by-rows is for the unix port; leave out --on")
        if options.heap is not None:
            raise ToolError("--heap is for the unix port; leave it out, a board's heap is fixed")
        seconds = options.timeout or _INVOKE_SECONDS
        link = self._link
        link.reset()
        link.exec(script_source("invoke"))
        if options.path == "flat" and not options.keep_tensors and not options.flat:
            model, source = self._deployed(model, options.custom)
        else:
            target = None if options.keep_tensors else self.facts.target
            model = model_for_device(model, options, target)
            source = self._stored(model)
        source = source or self._send(model.data)
        resolver = self._resolver(options.custom)
        profiler = "None"
        if options.profile:
            link.exec(script_source("misses"))
            profiler = "Misses()"
        arena = link.eval(
            f"start({source}, {resolver}, {options.repeat > 1}, {options.keep_tensors}, "
            f"{profiler})",
            seconds,
            SIZE,
        )
        return Session(link, model, arena, seconds, options)

    def write_text(self, model, options, seconds=None):
        """Yield the words that a language model (ModelFile) writes, as soon as they arrive.

        options: the arguments of tflm.text.Generator.generate(). seconds: limit for one word.
        """
        link, seconds = self._link, seconds or _INVOKE_SECONDS
        link.reset()
        link.exec(script_source("invoke"))
        model, source = self._deployed(model, ())
        source = source or self._send(model.data)
        try:
            link.exec("from tflm.text import Generator")
        except DeviceError as error:
            if error.kind != "ImportError":
                raise
            remedy = f"install it with the model: tflm deploy MODEL {link.port}"
            if self.facts.frozen:
                remedy = TEXT_FIRMWARE
            raise DeviceError(
                f"the board at {link.port} has no tflm.text; {remedy}", "ImportError"
            ) from None
        link.exec(f"import tflm\n_writer = Generator(tflm.load({source}, True))", seconds)
        link.exec(f"_text = _writer.generate(**{options!r})", seconds)
        while (words := link.eval("next(_text, None)", seconds, Nullable(str))) is not None:
            yield words

    def share(self, items, task, progress=None):
        """Return [task(this board, item) for each item]. DevicePool.share() uses all boards."""
        results = []
        for item in items:
            if progress is not None:
                progress(len(results), len(items))
            results.append(task(self, item))
        return results

    def require_one_kind(self):
        """Do nothing: this is one board. DevicePool checks its boards."""

    def cancel(self):
        """Make the exchange for which another thread waits raise an error."""
        self._link.cancel()

    # (ModelFile, Python expression or None) of a model as `tflm deploy` stores it: deploy stores
    # smaller weights if packed ones do not fit. Without a stored copy it is the fastest model.
    def _deployed(self, model, custom):
        fastest = None
        for candidate in candidates_for_board(model, self.facts, custom):
            found = open_model(model.path, candidate.flat)
            source = self._stored(found)
            if source is not None:
                return found, source
            fastest = fastest or found
        return fastest, None

    # The Python expression for a ModelFile that the board stores, else None.
    def _stored(self, model):
        name, head = model_name(model.path), model.data[: layout.HEADER_BYTES]
        return self._link.eval(f"find({name!r}, {head!r})", schema=Nullable(str))

    # Send a model to the board's RAM; return the Python expression for it.
    def _send(self, data):
        self._check_heap(data)
        self._link.exec(f"_model = allocate({len(data)})")
        send_bytes(self._link, data)
        if self._link.eval("(__import__('binascii').crc32(_model), _at)") != (
            binascii.crc32(data),
            len(data),
        ):
            raise DeviceError(
                f"the model did not arrive intact at the board at {self._link.port}; try again",
                "crc",
            )
        return "_model"

    # Refuse a model that the heap cannot hold beside its arena.
    def _check_heap(self, data):
        arena = FlatFile(data).arena_bytes if data[:4] == layout.MAGIC else 0
        if len(data) + arena > self.facts.free or len(data) > self.facts.block:
            raise DeviceError(
                f"the model ({len(data)} bytes) and its arena ({arena}) are too large for the "
                f"heap of the board at {self._link.port} ({self.facts.free} bytes free, largest "
                f"block {self.facts.block}); store it in flash with: tflm deploy MODEL",
                "heap",
            )

    # The Python expression for a resolver in which the user's files have registered operators.
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
