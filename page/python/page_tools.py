# page: what the page asks of the host's tools, in Pyodide: a model's report, and an image with it
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from pico_image import TARGET, image
from tflm.errors import TflmError
from tflm_tools.board import profiles
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model
from tflm_tools.render.report import report_page
from tflm_tools.tell.profile_file import read_profile
from tflm_tools.tell.report import report

_NEEDED = ("digits.tflm", "draw.py", "run_model.py")  # of /rom, where room is scarce


class Model:
    """A model that was dropped. `found` is a dict for JSON: what the page shows of it.

    rom: {path: bytes} of the board's /rom. firmware: its bytes from the start of flash.
    Raises TflmError, a sentence, for what is no model.
    """

    def __init__(self, name, data, firmware, rom):
        self._path = Path(tempfile.mkdtemp()) / (Path(name).name or "model.tflite")
        self._path.write_bytes(data)
        self._report = report(self._path, target=TARGET)
        inspection = self._report.inspection
        self.flat = self.image = None
        refused = "; ".join(f"{entry.op}: {entry.reason}" for entry in inspection.missing)
        if not refused:
            self.flat = flatten(data, target=TARGET)
            refused = self._put(firmware, rom)
        self.found = {
            "refused": refused,
            "inputs": [self._tensor(tensor) for tensor in inspection.inputs],
            "outputs": [self._tensor(tensor) for tensor in inspection.outputs],
            "labels": inspection.contents.labels,
        }

    # Make the image of a board with the model; returns a sentence where it has no room for it.
    def _put(self, firmware, rom):
        memory = profiles.named("RPI_PICO").tflm.block
        if self._report.arena_bytes > memory:
            return (
                f"its arena takes {self._report.arena_bytes} bytes, and {memory} are free on the "
                "Pico here; the report says which boards have room"
            )
        few = {name: data for name, data in rom.items() if name in _NEEDED}
        for files in (rom, few):
            try:
                self.image = image(firmware, {**files, "model.tflm": self.flat})
                return ""
            except TflmError as error:
                reason = str(error)
        return f"{reason}, as {len(self.flat)} bytes of them are the model"

    @staticmethod
    def _tensor(tensor):
        return {
            key: getattr(tensor, key)
            for key in ("name", "dtype", "shape", "bytes", "scale", "zero_point")
        }

    def page(self, events=()):
        """The report as HTML; events: [number, name, kernel, microseconds] of the board."""
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


def look(name, data, firmware, rom):
    """Read a model; returns JSON of what is found, or of the one sentence that refuses it."""
    global _model
    _model = None
    try:
        open_model(name, data)
        _model = Model(name, data, firmware, rom)
    except TflmError as error:
        return json.dumps({"error": str(error)})
    return json.dumps({**_model.found, "page": _model.page()})


def timed(events):
    """The report with the times of the board, [number, name, kernel, microseconds] as JSON."""
    return _model.page(json.loads(events))


def made():
    """(the .tflm, the UF2 of a Pico with it) of the model; None for what there is not."""
    return _model.flat, _model.image
