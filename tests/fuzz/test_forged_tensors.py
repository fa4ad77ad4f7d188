# Tests of forged tables of tensors: what programs fill has the bytes that its shape says
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import struct

import pytest
from fuzz.campaign import Outcome, run_on_device
from fuzz.forgery import forgeries, sealed, section
from support.builder import ModelBuilder
from tflm import format as layout
from tflm.access_checks import check_model
from tflm.errors import ModelError
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

# Positions of fields in an entry of the table of tensors.
_WORD, _BYTES, _TYPE, _RANK, _SHAPE = 0, 1, 3, 4, 8


# A model with one QUANTIZE: of int8, or of int16 with the shapes of the audio front end.
@functools.cache
def _requantized(shape, dtype="int8", output="int8"):
    builder = ModelBuilder()
    tensors = [
        builder.tensor(shape, kind, scale=scale, zero_point=0)
        for kind, scale in ((dtype, 0.1), (output, 1 / 256))
    ]
    builder.operator("QUANTIZE", [tensors[0]], [tensors[1]])
    builder.io([tensors[0]], [tensors[1]])
    return builder.build()


# Return a .tflm with fields of tensor `i` changed: {field: value, or a function of the old value}.
def _forged(flat, i, changes):
    data = bytearray(flat)
    at = section(flat, layout.TENSORS)[0] + i * layout.TENSOR_BYTES
    fields = list(struct.unpack_from(layout.TENSOR, data, at))
    for field, value in changes.items():
        fields[field] = value(fields[field]) if callable(value) else value
    struct.pack_into(layout.TENSOR, data, at, *fields)
    return sealed(data)


# 0 bytes for a shape with elements, and offsets at which a board cannot write words.
@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("trusted", [False, True])
def test_invalid_tensors_are_refused(i, trusted):
    flat = flatten(_requantized((1, 4, 10)))
    for changes in (
        {_BYTES: 0},
        {_BYTES: 39},
        {_SHAPE: 2},
        {_WORD: lambda word: word + 4},
        {_WORD: lambda word: word + 8},
    ):
        forged = _forged(flat, i, changes)
        device(
            """
            model = tflm.load(DATA, trusted=TRUSTED)
            assert "damaged" in raises(ModelError, tflm.Interpreter(model).allocate_tensors)
            """,
            DATA=forged,
            TRUSTED=trusted,
        )
        with pytest.raises(ModelError, match="damaged"):
            check_model(FlatModel(forged))


# Tensors without elements have no bytes.
def test_shape_with_0_is_valid():
    flat = _forged(flatten(_requantized((1, 4, 10))), 0, {_BYTES: 0, _SHAPE + 1: 0})
    check_model(FlatModel(flat))
    code = """
        interp = tflm.Interpreter(DATA)
        interp.invoke()
        assert "no elements" in raises(InputError, interp.invoke, b"")
        """
    device(code, DATA=flat)


# An input by rows, and the op that fetches them: exactly one of each, or none.
def test_forged_input_rows():
    flat = flatten(_requantized((1, 6, 4, 1)), by_rows=True)
    model = FlatModel(flat)
    check_model(model)
    assert model.tensor(0)[1] == 0
    whole = flatten(_requantized((1, 6, 4, 1)))
    forged = [
        _forged(flat, 0, changes)
        for changes in (
            {_BYTES: 24},
            {_SHAPE + 1: 0},
            {_SHAPE + 2: 0},
            {_RANK: 1},
            {_RANK: 0},
            {_TYPE: 5},
        )
    ]
    data = bytearray(flat)
    struct.pack_into("<H", data, section(flat, layout.SUBGRAPHS)[0] + 6, 2)  # inputs
    struct.pack_into("<H", data, section(flat, layout.SUBGRAPHS)[0] + 8, 0)  # outputs
    forged += [sealed(data), _forged(whole, 0, {_BYTES: 0})]
    for i, data in enumerate(forged):
        with pytest.raises(ModelError, match="damaged"):
            check_model(FlatModel(data))
        for trusted in (False, True):
            device(
                """
                source = bytes(24)
                def run():
                    tflm.Interpreter(tflm.load(DATA, trusted=TRUSTED)).invoke(source)
                try:
                    run()
                except TflmError as error:
                    assert "; " in str(error)
                else:
                    assert TRUSTED, I
                """,
                DATA=data,
                TRUSTED=trusted,
                I=i,
            )


# Random changes of a model whose input comes by rows end in an error of tflm.
def test_random_input_rows(tmp_path):
    flat = flatten(_requantized((1, 6, 4, 1)), by_rows=True)
    outcome = Outcome()
    run_on_device(forgeries(flat, "rows", 400), tmp_path, outcome)
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ModelError"] > 100


# Wake words, the front end and windows of samples fill inputs in native code.
def test_inputs_that_are_filled_in_native_code():
    device(
        """
        from tflm.motion.window import Window
        from tflm.wake import Listener, WakeWord

        class Source:
            sample_bytes, axes, scale, turn_scale, overruns = 2, 1, 1.0, 1.0, 0

        for data in FORGED:
            for trusted in (False, True):
                for user in (WakeWord, lambda model: Listener(front_end=model)):
                    model = tflm.load(data, trusted=trusted)
                    raises(ModelError, user, model)
                interp = tflm.Interpreter(tflm.load(data, trusted=trusted))
                raises(ModelError, lambda: Window(Source(), 120).fill(interp.input(0)))
        # Valid models of another kind: an input that comes by rows, and one of bytes.
        raises(ModelError, WakeWord, tflm.load(ROWS))
        raises(InputError, lambda: Window(Source(), 120).fill(tflm.Interpreter(ROWS).input(0)))
        raises(ModelError, lambda: Listener(front_end=tflm.load(BYTES)))
        """,
        FORGED=[
            _forged(flatten(model), i, changes)
            for model in (_requantized((1, 3, 40)), _requantized((480,), "int16", "int16"))
            for i in (0, 1)
            for changes in ({_BYTES: 0}, {_WORD: lambda word: word + 4})
        ],
        ROWS=flatten(_requantized((1, 3, 40)), by_rows=True),
        BYTES=flatten(_requantized((960,))),
    )
