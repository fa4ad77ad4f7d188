# Tests of what the bench knows of a model's layers, and of its file system image
# MIT license; Copyright (c) 2026 the tflm authors

import os
import subprocess
import sys
from pathlib import Path

from cycles import _noted
from layers import layers_of
from support.builder import ModelBuilder
from tflm_tools.board import romfs_image
from tflm_tools.flat.flatten import prepare
from tflm_tools.image.flat_image import image_of

_ROOT = Path(__file__).resolve().parents[2]
_DIGITS = _ROOT / "models" / "digits" / "digits_int8.tflite"
_MICROPYTHON = os.environ.get("TFLM_MICROPYTHON") or Path(sys.executable).with_name("micropython")


def test_layers_are_the_nodes_in_order():
    data = _DIGITS.read_bytes()
    model, storage = prepare(data)
    layers = layers_of(model, storage)
    assert [layer.node for layer in layers] == list(range(len(layers)))
    assert layers[0].op == "CONV_2D"
    assert sum(layer.records for layer in layers) == len(storage.records)


def test_flash_of_layers_is_what_the_image_holds_of_them():
    data = _DIGITS.read_bytes()
    model, storage = prepare(data)
    flash = sum(layer.flash for layer in layers_of(model, storage))
    records = sum(record.nbytes() for record in storage.records)
    assert flash == records + len(storage.constants) - 16  # the first constant begins there
    assert flash < len(image_of(data, model, storage))


# Taking the rows of an input is part of the first layer, whose work it leaves as it is.
def test_rows_belong_to_the_operator_that_reads_them():
    data = _DIGITS.read_bytes()
    whole, rows = (layers_of(*prepare(data, by_rows=by_rows)) for by_rows in (False, True))
    assert [(layer.op, layer.macs) for layer in rows] == [(each.op, each.macs) for each in whole]
    assert rows[0].records == whole[0].records + 1


# Steps that control flow runs have no notes: their lists are not banded.
def test_notes_are_for_the_steps_of_the_model_itself():
    model = ModelBuilder()
    x, y, z = (model.tensor((4,), "int32") for _ in range(3))
    handle = model.tensor((), "resource")
    model.operator("CALL_ONCE", [], [], init_subgraph_index=1)
    model.operator("VAR_HANDLE", [], [handle], shared_name="kept")
    model.operator("READ_VARIABLE", [handle], [y])
    model.operator("ADD", [x, y], [z])
    model.operator("ASSIGN_VARIABLE", [handle, z], [])
    model.io([x], [z])
    first = model.subgraph("first")
    again = first.tensor((), "resource")
    first.operator("VAR_HANDLE", [], [again], shared_name="kept")
    first.operator("ASSIGN_VARIABLE", [again, first.tensor((4,), "int32", [1, 2, 3, 4])], [])
    _, storage = prepare(model.build())
    assert [record.node.index for record in _noted(storage.records)] == [0, 2, 3, 4]


def test_micropython_reads_the_image():
    files = {"a.txt": b"one", "sub/b.txt": bytes(300), "sub/deep/c.txt": b""}
    image = romfs_image.image(files)
    assert len(image) % 2 == 0
    code = (
        "import vfs,sys\n"
        f"vfs.mount(vfs.VfsRom({image!r}), '/rom')\n"
        "for path in sys.argv[1:]:\n"
        "    with open('/rom/' + path, 'rb') as file: print(path, len(file.read()))\n"
    )
    answer = subprocess.run(
        [_MICROPYTHON, "-c", code, *files], capture_output=True, text=True, timeout=60
    )
    assert answer.stdout.split() == ["a.txt", "3", "sub/b.txt", "300", "sub/deep/c.txt", "0"]
