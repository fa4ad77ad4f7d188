# Tests of modules/tflm/extents: forged records reach nothing outside, sound ones are let through
# MIT license; Copyright (c) 2026 the tflm authors

import importlib
import re
import struct
from pathlib import Path

import pytest
from fuzz.campaign import Outcome, run_on_device, seeds_of
from fuzz.forged import forgeries, is_checked, sealed, section
from tflm import format as layout
from tflm.errors import ModelError
from tflm.extents import _FAMILIES, check_model, check_of
from tflm.model import FlatModel
from tflm_tools.flatten import flatten
from unit.on_device import device

_REPOSITORY = Path(__file__).resolve().parents[2]
_KERNELS = _REPOSITORY / "modules" / "tflm" / "kernels"
_DIGITS = _REPOSITORY / "models" / "digits" / "digits_int8.tflite"
_TARGETS = (None, "armv6m", "armv7em")
_NAMES = (
    "test_add", "test_comparisons", "test_concatenation", "test_conv", "test_depthwise_conv",
    "test_fully_connected", "test_logistic", "test_maximum_minimum", "test_mul", "test_pad",
    "test_pooling", "test_quantize", "test_reduce", "test_resize_nearest_neighbor",
    "test_slice", "test_softmax", "test_transpose",
)  # fmt: skip
_COPIES = 12


# Flat models of a kernel's tests, all of them with checked kernels.
def _models(name, most=3):
    found = []
    for i, model in enumerate(seeds_of(name, most)):
        flat = flatten(model, target=_TARGETS[i % len(_TARGETS)])
        if is_checked(flat) and len(flat) < 1 << 16:
            found.append(flat)
    return found


# What flatten writes is never refused.
@pytest.mark.parametrize("name", _NAMES)
def test_sound_models(name):
    cases = [case for case in importlib.import_module(f"kernels.{name}").cases if not case.error]
    for i, case in enumerate(cases[:: max(1, len(cases) // 8)]):
        check_model(FlatModel(flatten(case.build(), target=_TARGETS[i % len(_TARGETS)])))


@pytest.mark.parametrize("target", _TARGETS[:2])
def test_sound_digits(target):
    assert check_model(FlatModel(flatten(_DIGITS.read_bytes(), target=target))) == []


# Whatever a forged model says: it is refused, or runs inside of its arena.
@pytest.mark.parametrize("part", range(3))
def test_forged_records(part, tmp_path):
    outcome = Outcome()
    models = []
    for name in _NAMES[part::3]:
        for i, flat in enumerate(_models(name)):
            models += [flat, *forgeries(flat, f"{name} {i}", _COPIES)]
    run_on_device(models, tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] > 30 and outcome.counts["ModelError"] > 50


# Records that change from band to band, in the arena itself.
def test_forged_bands(tmp_path):
    flat = flatten(_DIGITS.read_bytes(), target="armv6m")
    model = FlatModel(flat)
    assert "control.bands" in model.kernels()
    outcome = Outcome()
    run_on_device([flat, *forgeries(flat, "bands", 60)], tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] and outcome.counts["ModelError"] > 20


# A sound model with one word of its first record changed.
def _changed(flat, word, value):
    data = bytearray(flat)
    start, _ = section(flat, layout.OPS)
    at = struct.unpack_from(layout.OP, data, start)[5]
    struct.pack_into("<I", data, at + 4 * word, value)
    return sealed(data)


# The checks do it, and `trusted` leaves them out; the model is not run here.
def test_trusted(tmp_path):
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
        assert not [name for name in sys.modules if "extents" in name]
        """
    device(code, PATH=str(path))


# A user writes to the inputs: none may lie in the model itself.
def test_input_in_the_model():
    flat = flatten(seeds_of("test_conv")[0])
    data = bytearray(flat)
    start, _ = section(flat, layout.TENSORS)
    data[start] |= 1
    with pytest.raises(ModelError, match="input 0 is a constant"):
        check_model(FlatModel(sealed(data)))


# docs/security.md names exactly the kernels that have no check.
def test_documented():
    kernels = set()
    for path in _KERNELS.glob("*.py"):
        for function in re.findall(r"^def (eval\w*)", path.read_text(), re.M):
            kernels.add(f"{path.stem}.{function}")
    for name in _FAMILIES:
        assert any(kernel.startswith(name + ".") for kernel in kernels), name
    unchecked = sorted({kernel.split(".")[0] for kernel in kernels if not check_of(kernel)})
    text = (_REPOSITORY / "docs" / "security.md").read_text()
    listed = re.search(r"<!-- kernels without a check -->\n(.*?)\n\n", text, re.S)[1]
    assert re.findall(r"`(\w+)`", listed) == unchecked
