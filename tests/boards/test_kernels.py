# Kernels on emulated boards against TFLM: a part of the cases of tests/kernels, models in ROM
# MIT license; Copyright (c) 2026 the tflm authors


import on_board
import pytest
from on_pico import with_romfs
from support.check import Cases, flat_model_for
from support.kernel_tests import module_of
from support.oracle import shared_oracle
from tflm_tools.board import profiles

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
_EACH_ON_A_PICO = 2  # which does no more than 30 million cycles a second here
_LARGEST = 10_000  # bytes of model and inputs together
_LARGEST_OUTPUTS = 6_000  # bytes; a board sends them as a line of hex digits


# Cases that give outputs: (case, form of the model, flat model, inputs).
def _chosen(target, each=_EACH):
    forms = ["flat"] + ([f"saved {target}"] if target else ["saved"])
    for file in _FILES:
        module = module_of(f"test_{file}")
        found = [value for value in vars(module).values() if isinstance(value, Cases)]
        cases = [case for cases in found for case in cases if not case.error]
        step = max(len(cases) // each, 1)
        for number, case in enumerate(cases[::step][:each]):
            form = forms[number % len(forms)]
            model = flat_model_for(case.build(), form)
            runs = case.input_lists()[:3]
            if len(model) + sum(array.nbytes for run in runs for array in run) < _LARGEST:
                yield case, form, model, runs


@pytest.mark.parametrize("board", ["QEMU_M0", "QEMU_M3", "QEMU_RV32", "QEMU_XTENSA"])
def test_kernels(board, emulated, tmp_path):
    _check(lambda romfs: emulated(board, romfs=romfs), board, _EACH, tmp_path)


# On a Pico ROMFS is a part of its flash.
def test_kernels_on_a_pico(firmware, tmp_path):
    import emulators

    built = firmware("RPI_PICO")

    def start(path):
        image = with_romfs(built, path.read_bytes(), path.with_suffix(".uf2"))
        return emulators.start("RPI_PICO", image, fast=True)

    _check(start, "RPI_PICO", _EACH_ON_A_PICO, tmp_path)


# Run the chosen cases on boards that start(romfs) starts, and compare.
def _check(start, board, each, tmp_path):
    oracle = shared_oracle()
    jobs, wanted = [], []
    for case, form, model, runs in _chosen(profiles.named(board).target, each):
        right = case.wanted(oracle, runs)
        if sum(array.nbytes for run in right.outputs for array in run) < _LARGEST_OUTPUTS:
            jobs.append(case.job(form, model, runs))
            wanted.append((case, form, right))
    assert len(jobs) > 15 * each
    outcomes = on_board.run(start, jobs, tmp_path)
    failures = [
        text
        for (case, form, right), outcome in zip(wanted, outcomes, strict=True)
        if (text := right.judge(case, form, outcome))
    ]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)
