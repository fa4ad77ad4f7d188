# Kernels on emulated boards against TFLM: a part of the cases of tests/kernels, models in ROM
# MIT license; Copyright (c) 2026 the tflm authors

import importlib

import on_board
import pytest
from support.check import Cases, flat_form
from support.oracle import shared_oracle
from tflm_tools import profiles

# The files whose operators small models are made of, and how many cases of each form of a model
# run on a board; they are spread evenly over the file. Every op runs on each kind of word and
# alignment at least once in tests/kernels.
_FILES = (
    "conv", "depthwise_conv", "fully_connected", "add", "mul", "sub", "pooling", "softmax", "pad",
    "concatenation", "reduce", "logistic", "tanh", "activations", "hard_swish", "svdf",
    "unidirectional_sequence_lstm", "transpose_conv", "resize_bilinear", "strided_slice",
    "fully_connected_int16", "conv_int16", "add_n", "quantize", "dequantize", "comparisons",
    "arithmetic_float", "conv_float", "float32_functions", "gather", "arg_min_max", "lanes",
)  # fmt: skip
_EACH = 4
_LARGEST = 10_000  # bytes of model, inputs and outputs together


# Cases that give outputs: (case, form of the model, flat model, inputs).
def _chosen(target):
    forms = ["flat"] + ([f"saved {target}"] if target else ["saved"])
    for file in _FILES:
        module = importlib.import_module(f"kernels.test_{file}")
        found = [value for value in vars(module).values() if isinstance(value, Cases)]
        cases = [case for cases in found for case in cases if not case.error]
        step = max(len(cases) // _EACH, 1)
        for number, case in enumerate(cases[::step][:_EACH]):
            form = forms[number % len(forms)]
            model = flat_form(case.build(), form)
            runs = case.input_lists()[:3]
            if len(model) + sum(array.nbytes for run in runs for array in run) < _LARGEST:
                yield case, form, model, runs


@pytest.mark.parametrize("board", ["QEMU_M0", "QEMU_M3", "QEMU_RV32", "QEMU_XTENSA"])
def test_kernels(board, emulated, tmp_path):
    oracle = shared_oracle()
    jobs, wanted = [], []
    for case, form, model, runs in _chosen(profiles.named(board).target):
        jobs.append(case.job(form, model, runs))
        wanted.append((case, form, case.wanted(oracle, runs)))
    assert len(jobs) > 60
    outcomes = on_board.run(lambda romfs: emulated(board, romfs=romfs), jobs, tmp_path)
    failures = [
        text
        for (case, form, right), outcome in zip(wanted, outcomes, strict=True)
        if (text := right.judge(case, form, outcome))
    ]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)
