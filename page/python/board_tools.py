# page: `tflm doctor` and `tflm deploy` on a board at the browser's serial port; files for a board
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import dataclasses
import io
import json
import math
import tempfile
import zipfile
from pathlib import Path

import web_serial
from plain_words import plain
from tflm.errors import TflmError
from tflm_tools.board import profiles
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.flatten_for_board import model_name
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle, runtime_files
from tflm_tools.render import board as render
from tflm_tools.render.common import said

_LINES = """\
Unpack the zip, and run in its folder, with MicroPython's mpremote:

  mpremote mip install package.json    # if the firmware has no tflm
  mpremote cp {stem}.tflm :

Then on the board:

  import tflm
  interpreter = tflm.Interpreter(tflm.load("{stem}.tflm", trusted=True))
"""

# Runs on the board after the lines that load the model: invokes it twice on zeros, and prints the
# microseconds of the second invoke, and (shape, first values) of each output.
_RUN = """
import time
def clear():
    for i in range(interpreter.inputs_size()):
        raw = interpreter.input(i).raw
        for at in range(0, len(raw), 64):
            raw[at : at + 64] = bytes(min(64, len(raw) - at))
def values(tensor):
    scale, zero_point = tensor.scale or 1, tensor.zero_point if tensor.scale else 0
    return ["%.3g" % (scale * (q - zero_point)) for q in tensor.data[:{count}]]
clear()
interpreter.invoke()
clear()
interpreter.reset()
begin = time.ticks_us()
interpreter.invoke()
took = time.ticks_diff(time.ticks_us(), begin)
outputs = [interpreter.output(i) for i in range(interpreter.outputs_size())]
print(repr((took, [(list(output.shape), values(output.kept)) for output in outputs])))
"""
_COUNT = 10  # values of an output that are shown
_RUN_SECONDS = 120.0
_RUN_SCHEMA = 1 << 40, [([int], [str])]

web_serial.install()


# Give a port and a model (bytes) to act(path); return its result, or the error it raised, as JSON.
def _on(channel, port, name, data, act):
    web_serial.give(port, channel)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            path = Path(Path(name).name or "model.tflite")
            path.write_bytes(data)
            return json.dumps({"said": plain(act(path))})
    except TflmError as error:
        return json.dumps({"error": plain(str(error))})
    finally:
        web_serial.give(port, None)


# Run the model of a Deployment on the board; return the time and the outputs as text.
def _first_run(done, port):
    with Link(port) as link:
        code = "\n".join([*done.use, _RUN.format(count=_COUNT)])
        microseconds, outputs = link.value(link.exec(code, _RUN_SECONDS), _RUN_SCHEMA)
    lines = [f"\nIt ran on the board, on zeros as input: {microseconds / 1000:.1f} ms per invoke."]
    for i, (shape, values) in enumerate(outputs):
        more = ", ..." if math.prod(shape) > len(values) else ""
        lines.append(f"  output {i}, {shape}: {', '.join(values)}{more}")
    return "\n".join(lines) + "\n"


def look(channel, port, name, data):
    """Run `tflm doctor PORT --model NAME`; return its output as JSON."""
    return _on(
        channel, port, name, data,
        lambda path: said(render.print_diagnosis, doctor(port, [path])),
    )  # fmt: skip


def send(channel, port, name, data, to, replace, progress):
    """Run `tflm deploy NAME PORT --to TO`, then the model; return the output of both as JSON.

    progress: called as progress(done, total), in bytes.
    """

    def act(path):
        done = deploy(path, port, to=to, replace=replace, progress=progress)
        text = said(render.print_deployment, dataclasses.replace(done, faster=None))
        try:
            return text + _first_run(done, port)
        except DeviceError as error:
            if error.kind == "lost":
                raise
            return f"{text}\nIt does not run on the board: {error}\n"

    return _on(channel, port, name, data, act)


def files(name, data, board):
    """Pack a zip of all files that the board with this id needs for a model.

    Return (error, bytes of the zip, name of the zip, commands that install it).
    """
    try:
        profile = profiles.named(board)
        path = Path(name).name or "model.tflite"
        stem = model_name(path)
        model = open_model(path, data)
        is_flat = model.kind == "tflm"
        flat = model.data if is_flat else flatten(model.data, target=profile.target)
        assembler = (profile.stock or profile.tflm).inline_assembler
        wanted = bundle.files(runtime_files.files_for(flat, profile.arch, assembler), profile.arch)
        packed = bundle.pack(wanted)
        lib = {**bundle.init_files(profile.arch), bundle.name_of(packed): packed}
    except TflmError as error:
        return plain(str(error)), b"", "", ""
    listed = {"urls": [[path, path] for path in lib], "version": runtime_files.version()}
    content = {f"{stem}.tflm": flat, "package.json": json.dumps(listed).encode(), **lib}
    archive_bytes = io.BytesIO()
    with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, each in content.items():
            archive.writestr(path, each)
    return "", archive_bytes.getvalue(), f"{stem}-{board}.zip", _LINES.format(stem=stem)
