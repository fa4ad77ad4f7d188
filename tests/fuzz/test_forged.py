# Tests of modules/tflm/access_checks: forged records are refused or harmless, valid ones pass
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import re
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest
from fuzz.campaign import Outcome, cases_of, run_on_device, seeds_of
from fuzz.forgery import forgeries, one_of_each, sealed, section
from tflm import format as layout
from tflm.access_checks import _check, check_model, check_of
from tflm.access_checks.record import Record
from tflm.errors import ModelError
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.targets import PACKING_TARGETS
from unit.on_device import device

_REPOSITORY = Path(__file__).resolve().parents[2]
_KERNELS = _REPOSITORY / "modules" / "tflm" / "kernels"
_DIGITS = _REPOSITORY / "models" / "digits" / "digits_int8.tflite"
_NAMES = (
    "test_add", "test_comparisons", "test_concatenation", "test_conv", "test_depthwise_conv",
    "test_fully_connected", "test_logistic", "test_maximum_minimum", "test_mul", "test_pad",
    "test_pooling", "test_quantize", "test_reduce", "test_resize_nearest_neighbor",
    "test_slice", "test_softmax", "test_transpose",
)  # fmt: skip
# Test files with many kernels, or with several collectors of cases: a model for each kernel.
_RECURRENT = (
    "test_decode", "test_hybrid", "test_hybrid_recurrent", "test_sigmoid_int16", "test_svdf",
    "test_svdf_float", "test_unidirectional_sequence_lstm", "test_unpack_int4",
)  # fmt: skip
_SIGNAL = ("test_signal_fft", "test_signal_front_end", "test_signal_state")
_INDEXED = (
    "test_arg_min_max", "test_arg_min_max_float", "test_broadcast_to", "test_cumsum",
    "test_detection_postprocess", "test_fill", "test_gather", "test_one_hot",
    "test_reverse_sequence", "test_select", "test_slice", "test_topk",
)  # fmt: skip
_ROWS = (
    "test_batch_matmul", "test_l2_normalization", "test_log_softmax", "test_reduce",
    "test_reduce_float", "test_resize_bilinear", "test_resize_bilinear_float",
    "test_softmax_float", "test_softmax_int16",
)  # fmt: skip
_BINARY = (
    "test_add_n", "test_arithmetic_float", "test_comparisons", "test_div", "test_maximum_minimum",
    "test_mul", "test_prelu", "test_squared_difference",
)  # fmt: skip
_UNARY = (
    "test_abs", "test_cast", "test_elementwise_math", "test_gelu", "test_litert_operators",
    "test_unary_float",
)  # fmt: skip
_WINDOWS = (
    "test_conv_float", "test_conv_int16", "test_depthwise_conv_float",
    "test_depthwise_conv_int16", "test_fully_connected_float", "test_fully_connected_int16",
    "test_pooling_float", "test_transpose_conv",
)  # fmt: skip
_COPIES = 8
_MAX_CASES = 30  # of a file, about
_LARGE = 4096  # bytes of a .tflite


# Return flat models of a kernel's tests.
def _models(name, most=3):
    found = []
    for i, model in enumerate(seeds_of(name, most)):
        flat = flatten(model, target=PACKING_TARGETS[i % len(PACKING_TARGETS)])
        if len(flat) < 1 << 16:
            found.append(flat)
    return found


# Models from flatten() are never refused. Large models are skipped: optimizing them takes seconds.
@pytest.mark.parametrize("name", _NAMES)
def test_valid_models_pass(name):
    cases = cases_of(name)
    for i, case in enumerate(cases[:: max(1, len(cases) // 8)]):
        model = case.build()
        optimize = "off" if len(model) > _LARGE else "balanced"
        flat = flatten(model, target=PACKING_TARGETS[i % len(PACKING_TARGETS)], optimize=optimize)
        check_model(FlatModel(flat))


# Return many cases of a file, flattened without a search for memory.
@functools.cache
def _many_models(name):
    cases = cases_of(name)
    cases = cases[:: max(1, len(cases) // _MAX_CASES)]
    found = [flatten(case.build(), optimize="off") for case in cases]
    for flat in found:
        check_model(FlatModel(flat))
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", _RECURRENT + _SIGNAL + _INDEXED + _ROWS + _BINARY + _UNARY + _WINDOWS
)
def test_many_valid_models_pass(name):
    assert _many_models(name)


@pytest.mark.parametrize("target", PACKING_TARGETS[:2])
def test_digits_pass(target):
    check_model(FlatModel(flatten(_DIGITS.read_bytes(), target=target)))


# A forged model is refused, or runs inside of its arena.
@pytest.mark.parametrize("number", range(3))
def test_forged_records(number, tmp_path):
    outcome = Outcome()
    models = []
    for name in _NAMES[number::3]:
        for i, flat in enumerate(_models(name)):
            models += [flat, *forgeries(flat, f"{name} {i}", _COPIES)]
    run_on_device(models, tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] > 30 and outcome.counts["ModelError"] > 50


# A forged model of each kernel of these test files is refused, or runs inside of its arena.
@pytest.mark.parametrize(
    "names",
    [_RECURRENT, _SIGNAL, _INDEXED, _ROWS, _BINARY, _UNARY, _WINDOWS],
    ids=["recurrent", "signal", "indexed", "rows", "binary", "unary", "windows"],
)
def test_forged_kernels(names, tmp_path):
    outcome = Outcome()
    models = []
    for name in names:
        for i, flat in enumerate(one_of_each(_many_models(name))):
            models += [flat, *forgeries(flat, f"{name} {i}", _COPIES)]
    run_on_device(models, tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] > 30 and outcome.counts["ModelError"] > 50


# The records of bands are stored in the arena and change from band to band.
def test_forged_bands(tmp_path):
    flat = flatten(_DIGITS.read_bytes(), target="armv6m", optimize="ram")
    model = FlatModel(flat)
    assert "control.banded" in model.kernels()
    outcome = Outcome()
    run_on_device([flat, *forgeries(flat, "bands", 60)], tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] and outcome.counts["ModelError"] > 20


# Return a valid model with one word of its first record changed.
def _changed(flat, word, value):
    data = bytearray(flat)
    start, _ = section(flat, layout.OPS)
    at = struct.unpack_from(layout.OP, data, start)[5]
    struct.pack_into("<I", data, at + 4 * word, value)
    return sealed(data)


# Units that are no whole images: x86-64 has other records, which are made from this number.
@pytest.mark.parametrize(
    "name",
    [
        f"test_{kind}{end}"
        for kind in ("conv", "depthwise_conv", "fully_connected")
        for end in ("", "_int16", "_float")
    ],
)
def test_forged_units(name, tmp_path):
    outcome = Outcome()
    models = [_changed(flat, 0, units) for flat in _models(name, 2) for units in (1, 2, 3, 7)]
    run_on_device(models, tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert sum(outcome.counts.values()) == len(models)


# The checks refuse the model, and `trusted` skips the checks; the model is not run here.
def test_trusted_skips_the_checks(tmp_path):
    flat = next(
        flat for flat in _models("test_conv", 6) if FlatModel(flat).op(0)[0][:5] == "conv."
    )
    forged = _changed(flat, 11, 1 << 16)  # output_width
    with pytest.raises(ModelError, match=r"op 0 \(conv.eval_int8\) would reach outside"):
        check_model(FlatModel(forged))
    path = tmp_path / "forged.tflm"
    path.write_bytes(forged)
    code = """
        text = raises(ModelError, tflm.Interpreter(tflm.load(PATH)).allocate_tensors)
        assert "would reach outside" in text, text
        tflm.Interpreter(tflm.load(PATH, trusted=True)).allocate_tensors()
        assert not [name for name in sys.modules if "access_checks" in name]
        """
    device(code, PATH=str(path))


# MicroPython cannot import a module with a name of 256 characters.
def test_long_kernel_name_is_refused():
    code = """
        from tflm.access_checks import check_of
        from tflm.op_resolver import OpResolver
        for name in ("a" * 244 + ".eval", "eval." + "a" * 244, "a" * 249):
            assert check_of(name) is None
            assert "which cannot exist" in raises(ModelError, OpResolver().kernel, name)
        """
    device(code)


# A user writes to the inputs, so that no input may be in the model itself.
def test_constant_input_is_refused():
    flat = flatten(seeds_of("test_conv")[0])
    data = bytearray(flat)
    start, _ = section(flat, layout.TENSORS)
    data[start] |= 1
    with pytest.raises(ModelError, match="input 0 is a constant"):
        check_model(FlatModel(sealed(data)))


# If interpreters share an arena, operands in the tail are moved. A number that looks like such an
# operand would be moved, too: TFLM_DECODE of 8 elements, whose values begin at byte 258 of a
# tensor.
@pytest.mark.parametrize("operands", [3, 4])
def test_number_like_a_tail_operand_is_refused(operands):
    model = SimpleNamespace(head_bytes=64, arena_bytes=128, buffer=bytes(512))
    words = struct.pack("<10I", 8, 1, 1, 0, 64 << 2 | layout.IN_TAIL, 4, 1, 0, 1, 1)
    record = Record(model, memoryview(words), operands)
    if operands == 3:
        _check(0, record, "decode_lut.eval_any")
        assert record.ranges == {1: (0, 4), 2: (258, 274), 3: (0, 8)}
        return
    with pytest.raises(ModelError, match="op 0 .decode_lut.eval_any. would reach outside"):
        _check(0, record, "decode_lut.eval_any")


# Each kernel has a check, and each check a kernel. A kernel without a check must be trusted.
def test_every_kernel_is_checked():
    kernels = set()
    for path in _KERNELS.glob("*.py"):
        for function in re.findall(r"^def (eval\w*)", path.read_text(), re.M):
            kernels.add(f"{path.stem}.{function}")
    assert not [kernel for kernel in sorted(kernels) if not check_of(kernel)]
    with pytest.raises(ModelError, match=r"no check knows .op 3, new.eval.; .* trusted=True"):
        _check(3, None, "new.eval")
