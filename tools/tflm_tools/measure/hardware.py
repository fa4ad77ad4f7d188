# tflm_tools: hardware: measures models on a connected board and writes a file, for bench --all
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
from ..port.invocation import InvokeOptions

FORMAT = 1
_NAME = "bench"  # of the model on the board; the next one replaces it
_MODELS = Path(__file__).resolve().parents[3] / "models"


@dataclass
class OpRecord:
    """A step of a model in one invoke, measured by the profiler.

    us: microseconds. misses: of the flash cache, None if they are not counted.
    """

    node: int
    op: str
    kernel: str
    us: float
    misses: float | None


@dataclass
class ModelRecord:
    """A model on a board; times are microseconds of one invoke without profiler, sizes in bytes.

    place: where the board stores it: "romfs", "flash" or "files". compared: the reference of the
    outputs, "TFLM" or "unix port". equal: whether the outputs equal the reference, bit for bit.
    misses: of the flash cache in one invoke, measured with the profiler. refused: why the model
    was not measured; then the other fields are empty. estimated_us: the estimate of deploy(), None
    for a core without one.
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
    estimated_us: float | None = None


@dataclass
class BoardRecord:
    """The measurements of a board.

    seconds: the time of the measurement, since 1970. frequency: the core's clock in Hz.
    flash_divider: the ratio of the core's clock to the flash's clock, None if it is not known.
    """

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


def models_in(paths):
    """Return the .tflite files in a list of files and folders; [] stands for the folder models/.

    Raises ToolError if a folder has none.
    """
    found = []
    for path in map(Path, paths or [_MODELS]):
        inside = sorted(path.glob("*.tflite") if paths else path.rglob("*.tflite"))
        if path.is_dir() and not inside:
            raise ToolError(f"there is no .tflite in {path}; name a folder that has some")
        found += inside if path.is_dir() else [path]
    if not found:
        raise ToolError("there are no models to measure; name some, or a folder of them")
    return found


def record(paths, port=None, invokes=5, progress=None, custom=(), timeout=None):
    """Measure models on the board at a port; returns a BoardRecord.

    A model that does not run on the board has its error in `refused`.
    paths: as for models_in(). invokes: how often each model runs. progress: called as
    progress(models done, models). custom: Python files that register custom operators. timeout:
    seconds for one answer of the board. Raises TflmError.
    """
    paths = models_in(paths)
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
    """Read a BoardRecord from a file of write(). Raises ToolError for any other file."""
    try:
        data = json.loads(files.read(path))
        data = data.get("board", data)  # of a file of `tflm measure`
        if data["format"] != FORMAT:
            raise ToolError(
                f"{path} has the format {data['format']}, this tflm reads {FORMAT}; measure again"
            )
        models = [ModelRecord(**model) for model in data.pop("models")]
        for model in models:
            model.ops = [OpRecord(**op) for op in model.ops or ()]
        return BoardRecord(**data, models=models)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ToolError(
            f"{path} is not a result of `tflm bench --all`; make one with: "
            "tflm bench --on PORT --all -o FILE"
        ) from None


# Measure one model. An error of the model becomes `refused`; an error of the board is raised.
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
    options = InvokeOptions(repeat=invokes, custom=custom, timeout=timeout)
    with board_device(port, timeout) as device:
        flat = flatten_for_board(model, device.facts, custom)
        plain = device.invoke(named, [inputs], options)
        profiled = device.invoke(named, [inputs], replace(options, profile=True))
    found.flat_bytes, found.flat_sha256 = len(flat), hashlib.sha256(flat).hexdigest()
    found.arena_bytes, found.place = plain.arena, done.place
    found.estimated_us = None if done.ms is None else 1000 * done.ms
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


# (name of the reference, its outputs): TFLM's wheel, or the unix port if it is not installed.
def _wanted(model, inputs, custom, timeout):
    if model.kind == "tflite" and oracle.installed():
        return "TFLM", oracle.run(model.data, [inputs], timeout=timeout).outputs[0]
    options = InvokeOptions(custom=custom, timeout=timeout)
    return "unix port", invoke(model, [inputs], options).outputs[0]
