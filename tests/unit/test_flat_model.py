# Tests of the flat model: reading what was written, and damage with and without a matching CRC
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import re
import struct

import pytest
from tflm import format as layout
from tflm.arena import Arena
from tflm.errors import ModelError, TflmError, UnsupportedError
from tflm.flat_program import make_program
from tflm.model import FlatModel, is_flat
from tflm.op_resolver import OpResolver
from tflm.program import PrepareOptions
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device, run_all

_CLASSIFIER = flatten(sample_models.classifier())
_COUNTER = flatten(sample_models.counter())


# A resolver for the host, which cannot load kernels: it only accepts names.
class Names(OpResolver):
    def _find_kernel(self, name):
        try:
            return super()._find_kernel(name)
        except UnsupportedError:
            return name


# Load a file and make its Program, which reads all of its tables.
def use(image):
    model = FlatModel(image)
    model.metadata()
    return make_program(model, Arena(model.arena_bytes), PrepareOptions(Names()))


# Return the file with a matching CRC.
def with_crc(image):
    image = bytearray(image)
    crc = binascii.crc32(memoryview(image)[layout.CRC_START :])
    struct.pack_into("<I", image, layout.CRC_OFFSET, crc)
    return bytes(image)


# Return a copy with one value overwritten and a matching CRC.
def changed(image, at, kind, value):
    image = bytearray(image)
    struct.pack_into(kind, image, at, value)
    return with_crc(image)


# Return the start of section `number`, and its number of entries.
def section(image, number):
    return struct.unpack_from(layout.SECTION, image, layout.SECTIONS_OFFSET + 8 * number)


# Assert that a file is refused with one TflmError that has a remedy.
def refused(image, pattern, kind=ModelError):
    with pytest.raises(kind, match=pattern) as caught:
        use(image)
    assert ";" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_round_trip():
    program = use(_CLASSIFIER)
    assert [op.kernel.split(".")[0] for op in program.ops][:2] == ["fully_connected"] * 2
    assert [(t.name, t.dtype, t.shape) for t in program.inputs] == [("x", "int8", (1, 12))]
    assert [(t.name, t.dtype, t.shape) for t in program.outputs] == [("y", "int8", (1, 4))]
    assert program.inputs[0].scale == pytest.approx(0.02)
    assert program.inputs[0].zero_point == -5
    assert len(program.inputs[0].raw) == 12
    for _, record, units, slice_units in program.graphs[0]:
        assert units == struct.unpack_from("<I", record)[0]
        assert 1 <= slice_units <= units


def test_round_trip_with_state():
    program = use(_COUNTER)
    assert len(program.variables) == 1
    raw, value = program.variables[0]
    assert (len(raw), value) == (20, 0)
    assert program.used_bytes == FlatModel(_COUNTER).arena_bytes == 32 + 32


def test_metadata_is_kept():
    from support.builder import ModelBuilder

    builder = ModelBuilder()
    x, y = builder.tensor((4,), "float32"), builder.tensor((2, 2), "float32")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    builder.metadata("labels", b"zero\none")
    model = FlatModel(flatten(builder.build()))
    assert {name: bytes(data) for name, data in model.metadata().items()} == {
        "labels": b"zero\none"
    }


def test_identifier():
    assert is_flat(_CLASSIFIER)
    assert not is_flat(sample_models.classifier())
    assert not is_flat(b"")


def test_bytes_after_the_model_are_ignored():
    use(_CLASSIFIER + b"\xff" * 100)


@pytest.mark.parametrize(
    ("at", "kind", "value", "message", "error"),
    [
        (0, "<I", 0, "this is no .tflm; use tflm flatten", ModelError),
        (4, "<H", 2, r"format 2, not 1; flatten it again", UnsupportedError),
        (6, "<H", 96, "damaged: it has", ModelError),
        (8, "<I", 0, r"damaged: it has \d+ bytes, not 0;", ModelError),
        (8, "<I", 111, r"damaged: it has \d+ bytes, not 111;", ModelError),
        (8, "<I", 112, "damaged: its CRC is wrong", ModelError),
        (8, "<I", 1 << 20, r"damaged: it has \d+ bytes, not 1048576", ModelError),
        (12, "<I", 7, "damaged: its CRC is wrong", ModelError),
    ],
)
def test_header_before_the_crc(at, kind, value, message, error):
    image = bytearray(_CLASSIFIER)
    struct.pack_into(kind, image, at, value)
    refused(bytes(image), message, error)


# The CRC detects any flipped bit after it.
def test_crc():
    rng = random.Random(1)
    positions = [*range(layout.CRC_START, layout.HEADER_BYTES)]
    positions += [rng.randrange(layout.HEADER_BYTES, len(_CLASSIFIER)) for _ in range(300)]
    for at in positions:
        image = bytearray(_CLASSIFIER)
        image[at] ^= 1 << rng.randrange(8)
        refused(bytes(image), "its CRC is wrong")


def test_truncated():
    for size in [*range(0, len(_CLASSIFIER), 16), *range(layout.HEADER_BYTES + 2)]:
        if size < len(_CLASSIFIER):
            refused(_CLASSIFIER[:size], "it has|are no header")


# From here on the CRC matches the damaged file.
@pytest.mark.parametrize(
    ("at", "value"),
    [(16, 16), (16, 0xFFFFFFF0), (20, 0xFFFFFFF0), (20, 1 << 20), (16, 1000), (20, 8)],
)
def test_arena_sizes(at, value):
    refused(changed(_CLASSIFIER, at, "<I", value), "wrong arena sizes")


def test_arena_that_is_smaller_than_the_tensors():
    image = changed(_CLASSIFIER, 16, "<I", 16)
    refused(changed(image, 20, "<I", 16), "is outside")


@pytest.mark.parametrize("number", range(layout.SECTIONS))
@pytest.mark.parametrize("word", [0, 4])
@pytest.mark.parametrize("value", [1, 0x7FFFFFF0, 0xFFFFFFFF, 0xFFFFFFF0])
def test_sections(number, word, value):
    image = changed(_CLASSIFIER, layout.SECTIONS_OFFSET + 8 * number + word, "<I", value)
    if word and value == 1:
        return  # fewer entries than there were: other tests
    refused(image, f"section {number} is outside the file")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (layout.KERNELS, "no entry 0 in section 0"),
        (layout.SUBGRAPHS, "it has no sub-graph"),
        (layout.OPS, "no entry 0 in section 2"),
        (layout.TENSORS, "it has too few tensors"),
        (layout.NAMES, "a name is outside"),
        (layout.RECORDS, "the record of op 0 is outside"),
    ],
)
def test_empty_sections(number, message):
    image = changed(_CLASSIFIER, layout.SECTIONS_OFFSET + 8 * number + 4, "<I", 0)
    refused(image, message)


@pytest.mark.parametrize("field", range(5))
def test_subgraph(field):
    at = section(_CLASSIFIER, layout.SUBGRAPHS)[0] + 2 * field
    image = changed(_CLASSIFIER, at, "<H", 0xFFFF)
    if field == 2:
        use(image)  # the field is not used yet
    else:
        refused(image, "no entry|too few tensors|is wrong")


# Fields of an op, and the error of a wrong value.
@pytest.mark.parametrize(
    ("offset", "kind", "value", "message"),
    [
        (0, "<H", 0xFFFF, "no entry 65535 in section 0"),
        (6, "<H", 0xFFFF, "the record of op 0 is outside"),
        (8, "<I", 0, "the record of op 0 is outside"),
        (12, "<I", 0, "the record of op 0 is outside"),
        (12, "<I", 0xFFFFFFFC, "the record of op 0 is outside"),
        (16, "<I", 0, "the record of op 0 is outside"),
        (16, "<I", 3, "the record of op 0 is outside"),
        (16, "<I", 0xFFFFFFFF, "the record of op 0 is outside"),
    ],
)
def test_op(offset, kind, value, message):
    start, _ = section(_CLASSIFIER, layout.OPS)
    refused(changed(_CLASSIFIER, start + offset, kind, value), message)


def test_unaligned_record():
    start, _ = section(_CLASSIFIER, layout.OPS)
    position = struct.unpack_from("<I", _CLASSIFIER, start + 12)[0]
    for step in (1, 2, 3):
        image = changed(_CLASSIFIER, start + 12, "<I", position + step)
        refused(image, "the record of op 0 is outside")


@pytest.mark.parametrize("operand", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("word", [0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE, 1 << 20, (1 << 20) + 1, 2])
def test_operands(operand, word):
    start, _ = section(_CLASSIFIER, layout.RECORDS)
    image = changed(_CLASSIFIER, start + 4 * operand, "<I", word)
    refused(image, "an operand of op 0 is outside")


# Fields of a tensor: word, bytes, name, (type, rank, flags), zero point, scale, dimensions.
@pytest.mark.parametrize(
    ("offset", "kind", "value"),
    [
        (0, "<I", 0xFFFFFFFC),
        (0, "<I", 0xFFFFFFFD),
        (0, "<I", 2),
        (0, "<I", 1 << 16),
        (4, "<I", 0xFFFFFFFF),
        (4, "<I", 11),
        (8, "<I", 0xFFFFFFFF),
        (8, "<I", 1 << 16),
        (12, "<B", 0),
        (12, "<B", 99),
        (13, "<B", 9),
        (13, "<B", 255),
        (13, "<B", 1),
        (24, "<I", 0),
        (28, "<I", 0xFFFFFFFF),
        (28, "<I", 13),
    ],
)
def test_tensor_entries(offset, kind, value):
    start, _ = section(_CLASSIFIER, layout.TENSORS)
    assert layout.TENSOR_BYTES == 56
    refused(changed(_CLASSIFIER, start + offset, kind, value), "tensor 0|name")


def test_huge_dimensions():
    start, _ = section(_CLASSIFIER, layout.TENSORS)
    image = bytearray(_CLASSIFIER)
    image[start + 13] = 8
    image[start + 24 : start + 56] = b"\xff" * 32
    refused(with_crc(image), "wrong bytes")


# reset() writes variables, so they must not be in the model.
@pytest.mark.parametrize("word", [1, 401, 0, 16])
def test_variable_outside_the_tail(word):
    start, count = section(_COUNTER, layout.TENSORS)
    at = start + (count - 1) * layout.TENSOR_BYTES
    refused(changed(_COUNTER, at, "<I", word), "variable 2 is not in the tail")


# Invalid names in position of the first kernel's.
@pytest.mark.parametrize(
    "name",
    [
        "requantize.store_int8",
        "a.b.c",
        "",
        ".",
        "eval",
        "fully_connected.",
        ".eval_int8",
        "../conv.eval_int8",
        "fully_connected.evil-eval",
        "fully_connected.__name__",
        "fully_connected.const",
        "os.evalx.y",
        "customs.Atan",
        "FULLY.eval",
        "conv/x.eval",
        "näme.eval",
    ],
)
def test_invalid_kernel_names(name):
    image = renamed(_CLASSIFIER, name.encode())
    refused(image, re.escape(f"a kernel '{name}', which cannot exist; flatten the model again"))


def test_missing_kernel(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(renamed(_CLASSIFIER, b"nothing.eval_int8"))
    code = """
        interp = tflm.Interpreter(tflm.load(PATH, trusted=True))
        print(raises(UnsupportedError, interp.allocate_tensors))
    """
    (said,) = device(code, PATH=str(path))
    assert "the kernel nothing.eval_int8 is not on this board; install" in said
    model = FlatModel(path.read_bytes())
    with pytest.raises(UnsupportedError, match="models need MicroPython, not cpython"):
        make_program(model, Arena(model.arena_bytes), PrepareOptions(OpResolver()))


def test_name_that_is_not_utf8():
    refused(renamed(_CLASSIFIER, b"\xff\xfe"), "a name is not UTF-8")


# Return a copy with a matching CRC whose first op has a kernel of this name.
def renamed(image, name):
    image = bytearray(image)
    ops, _ = section(image, layout.OPS)
    kernels, _ = section(image, layout.KERNELS)
    names, size = section(image, layout.NAMES)
    kernel = struct.unpack_from("<H", image, ops)[0]
    offset = struct.unpack_from("<I", image, kernels + 4 * kernel)[0]
    assert offset + 1 + len(name) <= size
    image[names + offset] = len(name)
    image[names + offset + 1 : names + offset + 1 + len(name)] = name
    return with_crc(image)


# On the device, with aligned buffers and without invoke: everything except records is overwritten,
# with a matching CRC.
@pytest.mark.parametrize("image", [_CLASSIFIER, _COUNTER], ids=["classifier", "counter"])
def test_damaged_tables(image, tmp_path):
    rng = random.Random(5)
    end = section(image, layout.RECORDS)[0]
    images = []
    for _ in range(300):
        damaged = bytearray(image)
        for _ in range(rng.choice((1, 1, 2, 3))):
            at = rng.randrange(16, end)
            if rng.random() < 0.5:
                damaged[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
            else:
                value = rng.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
                struct.pack_into("<I", damaged, at & (0 - 4), value)
        images.append(with_crc(damaged))
    counts = {"ran": 0, "refused": 0}
    for damaged in images:
        try:
            use(damaged)
            counts["ran"] += 1
        except TflmError:
            counts["refused"] += 1
    assert min(counts.values()) > 50
    device = run_all(images, tmp_path, invoke=False)
    assert sum(device.values()) == len(images)
    assert device["ran"] > 50


# Operands with random words are refused, or inside the arena and the model.
def test_damaged_operands(tmp_path):
    images = []
    start, _ = section(_CLASSIFIER, layout.RECORDS)
    for operand in (1, 2, 3, 4, 5):
        for word in (0, 1, 2, 3, 4, 0x7FFFFFFC, 0x80000000, 0xFFFFFFFF, 260, 261, 262, 263):
            images.append(changed(_CLASSIFIER, start + 4 * operand, "<I", word))
    assert sum(run_all(images, tmp_path, invoke=False).values()) == len(images)


# Firmware without access checks runs only trusted models.
def test_firmware_without_access_checks(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(_CLASSIFIER)
    code = """
        sys.modules["tflm.access_checks"] = None  # as if it were missing
        interpreter = tflm.Interpreter(tflm.load(PATH))
        text = raises(ModelError, interpreter.allocate_tensors)
        assert "cannot check a .tflm" in text and "trusted=True" in text, text
        tflm.Interpreter(tflm.load(PATH, trusted=True)).invoke()
        """
    device(code, PATH=str(path))
