# page: the host's tools in Pyodide: a model's report, and an image of a Pico with the model
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from pico_image import TARGET, image
from plain_words import plain
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

# Files of /rom that are left out first if space is short, and files that always stay.
_STORY = "story/"
_NEEDED = ("digits.tflm", "draw.py", "run_model.py", "teach.py", "teach.tflm")
_BOARD = profiles.named("RPI_PICO").tflm
_HEAP = _BOARD.block  # bytes
_ROMFS = _BOARD.romfs[1]  # bytes
_SMALL = 64 * 1024  # bytes; the search for a smaller .tflite takes seconds in a browser


# Return why the model does not run, as one sentence.
def _refusal(missing):
    reasons = []
    for entry in missing:
        reason = entry.reason.split(";")[0]
        if reason == f"unresolved custom op: {entry.op}":
            reason = "this custom operator is not part of tflm"
        reasons.append(f"{entry.op}: {plain(reason)}")
    return "; ".join(dict.fromkeys(reasons))


# Return an Inspection without advice for a command line.
def _without_commands(found):
    missing = [replace(entry, reason=plain(entry.reason), advice="") for entry in found.missing]
    return replace(found, command="", missing=missing)


# Return the .tflm without slow optimization passes and search; None if it cannot run.
def _as_written(data):
    try:
        return flatten(data, without=("all",), optimize=OFF)
    except UnsupportedError:
        return None


class Model:
    """A model that a visitor dropped, also in C source, a zip or a gzip file.

    Raises TflmError, with a sentence, if it is not a model.

    found: a dict for JSON, which the page shows at once. make() and then page() take longer.
    """

    def __init__(self, name, data):
        os.chdir(tempfile.mkdtemp())  # so that messages name the file without its folder
        self._path = Path(Path(name).name or "model.tflite")
        self._path.write_bytes(data)
        model = open_model(self._path)
        self._kind, self._data = model.kind, model.data
        self._report = self._pipeline = self.image = None
        self._level = BALANCED
        self.flat = self._data if self._kind == "tflm" else None
        found = inspect(self._path, flat=self.flat or _as_written(self._data))
        self.found = {
            "kind": self._kind,
            "refused": _refusal(found.missing),
            "said": said(print_inspection, _without_commands(found)),
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

        firmware: bytes from the start of flash. rom: {path: bytes} of the board's /rom.
        quick: skip the search for a smaller arena if it takes long.
        Return a dict for JSON: `refused`, a sentence if the model does not fit on the board;
        `arena`, in bytes; `final`, whether a longer search would change nothing.
        """
        final = True
        if self._kind == "tflite":
            final = not quick or len(self._data) <= _SMALL
            self._level = BALANCED if final else SPEED
            self._pipeline = FlattenPipeline(self._data, FlattenOptions(TARGET, self._level))
            self.flat = self._pipeline.flat
        arena = FlatFile(self.flat).arena_bytes
        refused = self._board(firmware, rom, arena)
        # A smaller arena does not help a model that is too large for flash.
        final = final or (self.image is None and arena <= _HEAP and len(self._data) > _ROMFS)
        return {"refused": refused, "arena": arena, "final": final}

    # Make the image; return '' or the reason why there is none.
    def _board(self, firmware, rom, arena):
        if arena > _HEAP:
            return (
                f"its arena requires {arena} bytes, and {_HEAP} are free on the Pico here; "
                "the report lists boards with more memory"
            )
        needed = {name: data for name, data in rom.items() if name in _NEEDED}
        without_story = {name: data for name, data in rom.items() if not name.startswith(_STORY)}
        for files in (rom, without_story, needed):
            try:
                self.image = image(firmware, {**files, "model.tflm": self.flat})
                return ""
            except TflmError as error:
                reason = str(error).split(";")[0]
        return f"{reason}, the model alone {len(self.flat)}; use a smaller model"

    def page(self, events=()):
        """Return the report as HTML.

        events: [number, name, kernel, microseconds] of each operator in a run on the board.
        """
        if self._report is None:
            found = report(self._path, self._level, TARGET, pipeline=self._pipeline)
            inspection = _without_commands(found.inspection)
            self._report = replace(found, commands=[], inspection=inspection)
        if events:
            text = io.StringIO()
            rows = csv.writer(text)
            rows.writerow(("op", "name", "us", "cycles"))
            rows.writerows((number, name, us, "") for number, name, _, us in events)
            path = self._path.with_name("profile.csv")
            path.write_text(text.getvalue())
            times = {"profile": read_profile(path), "profile_name": "the Pico in this page"}
            # The board's own time replaces all estimates.
            estimates = dict.fromkeys(("pico_ms", "pico2_ms", "esp32_ms", "esp32c3_ms"))
            inspection = replace(self._report.inspection, int8_ms={}, **estimates)
            self._report = replace(self._report, inspection=inspection, **times)
        return report_page(self._report)


_model = None


def look(name, data):
    """Read a model; return Model.found as JSON, or {"error": sentence}."""
    global _model
    _model = None
    try:
        _model = Model(name, data)
    except TflmError as error:
        return json.dumps({"error": plain(str(error))})
    return json.dumps(_model.found)


def make(firmware, rom, quick):
    """Make an image with the model; return the result of Model.make() as JSON."""
    return json.dumps(_model.make(firmware, rom, quick))


def page(events="[]"):
    """Return the report as HTML; events: as for Model.page(), as JSON."""
    return _model.page(json.loads(events))


def products():
    """Return the .tflm of the model and the UF2 of a Pico with it; None if it does not exist."""
    return _model.flat, _model.image
