# Tests of kernels on emulated boards against TFLM: some cases of tests/kernels, models in ROM
# MIT license; Copyright (c) 2026 the tflm authors


import on_board
import pytest
from on_pico import with_romfs
from support.check import Cases, flat_model_for
from support.kernel_tests import module_of
from support.oracle import shared_oracle
from tflm_tools.board import profiles

# Files with the operators of small models, and the number of cases from each file that run on a
# board. The cases are spread evenly over the file. tests/kernels runs all cases on the unix port.
_FILES = (
    "conv", "depthwise_conv", "fully_connected", "add", "mul", "sub", "pooling", "softmax", "pad",
    "concatenation", "reduce", "logistic", "tanh", "activations", "hard_swish", "svdf",
    "unidirectional_sequence_lstm", "transpose_conv", "resize_bilinear", "strided_slice",
    "fully_connected_int16", "conv_int16", "add_n", "quantize", "dequantize", "comparisons",
    "arithmetic_float", "conv_float", "float32_functions", "gather", "arg_min_max", "lanes",
)  # fmt: skip
_EACH = 4
_EACH_ON_A_PICO = 2  # the emulator runs 30 million cycles a second
_MAX_INPUT_BYTES = 10_000  # bytes of model and inputs together
_MAX_OUTPUT_BYTES = 6_000  # bytes; a board sends them as a line of hex digits


# Yield cases with outputs: (case, path of Cases.add(), flat model, inputs).
def _chosen(target, each=_EACH):
    paths = ["flat"] + ([f"saved {target}"] if target else ["saved"])
    for file in _FILES:
        module = module_of(f"test_{file}")
        found = [value for value in vars(module).values() if isinstance(value, Cases)]
        cases = [case for cases in found for case in cases if not case.error]
        step = max(len(cases) // each, 1)
        for number, case in enumerate(cases[::step][:each]):
            path = paths[number % len(paths)]
            model = flat_model_for(case.build(), path)
            runs = case.input_lists()[:3]
            if len(model) + sum(array.nbytes for run in runs for array in run) < _MAX_INPUT_BYTES:
                yield case, path, model, runs


@pytest.mark.parametrize("board", ["QEMU_M0", "QEMU_M3", "QEMU_RV32", "QEMU_XTENSA"])
def test_kernels(board, emulated, tmp_path):
    _check(lambda romfs: emulated(board, romfs=romfs), board, _EACH, tmp_path)


# On a Pico, ROMFS is a partition of the flash.
def test_kernels_on_a_pico(firmware, tmp_path):
    import emulators

    built = firmware("RPI_PICO")

    def start(path):
        image = with_romfs(built, path.read_bytes(), path.with_suffix(".uf2"))
        return emulators.start("RPI_PICO", image, fast=True)

    _check(start, "RPI_PICO", _EACH_ON_A_PICO, tmp_path)


# Run the chosen cases on boards, which start(romfs) starts, and compare the outputs.
def _check(start, board, each, tmp_path):
    oracle = shared_oracle()
    jobs, wanted = [], []
    for case, path, model, runs in _chosen(profiles.named(board).target, each):
        right = case.wanted(oracle, runs)
        if sum(array.nbytes for run in right.outputs for array in run) < _MAX_OUTPUT_BYTES:
            jobs.append(case.job(path, model, runs))
            wanted.append((case, path, right))
    assert len(jobs) > 15 * each
    outcomes = on_board.run(start, jobs, tmp_path)
    failures = [
        text
        for (case, path, right), outcome in zip(wanted, outcomes, strict=True)
        if (text := right.judge(case, path, outcome))
    ]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)
