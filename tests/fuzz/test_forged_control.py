# Tests of records that run other records: IF, WHILE, CALL_ONCE and bands, forged
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from pathlib import Path

import pytest
from fuzz.campaign import Outcome, cases_of, run_on_device
from fuzz.forged import forgeries, one_of_each, sealed, section
from tflm import format as layout
from tflm.errors import ModelError
from tflm.extents import check_model
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.plan.loops import END
from unit.on_device import device

_REPOSITORY = Path(__file__).resolve().parents[2]
_DIGITS = _REPOSITORY / "models" / "digits" / "digits_int8.tflite"
_CONTROL = ("control.if", "control.while", "control.call_once")
_COPIES = 40


# Entry `i` of the table of ops, and where it stands.
def _op(flat, i):
    at = section(flat, layout.OPS)[0] + i * layout.OP_BYTES
    return at, list(struct.unpack_from(layout.OP, flat, at))


# Number of the first op of a kernel.
def _find(flat, kernel):
    model = FlatModel(flat)
    count = section(flat, layout.OPS)[1]
    return next(i for i in range(count) if model.op(i)[0] == kernel)


# A copy with words of the record of op `i` changed, and as many operands as wanted.
def _forged(flat, i, words, operands=None):
    data = bytearray(flat)
    at, entry = _op(flat, i)
    for word, value in words.items():
        struct.pack_into("<I", data, entry[5] + 4 * word, value)
    if operands is not None:
        entry[3] = operands
        struct.pack_into(layout.OP, data, at, *entry)
    return sealed(data)


# A small .tflm with each kind of control flow.
@pytest.fixture(scope="module")
def branches():
    found = {}
    for name in ("test_control_flow", "test_resource_variables"):
        flats = [flatten(case.build(), optimize="off") for case in cases_of(name)]
        for flat in sorted(flats, key=len):
            for kernel in FlatModel(flat).kernels():
                found.setdefault(kernel, flat)
    return {kernel: found[kernel] for kernel in _CONTROL}


@pytest.fixture(scope="module")
def banded():
    flat = flatten(_DIGITS.read_bytes(), target="armv6m", optimize="ram")
    assert "control.bands" in FlatModel(flat).kernels()
    return flat


# Names of the errors of models that are run with guard zones around their arena.
def _outcome(models, folder):
    outcome = Outcome()
    run_on_device(models, folder, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    return outcome.counts


# Whatever the words and the tables of models with control flow and variables say.
def test_forged_control_flow(tmp_path):
    models = []
    for name in ("test_control_flow", "test_resource_variables"):
        flats = [flatten(case.build(), optimize="off") for case in cases_of(name)]
        for i, flat in enumerate(one_of_each(flats)):
            models += [flat, *forgeries(flat, f"{name} {i}", _COPIES)]
    counts = _outcome(models, tmp_path)
    assert counts["ran"] > 30 and counts["ModelError"] > 50


# Its record is units, the condition, and lists.
@pytest.mark.parametrize("kernel", _CONTROL)
def test_control_record(branches, kernel, tmp_path):
    flat = branches[kernel]
    i = _find(flat, kernel)
    model = FlatModel(flat)
    check_model(model)
    lists = model.subgraphs_length()
    behind = model.arena_bytes + 16
    for words, operands in (
        ({0: 2}, None),
        ({0: 0xFFFFFFFF}, None),
        ({1: behind << 2}, None),
        ({1: len(flat) << 2 | 1}, None),
        ({1: model.head_bytes << 2}, None),
        ({}, 0),
    ):
        with pytest.raises(ModelError):
            check_model(FlatModel(_forged(flat, i, words, operands)))
    # Lists that are not there, or lead back.
    wrong = [_forged(flat, i, {2: number}) for number in (lists, 1 << 31, 0)]
    assert _outcome(wrong, tmp_path) == {"ModelError": 3}


# Operand words that name persistent bytes are moved where interpreters share an arena: a number
# that looks like one must not be taken for an operand.
def test_numbers_are_no_operands(branches, banded):
    flat = branches["control.while"]
    i = _find(flat, "control.while")
    moved = FlatModel(flat).head_bytes << 2 | layout.IN_TAIL
    with pytest.raises(ModelError, match="would reach outside"):
        check_model(FlatModel(_forged(flat, i, {2: moved}, 2)))
    i = _find(banded, "control.bands")
    with pytest.raises(ModelError, match="would reach outside"):
        check_model(FlatModel(_forged(banded, i, {}, 3)))


# Its record is bands, the block, a list of steps and the words of the block; where the lists
# begin, one for all bands and one for each; and these: words and what is added, until an END.
def test_bands_record(banded, tmp_path):
    i = _find(banded, "control.bands")
    model = FlatModel(banded)
    check_model(model)
    record = model.op(i)[3]
    numbers = struct.unpack(f"<{len(record) // 4}I", record)
    bands, block, _, words = numbers[:4]
    starts = struct.unpack_from(f"<{1 + bands}H", record, 16)
    assert numbers[-1] == END and min(starts) == 5 + bands // 2
    # The word of the first change of a list that has more than one.
    first = next(at for at in starts if END not in numbers[at : at + 3])
    assert numbers[first] < numbers[first + 2]
    behind = model.head_bytes
    for wrong in (
        {0: 0},
        {0: len(numbers)},
        {1: block | 1},
        {1: behind - 4 * words + 4 << 2},
        {3: words - 1},  # too few for the longest record
        {3: behind >> 2},
        {first + 1: 1 << 29},  # units, or a place
    ):
        with pytest.raises(ModelError):
            check_model(FlatModel(_forged(banded, i, wrong)))
    lists = (
        {4: first + 1},  # not where one begins
        {4: first + 1 << 16 | starts[0]},
        {4: first << 16 | 4},
        {4: first << 16 | len(numbers)},
        {4: 0xFFFFFFFF},
        {first + 2: numbers[first]},  # words that do not ascend
        {first: 1 << 31},
        {first: 0xFFFFFFFF},
        {len(numbers) - 1: END - 1},  # no END
    )
    wrong = [_forged(banded, i, each) for each in lists]
    assert _outcome(wrong, tmp_path) == {"ModelError": len(lists)}


# Its record is rows, where they go, and bytes of a row: as many as the Tensor of a row has, from
# which they are copied.
def test_rows_record():
    flat = flatten(_DIGITS.read_bytes(), by_rows=True, optimize="off")
    i = _find(flat, "control.rows")
    model = FlatModel(flat)
    check_model(model)
    rows, _, size = struct.unpack("<3I", model.op(i)[3])
    for wrong in ({2: 2 * size, 0: rows // 2}, {2: size - 1}, {2: 0}, {0: 1 << 20}):
        with pytest.raises(ModelError, match="would reach outside"):
            check_model(FlatModel(_forged(flat, i, wrong)))


# A file of an older state, in a board's ROMFS with newer firmware, is trusted and yet no damage:
# its starts were words, so the upper half of the first one was 0.
def test_older_bands(banded, tmp_path):
    path = tmp_path / "older.tflm"
    i = _find(banded, "control.bands")
    bands = struct.unpack_from("<I", FlatModel(banded).op(i)[3])[0]
    path.write_bytes(_forged(banded, i, {4: 5 + bands}))
    device(
        """
        interp = tflm.Interpreter(tflm.load(PATH, trusted=True))
        text = raises(ModelError, interp.allocate_tensors)
        assert "flatten it again" in text, text
        """,
        PATH=str(path),
    )


# The records of a chain lie in the arena, where they are right only while its bands run: here the
# last op of the model becomes an IF that runs the chain, by a condition in the model.
def test_only_bands_run_their_chain(banded, tmp_path):
    model = FlatModel(banded)
    chain = struct.unpack_from("<4I", model.op(_find(banded, "control.bands"))[3])[2]
    last = model.subgraph(0)[1] - 1
    assert model.op(last)[0] == "softmax.eval_int8"
    data = bytearray(banded)
    at, entry = _op(banded, last)
    name = banded.index(b"\x11softmax.eval_int8")
    data[name : name + 11] = b"\x0acontrol.if"
    struct.pack_into("<8I", data, entry[5], 1, 1, *[chain] * 6)
    entry[3] = 1
    struct.pack_into(layout.OP, data, at, *entry)
    forged = sealed(data)
    assert FlatModel(forged).op(last)[0] == "control.if"
    path = tmp_path / "forged.tflm"
    path.write_bytes(forged)
    device(
        """
        text = raises(ModelError, tflm.Interpreter(PATH).allocate_tensors)
        assert "runs bands out of turn" in text, text
        """,
        PATH=str(path),
    )
