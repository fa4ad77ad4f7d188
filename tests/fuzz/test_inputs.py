# Tests of damaged FlexBuffers, signatures, labels, metadata and replies of boards
# MIT license; Copyright (c) 2026 the tflm authors

import random
import time

import pytest
from fuzz.forgery import sealed, section
from host.board.test_link import port_with
from support.encoding import flexbuffer
from tflm import format as layout
from tflm.errors import ModelError, TflmError
from tflm.introspection.labels import labels_of, lines
from tflm.introspection.signature import parse as parse_signatures
from tflm.model import FlatModel
from tflm.tflite.flexbuffer import parse
from tflm_tools.board import link as link_file
from tflm_tools.board import wire
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError
from tflm_tools.flat.flatten import flatten
from tflm_tools.image.flat_image import pack_signatures
from unit.damaged_files import damaged_copies
from unit.test_signature import build

_OPTIONS = {"fft": 512, "names": ["a", "b" * 40, "ü"], "deep": [[[1.5, {"x": -1}]]], "on": True}
_TOKENS = (
    b"raw REPL; CTRL-B to exit\r\n>", b"soft reboot\r\n", b"OK", b"\x04", b"\x04\x04>", b">",
    b"R\x01", b"[1, 2", b"(" * 300, b"9" * 5000, b"'\\x", b"\x00\xff\xfe", b"MPY: ", b"\r\n",
)  # fmt: skip


# Return how many copies gave a value, and how many a ModelError with a text; others fail.
def outcomes(function, models):
    values = errors = 0
    for data in models:
        start = time.monotonic()
        try:
            function(data)
            values += 1
        except ModelError as error:
            assert str(error)
            errors += 1
        assert time.monotonic() - start < 2
    return values, errors


def test_damaged_flexbuffers():
    data = flexbuffer(_OPTIONS)
    models = damaged_copies(data, "flexbuffers", 3000) + [data[:size] for size in range(len(data))]
    values, errors = outcomes(parse, models)
    assert values > 100 and errors > 100


def test_damaged_signatures():
    data = pack_signatures(
        {"one": (0, [(0, "x"), (1, "y")], [(0, "z")]), "two": (1, [], [(0, "ü")])}
    )
    models = damaged_copies(data, "signatures", 2000) + [data[:size] for size in range(len(data))]
    values, errors = outcomes(parse_signatures, models)
    assert values > 100 and errors > 100


def test_damaged_labels():
    data = "null\neins\r\nzwölf\n\n".encode()
    for damaged in damaged_copies(data, "labels", 500):
        assert all(isinstance(line, str) for line in lines(damaged))
    assert lines(data) == ["null", "eins", "zwölf"]


# The tables before the records of a .tflm, read as tools and boards read them.
def test_damaged_tables():
    flat = flatten(build())
    records = section(flat, layout.RECORDS)[0]

    def read(data):
        model = FlatModel(data)
        model.metadata()
        labels_of(model.metadata())
        parse_signatures(model.signature_data())
        model.scratch()
        for i in range(model.tensors_length()):
            model.tensor(i)

    models = []
    for head in damaged_copies(flat[16:records], "tables", 2000):
        whole = flat[:16] + head.ljust(records - 16, b"\0") + flat[records:]
        models.append(sealed(whole))
    values, errors = 0, 0
    for data in models:
        try:
            read(data)
            values += 1
        except TflmError as error:
            assert str(error)
            errors += 1
    assert values > 100 and errors > 100


# A board that answers with pieces of MicroPython's replies in any order: the command returns a
# value or raises a DeviceError, within a second.
@pytest.mark.parametrize("seed", range(6))
def test_random_replies(seed, monkeypatch):
    monkeypatch.setattr(link_file, "_ENTER_SECONDS", 0.6)
    monkeypatch.setattr(wire, "MAX_REPLY_BYTES", 1 << 15)
    rng = random.Random(seed)

    def answer(data):
        if b"\x01" in data and b"\x05A\x01" not in data and rng.random() < 0.9:
            return b"raw REPL; CTRL-B to exit\r\n>"
        if data == b"\x04" and rng.random() < 0.8:
            return b"OK\r\nMPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>"
        pieces = b"".join(rng.choice(_TOKENS) for _ in range(rng.randrange(5)))
        if b"\x05A\x01" in data and rng.random() < 0.8:
            return b"R\x00OK" + pieces + b"\x04" + pieces[:60] + b"\x04>"
        return pieces if data else b""

    kinds = []

    def refused(error):
        assert str(error)
        kinds.append(error.kind)

    begin = time.monotonic()
    with port_with(answer) as port:
        try:
            with Link(port) as link:
                for _ in range(3):
                    try:
                        link.eval("1", seconds=0.2)
                    except DeviceError as error:
                        refused(error)
        except DeviceError as error:
            refused(error)
    assert time.monotonic() - begin < 8
    assert kinds and "missing" not in kinds
