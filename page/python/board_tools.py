# page: what `tflm doctor` and `tflm deploy` do and say, on a board at the browser's serial port
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import io
import json
import tempfile
import zipfile
from pathlib import Path

import web_serial
from tflm.errors import TflmError
from tflm_tools.board import profiles
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.flatten_for_board import model_name
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle, runtime_files
from tflm_tools.render import board as render
from tflm_tools.render.common import said
from tflm_tools.targets import ARCHS, more_targets, target_of

_LINES = """\
In the folder that the zip holds, with MicroPython's own mpremote:

  mpremote mip install package.json    # where the firmware has no tflm
  mpremote cp {stem}.tflm :

Then on the board:

  import tflm
  interpreter = tflm.Interpreter(tflm.load("{stem}.tflm", trusted=True))
"""

web_serial.install()


# JSON of what `act(path)` said of a model (bytes) and a board, or of the sentence that it raised.
def _on(channel, port, name, data, act):
    web_serial.give(port, channel)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            path = Path(Path(name).name or "model.tflite")
            path.write_bytes(data)
            return json.dumps({"said": act(path)})
    except TflmError as error:
        return json.dumps({"error": str(error)})
    finally:
        web_serial.give(port, None)


def look(channel, port, name, data):
    """`tflm doctor PORT --model NAME`."""
    return _on(
        channel, port, name, data,
        lambda path: said(render.print_diagnosis, doctor(port, [path])),
    )  # fmt: skip


def send(channel, port, name, data, to, replace, progress):
    """`tflm deploy NAME PORT --to TO`; progress(done, total): bytes."""

    def act(path):
        done = deploy(path, port, to=to, replace=replace, progress=progress)
        return said(render.print_deployment, done)

    return _on(channel, port, name, data, act)


# What models are packed for that go on a board of this Profile.
def _target(profile):
    core, chips = "", ARCHS[profile.arch].more[1:]
    if chips and profile.chip in chips[-1].split(", "):
        (core,) = more_targets(profile.arch)
    return target_of(profile.arch, core)


def files(name, data, board):
    """All that a board of this id needs for a model without `tflm deploy`, as a zip.

    Returns (error, the zip, its name, the lines that put it there).
    """
    try:
        profile = profiles.named(board)
        path = Path(name).name or "model.tflite"
        stem = model_name(path)
        model = open_model(path, data)
        flat = data if model.kind == "tflm" else flatten(data, target=_target(profile))
        assembler = (profile.stock or profile.tflm).inline_assembler
        wanted = bundle.files(runtime_files.files_for(flat, profile.arch, assembler), profile.arch)
        packed = bundle.pack(wanted)
        lib = {bundle.INIT: bundle.init(profile.arch), bundle.name_of(packed): packed}
    except TflmError as error:
        return str(error), b"", "", ""
    listed = {"urls": [[path, path] for path in lib], "version": runtime_files.version()}
    content = {f"{stem}.tflm": flat, "package.json": json.dumps(listed).encode(), **lib}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, each in content.items():
            archive.writestr(path, each)
    return "", made.getvalue(), f"{stem}-{board}.zip", _LINES.format(stem=stem)
