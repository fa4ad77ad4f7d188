# Tests of outputs that overlap their input, as near as distances.py allows
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import random
import re
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
from support.check import Cases
from support.kernel_tests import module_of
from tflm_tools.arena import distances, lifetimes, overlapping_plan, planner
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, prepare

# Test files whose cases provide the models, and how many cases of each file are prepared, which
# takes longer than running them. Together they call every kernel that distances.py lists.
SOURCES = {
    "test_conv": 40,
    "test_depthwise_conv": 100,
    "test_pooling": 40,
    "test_add": 40,
    "test_sub": 40,
    "test_mul": 40,
    "test_maximum_minimum": 40,
    "test_activations": 40,
    "test_lanes": 100,
    "test_conv_float": 20,
    "test_conv_int16": 20,
    "test_depthwise_conv_float": 20,
    "test_depthwise_conv_int16": 20,
    "test_pooling_float": 20,
    "test_arithmetic_float": 20,
    "test_unary_float": 60,
    "test_elementwise_math": 30,
    "test_sigmoid_int16": 10,
    "test_prelu": 20,
    "test_quantize": 150,
    "test_dequantize": 20,
    "test_softmax": 20,
    "test_softmax_float": 10,
    "test_softmax_int16": 10,
    "test_log_softmax": 10,
    "test_l2_normalization": 10,
    "test_comparisons": 40,
    "test_strided_slice": 60,
    "test_slice": 20,
    "test_mirror_pad": 40,
    "test_fully_connected_float": 20,
    "test_pad": 60,
    "test_unidirectional_sequence_lstm": 20,
}
PATHS = ("speed", "speed armv6m", "speed mac16")
_HYBRID_LSTM = "unidirectional_sequence_lstm_hybrid.eval_float32"
_NORMS = {"norm.eval_int8", "norm_float.eval_float32"}
_LRN = "local_response_normalization_float.eval_float32"
VECTORS = "speed pie"  # of test_pie: its buffers begin at multiples of 16
MAX_CASES = 6  # of a kernel in one file


# Lets buffers begin at any word, so that overlaps are as near as words allow, or as vectors allow.
@contextmanager
def word_alignment(path=""):
    before = planner.ALIGNMENT
    planner.ALIGNMENT = 16 if path == VECTORS else 4
    planner._best_plan.cache_clear()
    yield
    planner.ALIGNMENT = before
    planner._best_plan.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def align_to_words():
    with word_alignment():
        yield


# The kernels that a model calls and whose output overlaps an input; path: one of PATHS.
def overlapping_kernels(model, path):
    target = path.partition(" ")[2] or None
    with word_alignment(path):
        _, storage = prepare(model, target=target, optimize="speed")
    return {record.kernel for record in storage.records if record.ordered}


# (Cases of one file of SOURCES, the kernels whose output overlaps an input in them). The cases
# have all kinds of shapes, strides, padding and dilation.
@functools.cache
def chosen_cases(source, possible_paths=PATHS):
    cases, counts = Cases(), {}
    valid = [
        case
        for collector in vars(module_of(source)).values()
        if isinstance(collector, Cases)
        for case in collector
        if not case.error
        and case.expected is None
        and not re.search("every value|^test_", case.name)
    ]
    random.Random(source).shuffle(valid)
    for case in valid[: SOURCES.get(source)]:
        paths = []
        for path in possible_paths:
            kernels = overlapping_kernels(case.build(), path)
            if any(counts.get(kernel, 0) < MAX_CASES for kernel in kernels):
                paths.append(path)
                for kernel in kernels:
                    counts[kernel] = counts.get(kernel, 0) + 1
        if paths:
            cases.add(
                case.name,
                case.build(),
                inputs=case.inputs or "random",
                runs=1,
                ranges=case.ranges,
                oracle_model=case.oracle_model,
                rtol=case.rtol,
                atol=case.atol,
                paths=paths,
            )
    return cases, set(counts)


# Kernels for the DSP extension take long to prepare: test_memory_models.py runs real models.
def test_every_kernel_is_tested():
    tested = set.union(*(chosen_cases(source)[1] for source in SOURCES))
    tested |= chosen_cases("test_pie", (VECTORS,))[1]
    others = {kernel for kernel in distances.kernels() if "_dsp." in kernel}
    others |= {"copy.eval_bytes", _HYBRID_LSTM, _LRN} | _NORMS  # test_memory_bands.py; below
    assert tested == distances.kernels() - others


# Only flatten() makes these steps. test_norm.py compares the outputs of the same flat models.
def test_outputs_of_norms_overlap_inputs():
    records = [
        record
        for case in module_of("test_norm").cases
        for record in FlattenPipeline(case.build(), FlattenOptions()).storage.records
    ]
    assert {record.kernel for record in records if record.ordered} >= _NORMS


@pytest.mark.parametrize("source", SOURCES)
def test_output_overlaps_input(source):
    chosen_cases(source)[0].check()


def test_output_of_vectors_overlaps_input():
    with word_alignment(VECTORS):
        chosen_cases("test_pie", (VECTORS,))[0].check()


# Hybrid operators have two records, and only the first one reads the input. The expected outputs
# come from LiteRT, because TFLM has no hybrid operators.
def test_output_overlaps_input_of_earlier_record():
    overlapping, called = Cases(), set()
    files = "test_hybrid", "test_hybrid_recurrent"
    chosen = [[case for case in module_of(file).cases if not case.error][::4] for file in files]
    for case in sum(chosen, []):
        overlapping.add(
            case.name,
            case.build(),
            case.inputs,
            case.rtol,
            case.atol,
            expected=case.expected,
            paths=("speed",),
        )
        called |= overlapping_kernels(case.build(), "speed")
    overlapping.check()
    kernels = "hybrid_quantize.eval_float32", "hybrid.eval_float32", "svdf_float.eval_float32"
    assert called == {*kernels, _HYBRID_LSTM}


# TFLM has no such operator.
def test_output_overlaps_input_of_local_response_normalization():
    overlapping = Cases()
    for case in module_of("test_local_response_normalization").cases:
        if not case.error and _LRN in overlapping_kernels(case.build(), "speed"):
            overlapping.add(
                case.name,
                case.build(),
                case.inputs,
                case.rtol,
                case.atol,
                expected=case.expected,
                paths=("speed",),
            )
    assert len(list(overlapping)) > 5
    overlapping.check()


# These tests can fail: a distance that is a word smaller overwrites input that is still needed.
# For kernels that read all input of a row or pixel before they write it, two rows or pixels
# smaller.
@pytest.mark.parametrize(
    "source, nearer",
    [
        ("test_conv", lambda d: 2 * d.target.nbytes() // d.target.shape[1]),
        ("test_conv_float", lambda d: 4),
        ("test_conv_int16", lambda d: 4 * d.target.shape[-1]),
        ("test_pad", lambda d: 4),
        ("test_mirror_pad", lambda d: 4),
        ("test_fully_connected_float", lambda d: 4),
    ],
)
def test_smaller_distance_is_wrong(source, nearer, monkeypatch):
    def too_near(node, reader, packing):
        allowed = distances.distances_of(node, reader, packing)
        return [replace(d, min_bytes=d.min_bytes - nearer(d)) for d in allowed]

    monkeypatch.setattr(overlapping_plan, "distances_of", too_near)
    near = Cases()
    valid = [c for c in module_of(source).cases if not c.error and c.expected is None]
    for case in valid[:30]:
        near.add(
            case.name,
            case.build(),
            inputs="random",
            runs=1,
            oracle_model=case.oracle_model,
            paths=("speed",),
        )
    assert any("differ" in near.failure(case.name) for case in near)


# Offsets that adjacent ranges forbid are joined, which changes no offset.
def test_conflicts_of_each_pair_of_ranges():
    chance = random.Random(5)

    def buffer():
        cuts = sorted(chance.sample(range(1, 40), 5))
        pairs = [pair for pair in pairwise([0, *cuts]) if chance.random() < 0.8]
        return lifetimes.ArenaBuffer(
            0,
            cuts[-1],
            [lifetimes.ByteRange(*pair, ((chance.randrange(4),) * 2,)) for pair in pairs],
        )

    for _ in range(200):
        a, b = buffer(), buffer()
        wanted = [
            (x.start - y.stop + 1, x.stop - y.start - 1)
            for x in a.ranges
            for y in b.ranges
            if x.live_steps & y.live_steps
        ]
        assert lifetimes._merged(lifetimes._conflicts(a, b)) == lifetimes._merged(wanted)
