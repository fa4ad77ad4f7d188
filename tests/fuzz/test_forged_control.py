# Tests of forged records that run other records: IF, WHILE, CALL_ONCE and bands
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from pathlib import Path

import pytest
from fuzz.campaign import Outcome, cases_of, run_on_device
from fuzz.forgery import forgeries, one_of_each, sealed, section
from optimize.banded_models import banded_model
from optimize.squeeze_excite import squeezed_mobilenet
from optimize.test_channel_groups import InvertedResiduals
from optimize.test_stream_input import line
from tflm import format as layout
from tflm.access_checks import check_model
from tflm.errors import ModelError
from tflm.model import FlatModel
from tflm_tools.bands.record_deltas import END
from tflm_tools.bands.rom_record import SHARED_TAIL
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

_REPOSITORY = Path(__file__).resolve().parents[2]
_DIGITS = _REPOSITORY / "models" / "digits" / "digits_int8.tflite"
_CONTROL = ("control.if", "control.while", "control.call_once")
_COPIES = 40


# Return the offset and the fields of entry `i` of the table of ops.
def _op(flat, i):
    at = section(flat, layout.OPS)[0] + i * layout.OP_BYTES
    return at, list(struct.unpack_from(layout.OP, flat, at))


# Return the number of the first op of a kernel.
def _find(flat, kernel):
    model = FlatModel(flat)
    count = section(flat, layout.OPS)[1]
    return next(i for i in range(count) if model.op(i)[0] == kernel)


# Return a copy with words of the record of op `i`, and the number of its operands, changed.
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
    assert "control.banded" in FlatModel(flat).kernels()
    return flat


# Run models with guard zones around their arena. Return the names of their errors.
def _outcome(models, folder):
    outcome = Outcome()
    run_on_device(models, folder, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    return outcome.counts


# Forged records and tables of models with control flow and variables.
def test_forged_control_flow(tmp_path):
    models = []
    for name in ("test_control_flow", "test_resource_variables"):
        flats = [flatten(case.build(), optimize="off") for case in cases_of(name)]
        for i, flat in enumerate(one_of_each(flats)):
            models += [flat, *forgeries(flat, f"{name} {i}", _COPIES)]
    counts = _outcome(models, tmp_path)
    assert counts["ran"] > 30 and counts["ModelError"] > 50


# The record is units, the condition, and lists.
@pytest.mark.parametrize("kernel", _CONTROL)
def test_forged_control_record(branches, kernel, tmp_path):
    flat = branches[kernel]
    i = _find(flat, kernel)
    model = FlatModel(flat)
    check_model(model)
    lists = model.subgraphs_length()
    head_end = model.arena_bytes + 16
    for words, operands in (
        ({0: 2}, None),
        ({0: 0xFFFFFFFF}, None),
        ({1: head_end << 2}, None),
        ({1: len(flat) << 2 | 1}, None),
        ({1: model.head_bytes << 2}, None),
        ({}, 0),
    ):
        with pytest.raises(ModelError):
            check_model(FlatModel(_forged(flat, i, words, operands)))
    # Lists that do not exist, or that were run before.
    wrong = [_forged(flat, i, {2: number}) for number in (lists, 1 << 31, 0)]
    assert _outcome(wrong, tmp_path) == {"ModelError": 3}


# If interpreters share an arena, operand words that name persistent bytes are changed. A number
# that looks like such a word must be refused.
def test_number_like_a_tail_operand_is_refused(branches, banded):
    flat = branches["control.while"]
    i = _find(flat, "control.while")
    moved = FlatModel(flat).head_bytes << 2 | layout.IN_TAIL
    with pytest.raises(ModelError, match="would reach outside"):
        check_model(FlatModel(_forged(flat, i, {2: moved}, 2)))
    i = _find(banded, "control.banded")
    with pytest.raises(ModelError, match="would reach outside"):
        check_model(FlatModel(_forged(banded, i, {}, 3)))


# A small MobileNetV2 block whose channels are computed in groups.
@pytest.fixture(scope="module")
def grouped():
    builder = InvertedResiduals("forged", blocks=1)
    for chain in builder.chains():
        found = banded_model(builder.model, [chain])
        if found and max(chain[-1].values()) > 2:
            return found[0]
    raise AssertionError("no groups")


# Return the numbers of the record of bands, the number of bands, the index where the run lengths
# of steps begin, the indices where the lists of changes begin, and the op.
def _table(flat):
    i = _find(flat, "control.banded")
    record = FlatModel(flat).op(i)[3]
    numbers = struct.unpack(f"<{len(record) // 4}I", record)
    run_lengths, *starts = struct.unpack_from(f"<{numbers[0] + 2}H", record, 16)
    assert run_lengths % 4 == 0 and numbers[run_lengths // 4 - 1] == END and numbers[-1] == 0
    return numbers, numbers[0], run_lengths // 4, [start // 4 for start in starts], i


# The record of bands: number of bands, block of memory, list of steps, words of the block. Then
# halfwords: where the run lengths and the lists of changes begin, one list for all bands and one
# for each band. A list is (step, word, value that is added) until an END. A run length is the last
# of some steps and how often they run.
def test_forged_bands_record(banded, grouped, tmp_path):
    wrong = []
    for flat in (banded, grouped):
        check_model(FlatModel(flat))
        numbers, bands, run_lengths, starts, i = _table(flat)
        block, words = numbers[1], numbers[3]
        # A list with more than one change.
        first = next(at for at in starts if END not in numbers[at : at + 3])
        change, head_end = numbers[first], FlatModel(flat).head_bytes
        assert change < numbers[first + 1]
        refused = (
            {0: 0},
            {0: len(numbers) * 2},
            {1: block | 1},
            {1: head_end - 4 * words + 4 << 2},
            {3: 1},  # too few for the longest record
            {3: head_end >> 2},
            {first: change & ~0x1FFFF},  # units, or an operand
            {first: change & ~0x1FFFF | 0x1FFFF},
        )
        for each in refused:
            with pytest.raises(ModelError):
                check_model(FlatModel(_forged(flat, i, each)))
        lists = [
            {4: 4 * (starts[0] << 16 | first)},  # begins at a list, not at the run lengths
            {4: 4 * starts[0] << 16 | 4 * run_lengths + 2},
            {4: 4 * starts[0] << 16 | 4 * len(numbers)},
            {4: 4 * run_lengths << 16 | 4 * run_lengths},
            {4: 4 * starts[0] + 1 << 16 | 4 * run_lengths},
            {4: 16 << 16 | 4 * run_lengths},
            {4: 0xFFFFFFFF},
            {
                first: numbers[first + 1],
                first + 1: change,
            },  # words that are not in ascending order
            {first: 1 << 31},
            {first: change | 127 << 17},  # a word that the record lacks
            {first: 0xFFFFFFFF},
            {run_lengths - 1: END - 1},  # no END
            {run_lengths: 0},
            {len(numbers) - 2: numbers[-2] + (1 << 24)},  # steps that do not exist
            {len(numbers) - 2: numbers[-2] - (1 << 24)},
            {run_lengths: numbers[run_lengths] & ~255},  # never
            {run_lengths: numbers[run_lengths] & ~0xFF00},
            {len(numbers) - 1: numbers[-2]},  # no end
        ]
        wrong += [_forged(flat, i, each) for each in lists]
    assert _outcome(wrong, tmp_path) == {"ModelError": len(wrong)}


# The halfwords of a record, the words of each group, and the offsets of constants that grow with
# each group must stay in the file for all numbers of the op.
def test_forged_steps_of_groups(grouped, tmp_path):
    numbers, _, run_lengths, starts, control = _table(grouped)
    model = FlatModel(grouped)
    first = model.subgraph(numbers[2])[0]
    length_at = next(at for at in range(run_lengths, len(numbers)) if numbers[at] & 255 > 1)
    step = (numbers[length_at - 1] + 256 >> 24) if length_at > run_lengths else 0
    wrong = []
    at, entry = _op(grouped, first + step)
    for packed in (
        0,
        5,
        7,
        8,
        entry[4] + 256,
        entry[4] - 256,
        entry[4] + 2,
        entry[4] - 2,
        1 << 31,
    ):
        data = bytearray(grouped)
        struct.pack_into(layout.OP, data, at, *entry[:4], packed, *entry[5:])
        wrong.append(sealed(data))
    wrong.append(
        _forged(grouped, control, {length_at: numbers[length_at] | 255})
    )  # more groups than exist
    grown = next(k for k in range(starts[0], run_lengths) if numbers[k] & 1)
    assert numbers[grown] >> 24 == step
    wrong.append(_forged(grouped, control, {grown: numbers[grown] | 0x1FFFF}))
    assert _outcome(wrong, tmp_path) == {"ModelError": len(wrong)}


# Forged models with groups are refused, or run inside of their arena.
def test_forged_groups(grouped, tmp_path):
    counts = _outcome([grouped, *forgeries(grouped, "groups", 6 * _COPIES)], tmp_path)
    assert counts["ran"] > 10 and counts["ModelError"] > 50


# A squeeze-and-excite block in two passes, whose records share their tables.
@pytest.fixture(scope="module")
def in_two_passes():
    flat = flatten(squeezed_mobilenet("forged", (20, 16, 3)), optimize="ram")
    assert len(_apart(flat)) > 3
    return flat


# The ops whose record shares words with another record.
def _apart(flat):
    model, (_, ops) = FlatModel(flat), section(flat, layout.OPS)
    return [i for i in range(model.subgraph(0)[1], ops) if model.op(i)[5] & SHARED_TAIL]


# Shared words must be in the file. No word of a chain's record may name persistent bytes, because
# shared words are not changed when interpreters share an arena.
def test_forged_shared_words_are_refused(in_two_passes, tmp_path):
    wrong, model = [], FlatModel(in_two_passes)
    for i in _apart(in_two_passes):
        at, entry = _op(in_two_passes, i)
        last = entry[6] // 4 - 1
        for back in (1 << 31, 0xFFFFFFFF, 1 << 30, entry[5] // 4 + last + 1):
            wrong.append(_forged(in_two_passes, i, {last: back}))
        for size in (entry[6] - 4, entry[6] + 4):
            data = bytearray(in_two_passes)
            struct.pack_into(layout.OP, data, at, *entry[:6], size)
            wrong.append(sealed(data))
        data = bytearray(in_two_passes)
        struct.pack_into(layout.OP, data, at, *entry[:4], entry[4] & ~SHARED_TAIL, *entry[5:])
        wrong.append(sealed(data))
        moved = model.head_bytes << 2 | layout.IN_TAIL
        wrong += [_forged(in_two_passes, i, {k: moved}) for k in range(1, entry[3] & 0x7FFF)]
    assert _outcome(wrong, tmp_path) == {"ModelError": len(wrong)}


def test_forged_models_with_shared_words(in_two_passes, tmp_path):
    flats = [in_two_passes, *forgeries(in_two_passes, "apart", 6 * _COPIES)]
    for i in _apart(in_two_passes):
        last = _op(in_two_passes, i)[1][6] // 4 - 1
        flats += [_forged(in_two_passes, i, {last: back}) for back in range(0, 400, 7)]
    counts = _outcome(flats, tmp_path)
    assert counts["ran"] > 10 and counts["ModelError"] > 50


# The record of rows: number of rows, their target, and bytes of a row, which must be the bytes of
# the Tensor from which rows are copied, also if an operator reads these rows as columns.
@pytest.mark.parametrize(
    "tflite", [_DIGITS.read_bytes(), line("forged line")], ids=["digits", "line"]
)
def test_forged_rows_record(tflite):
    flat = flatten(tflite, by_rows=True, optimize="off")
    i = _find(flat, "control.rows")
    model = FlatModel(flat)
    check_model(model)
    rows, _, size = struct.unpack("<3I", model.op(i)[3])
    for wrong in ({2: 2 * size, 0: rows // 2}, {2: size - 1}, {2: 0}, {0: 1 << 20}):
        with pytest.raises(ModelError, match="would reach outside"):
            check_model(FlatModel(_forged(flat, i, wrong)))


# A trusted file of an older version of tflm, in the ROMFS of a board with newer firmware, is
# refused: the kernel of its bands had another name.
def test_bands_of_an_older_version_are_refused(banded, tmp_path):
    path = tmp_path / "older.tflm"
    data = bytearray(banded)
    name = banded.index(b"\x0econtrol.banded")
    data[name : name + 14] = b"\x0dcontrol.bands"
    path.write_bytes(sealed(data))
    device(
        """
        interp = tflm.Interpreter(tflm.load(PATH, trusted=True))
        text = raises(ModelError, interp.allocate_tensors)
        assert "'control.bands'; flatten the model again" in text, text
        """,
        PATH=str(path),
    )


# The records of a chain are in the arena, and are valid only while its bands run. Here the last op
# of the model becomes an IF that runs the chain, with a condition in the model.
def test_only_bands_run_their_chain(banded, tmp_path):
    model = FlatModel(banded)
    chain = struct.unpack_from("<4I", model.op(_find(banded, "control.banded"))[3])[2]
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
        # The scratch buffers of SOFTMAX, described in the metadata, do not fit control.if either.
        assert "runs bands twice" in text or "wrong scratch buffers" in text, text
        """,
        PATH=str(path),
    )
