# page: what the page asks of the host's tools, in Pyodide: a model's report, and an image with it
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from pico_image import TARGET, image
from tflm.errors import TflmError, UnsupportedError
from tflm_tools.board import profiles
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten
from tflm_tools.inspection.inspection import inspect
from tflm_tools.inspection.profile_file import read_profile
from tflm_tools.inspection.report import report
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import open_model
from tflm_tools.optimize.memory.levels import BALANCED, OFF, SPEED
from tflm_tools.render.common import said
from tflm_tools.render.inspection import print_inspection
from tflm_tools.render.report import report_page

_NEEDED = ("digits.tflm", "draw.py", "run_model.py")  # of /rom, where room is scarce
_SMALL = 64 * 1024  # bytes of a .tflite whose search is a matter of seconds in a browser


# The .tflm without savings and searches, which take longer than all else; None: it does not run.
def _as_written(data):
    try:
        return flatten(data, without=("all",), optimize=OFF)
    except UnsupportedError:
        return None


class Model:
    """A model that was dropped. Raises TflmError, a sentence, for what is no model.

    found: a dict for JSON: what the page shows of it at once. What takes longer comes after:
    make(), then page().
    """

    def __init__(self, name, data):
        os.chdir(tempfile.mkdtemp())  # what is said of the file has its name, not where it lies
        self._path = Path(Path(name).name or "model.tflite")
        self._path.write_bytes(data)
        self._kind = open_model(self._path).kind
        self._data = data
        self._report = self._pipeline = self.image = None
        self._level = BALANCED
        self.flat = data if self._kind == "tflm" else None
        found = inspect(self._path, flat=self.flat or _as_written(data))
        self.found = {
            "kind": self._kind,
            "refused": "; ".join(f"{entry.op}: {entry.reason}" for entry in found.missing),
            "said": said(print_inspection, found),
            "inputs": [self._tensor(tensor) for tensor in found.inputs],
            "outputs": [self._tensor(tensor) for tensor in found.outputs],
            "labels": found.contents.labels,
        }

    @staticmethod
    def _tensor(tensor):
        return {
            key: getattr(tensor, key)
            for key in ("name", "dtype", "shape", "bytes", "scale", "zero_point")
        }

    def make(self, firmware, rom, quick):
        """Make the .tflm, and the image of a board with it.

        rom: {path: bytes} of the board's /rom. firmware: its bytes from the start of flash.
        quick: leave out the search for a smaller arena where that takes long.
        Returns a dict for JSON: refused, a sentence where the board has no room for it, bytes of
        the arena, and whether that is final.
        """
        final = True
        if self._kind == "tflite":
            final = not quick or len(self._data) <= _SMALL
            self._level = BALANCED if final else SPEED
            self._pipeline = FlattenPipeline(self._data, FlattenOptions(TARGET, self._level))
            self.flat = self._pipeline.flat
        arena = FlatFile(self.flat).arena_bytes
        return {"refused": self._board(firmware, rom, arena), "arena": arena, "final": final}

    # Make the image; returns why there is none.
    def _board(self, firmware, rom, arena):
        memory = profiles.named("RPI_PICO").tflm.block
        if arena > memory:
            return (
                f"its arena takes {arena} bytes, and {memory} are free on the Pico here; "
                "the report says which boards have room"
            )
        few = {name: data for name, data in rom.items() if name in _NEEDED}
        for files in (rom, few):
            try:
                self.image = image(firmware, {**files, "model.tflm": self.flat})
                return ""
            except TflmError as error:
                reason = str(error)
        return f"{reason}, as {len(self.flat)} bytes of them are the model"

    def page(self, events=()):
        """The report as HTML; events: [number, name, kernel, microseconds] of the board."""
        if self._report is None:
            self._report = report(self._path, self._level, TARGET, pipeline=self._pipeline)
        if events:
            text = io.StringIO()
            rows = csv.writer(text)
            rows.writerow(("op", "name", "us", "cycles"))
            rows.writerows((number, name, us, "") for number, name, _, us in events)
            path = self._path.with_name("profile.csv")
            path.write_text(text.getvalue())
            times = {"profile": read_profile(path), "profile_name": "the Pico in this page"}
            self._report = replace(self._report, **times)
        return report_page(self._report)


_model = None


def look(name, data):
    """Read a model; returns JSON of what is found, or of the one sentence that refuses it."""
    global _model
    _model = None
    try:
        _model = Model(name, data)
    except TflmError as error:
        return json.dumps({"error": str(error)})
    return json.dumps(_model.found)


def make(firmware, rom, quick):
    """Make an image with the model; returns JSON of what Model.make() does."""
    return json.dumps(_model.make(firmware, rom, quick))


def page(events="[]"):
    """The report, with times of the board: [number, name, kernel, microseconds] as JSON."""
    return _model.page(json.loads(events))


def made():
    """(the .tflm, the UF2 of a Pico with it) of the model; None for what there is not."""
    return _model.flat, _model.image
