# Tests of operators that write over their own input, as near as distances.py allows
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import random
import re
from contextlib import contextmanager
from dataclasses import replace

import pytest
from support.check import Cases
from support.kernel_tests import module_of
from tflm_tools.arena import distances, overlap, planner
from tflm_tools.flat.flatten import prepare

# Whose cases give the models, and how many of them are looked at, which takes longer than running
# them: every kernel that distances.py lists is called by some.
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
    "test_quantize": 20,
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
FORMS = ("speed", "speed armv6m", "speed mac16")
MOST = 6  # cases of a kernel in one file


# In its `with` buffers may begin at any word: a distance is kept to the byte, as far as words
# allow. What was planned otherwise is forgotten.
@contextmanager
def words():
    before = planner._ALIGNMENT
    planner._ALIGNMENT = 4
    planner._best.cache_clear()
    yield
    planner._ALIGNMENT = before
    planner._best.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def fine_alignment():
    with words():
        yield


# The kernels that a model calls and that write over their input, in one form.
def ordered(model, form):
    target = form.partition(" ")[2] or None
    with words():
        _, storage = prepare(model, target=target, optimize="speed")
    return {record.kernel for record in storage.records if record.ordered}


# What one file of SOURCES gives: some cases of each kernel, with all kinds of shapes, strides,
# padding and dilation, each in the forms that call it; and the kernels.
@functools.cache
def chosen(source):
    cases, found = Cases(), {}
    sound = [
        case
        for collector in vars(module_of(source)).values()
        if isinstance(collector, Cases)
        for case in collector
        if not case.error
        and case.expected is None
        and not re.search("every value|^test_", case.name)
    ]
    random.Random(source).shuffle(sound)
    for case in sound[: SOURCES[source]]:
        forms = []
        for form in FORMS:
            called = ordered(case.build(), form)
            if any(found.get(kernel, 0) < MOST for kernel in called):
                forms.append(form)
                for kernel in called:
                    found[kernel] = found.get(kernel, 0) + 1
        if forms:
            cases.add(
                case.name,
                case.build(),
                inputs="random",
                runs=1,
                oracle_model=case.oracle_model,
                rtol=case.rtol,
                atol=case.atol,
                paths=forms,
            )
    return cases, set(found)


# Those for the DSP extension take long to prepare: test_memory_models.py runs real models.
def test_every_kernel_is_tested():
    tested = set.union(*(chosen(source)[1] for source in SOURCES))
    others = {kernel for kernel in distances.kernels() if "_dsp." in kernel}
    assert tested == distances.kernels() - others - {"copy.eval_bytes"}  # test_memory_bands.py


@pytest.mark.parametrize("source", SOURCES)
def test_over_its_input(source):
    chosen(source)[0].check()


# Two records, of which the second does not read the input: beside LiteRT, as TFLM has no hybrid
# operators.
def test_outputs_over_what_was_read_before():
    over, called = Cases(), set()
    for case in list(module_of("test_hybrid").cases)[::4]:
        over.add(
            case.name,
            case.build(),
            case.inputs,
            case.rtol,
            case.atol,
            expected=case.expected,
            paths=("speed",),
        )
        called |= ordered(case.build(), "speed")
    over.check()
    assert called == {"hybrid_quantize.eval_float32", "hybrid.eval_float32"}


# The proof that these tests can fail: a word nearer, or two rows or pixels where a kernel reads
# all that one needs before it writes any of it, what is still needed is overwritten.
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
def test_nearer_is_wrong(source, nearer, monkeypatch):
    def too_near(node, reader):
        found = distances.distances_of(node, reader)
        return [replace(d, least=d.least - nearer(d)) for d in found]

    monkeypatch.setattr(overlap, "distances_of", too_near)
    near = Cases()
    sound = [c for c in module_of(source).cases if not c.error and c.expected is None]
    for case in sound[:30]:
        near.add(
            case.name,
            case.build(),
            inputs="random",
            runs=1,
            oracle_model=case.oracle_model,
            paths=("speed",),
        )
    assert any("differ" in near.failure(case.name) for case in near)
