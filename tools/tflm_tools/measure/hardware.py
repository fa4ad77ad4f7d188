# tflm_tools: bench --all: models on a connected board, one after the other, as a file to send
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tflm.errors import TflmError
from tflm.version import __version__

from .. import files
from ..board.board_device import board_device
from ..board.deploy import deploy
from ..board.facts import read_facts
from ..board.flatten_for_board import flatten_for_board
from ..board.link import Link
from ..check import oracle
from ..check.cases import make_cases
from ..check.comparison import first_difference
from ..errors import DeviceError, ToolError
from ..execution.device_model import invoke
from ..model.model_file import open_model
from ..packages import runtime_files

FORMAT = 1
_NAME = "bench"  # of the model on the board; the next one takes its place
_OWN = Path(__file__).resolve().parents[3] / "models"


@dataclass
class OpRecord:
    """A step of a model; microseconds and misses of the flash cache (None: not counted) of one
    invoke, by a profiler."""

    node: int
    op: str
    kernel: str
    us: float
    misses: float | None


@dataclass
class ModelRecord:
    """A model on a board; times in microseconds of one invoke, without a profiler; sizes in bytes.

    place: where the board has it: romfs, flash or files. compared: with what its outputs were
    compared, equal: whether they are the same bits. misses: of the flash cache in an invoke, by
    the profiler. refused: why it was not measured; the rest is empty then.
    """

    model: str
    sha256: str
    flat_sha256: str = ""
    flat_bytes: int = 0
    arena_bytes: int = 0
    place: str = ""
    compared: str = ""
    equal: bool = False
    invokes: int = 0
    best_us: float = 0.0
    mean_us: float = 0.0
    misses: float | None = None
    ops: list[OpRecord] | None = None
    refused: str = ""


@dataclass
class BoardRecord:
    """A board and what it did; frequency in Hz. flash_divider: of the core's clock, None where
    the chip does not tell. seconds: when, since 1970."""

    format: int
    tflm_tools: str
    seconds: int
    machine: str
    firmware: str
    arch: str
    tflm: str
    frozen: bool
    frequency: int
    flash_divider: int | None
    models: list[ModelRecord]


def models_in(places):
    """Paths of the .tflite that are meant: files, all in a folder; without any, the project's own.

    Raises ToolError where there is none.
    """
    found = []
    for place in map(Path, places or [_OWN]):
        inside = sorted(place.rglob("*.tflite") if not places else place.glob("*.tflite"))
        if place.is_dir() and not inside:
            raise ToolError(f"there is no .tflite in {place}; name a folder that has some")
        found += inside if place.is_dir() else [place]
    if not found:
        raise ToolError("there are no models to measure; name some, or a folder of them")
    return found


def record(places, port=None, invokes=5, progress=None, custom=(), timeout=None):
    """Measure models on the board at a port: a BoardRecord. What a model cannot do is noted.

    places: as models_in() takes them. progress: called with how many models are done, and how
    many there are. custom: Python files that register custom operators. timeout: seconds for an
    answer. Raises TflmError.
    """
    paths = models_in(places)
    with Link(port, timeout) as link:
        facts = read_facts(link)
    found = BoardRecord(
        FORMAT, __version__, int(time.time()), facts.machine, facts.firmware(), facts.arch,
        facts.tflm[0] if facts.tflm else runtime_files.version(), facts.frozen, facts.frequency,
        facts.flash_divider, [],
    )  # fmt: skip
    for i, path in enumerate(paths):
        if progress is not None:
            progress(i, len(paths))
        found.models.append(_model(path, facts.port, invokes, custom, timeout))
    return found


def write(found, path):
    """Write a BoardRecord as JSON."""
    files.write(path, json.dumps(asdict(found), indent=1).encode() + b"\n")


def read(path):
    """The BoardRecord of a file that write() wrote. Raises ToolError for anything else."""
    try:
        data = json.loads(files.read(path))
        if data["format"] != FORMAT:
            raise ToolError(
                f"{path} has the format {data['format']}, this tflm reads {FORMAT}; take another"
            )
        models = [ModelRecord(**model) for model in data.pop("models")]
        for model in models:
            model.ops = [OpRecord(**op) for op in model.ops or ()]
        return BoardRecord(**data, models=models)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ToolError(
            f"{path} is no result of `tflm bench --all`; make one with: "
            "tflm bench --on PORT --all -o FILE"
        ) from None


# One model; an error of its own is noted, one of the board ends everything.
def _model(path, port, invokes, custom, timeout):
    data = files.read(path)
    found = ModelRecord(Path(path).stem, hashlib.sha256(data).hexdigest())
    try:
        return _measured(found, path, port, invokes, custom, timeout)
    except TflmError as error:
        if isinstance(error, DeviceError) and error.is_of_board():
            raise
        found.refused = str(error)
        return found


def _measured(found, path, port, invokes, custom, timeout):
    model = open_model(path)
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    done = deploy(path, port, name=_NAME, replace=True, custom=custom, timeout=timeout)
    named = replace(model, path=f"{_NAME}.tflite")
    options = {"repeat": invokes, "custom": custom, "timeout": timeout}
    with board_device(port, timeout) as device:
        flat = flatten_for_board(model, device.facts, custom)
        plain = device.invoke(named, [inputs], **options)
        profiled = device.invoke(named, [inputs], profile=True, **options)
    found.flat_bytes, found.flat_sha256 = len(flat), hashlib.sha256(flat).hexdigest()
    found.arena_bytes, found.place = plain.arena, done.place
    found.compared, wanted = _wanted(model, inputs, custom, timeout)
    found.equal = all(
        first_difference(got, other.reshape(got.shape)) is None
        for got, other in zip(plain.outputs[0], wanted, strict=True)
    )
    found.invokes = invokes
    found.best_us, found.mean_us = min(plain.times), sum(plain.times) / invokes
    found.ops = [
        OpRecord(node, op, kernel, us / invokes, None if missed is None else missed / invokes)
        for (node, op, kernel, us), missed in zip(profiled.events, profiled.misses, strict=True)
    ]
    missed = [op.misses for op in found.ops]
    found.misses = None if None in missed else sum(missed)
    return found


# What the outputs must be: those of TFLM's wheel, of the unix port where that is not there.
def _wanted(model, inputs, custom, timeout):
    if model.kind == "tflite" and oracle.installed():
        return "TFLM", oracle.run(model.data, [inputs], timeout=timeout).outputs[0]
    return "unix port", invoke(model, [inputs], custom=custom, timeout=timeout).outputs[0]
