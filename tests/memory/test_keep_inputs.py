# Tests of kept inputs: invoke() leaves them as they are, on boards and in flat models
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.runner import REPOSITORY
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from unit.on_device import device
from unit.sample_models import classifier

_MODELS = [
    "anomaly/anomaly_int8",
    "digits/digits_int8",
    "hello_world/hello_world_float",
    "keywords/keywords_int8",
    "shapes/shapes_int8",
]

# Invoke three times and set the inputs once. kept: [the inputs are as before, all outputs are
# equal].
_INVOKE = """
def invoke(path, **options):
    interp = tflm.Interpreter(path, **options)
    inputs = [interp.input(i).raw for i in range(interp.inputs_size())]
    for raw in inputs:
        for i in range(len(raw)):
            raw[i] = (i * i >> 3) * 37 + i * 5 & 0x7F if i & 3 < 3 else 0x3D
    before = [bytes(raw) for raw in inputs]
    results = set()
    micropython.heap_lock()
    interp.invoke()
    micropython.heap_unlock()
    for _ in range(2):
        results.add(tuple([bytes(interp.output(i).raw) for i in range(interp.outputs_size())]))
        interp.reset()
        interp.invoke()
    results.add(tuple([bytes(interp.output(i).raw) for i in range(interp.outputs_size())]))
    return [[bytes(raw) for raw in inputs] == before, len(results) == 1]
"""


def _chain(offline=None, output_is_input=False):
    """Return a model of element-wise operators, x -> a -> b -> y."""
    builder = ModelBuilder()
    x, a, b, y = (builder.tensor((100,), "float32") for _ in range(4))
    builder.operator("LOGISTIC", [x], [a])
    builder.operator("TANH", [a], [b])
    builder.operator("LOGISTIC", [b], [y])
    builder.io([x], [y, x] if output_is_input else [y])
    if offline:
        builder.offline_plan(offline)
    return builder.build()


def _kept(tmp_path, data, levels=("balanced",)):
    paths = [str(tmp_path / "model.tflite")]
    (tmp_path / "model.tflite").write_bytes(data)
    for level in levels:
        for target in (None, "armv6m"):
            paths.append(str(tmp_path / f"{level}_{target}.tflm"))
            (tmp_path / f"{level}_{target}.tflm").write_bytes(
                flatten(data, keep_inputs=True, optimize=level, target=target)
            )
    code = (
        _INVOKE
        + "for path in PATHS:\n    assert invoke(path, keep_inputs=True) == [True] * 2, path"
    )
    device(code, PATHS=paths)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", _MODELS)
def test_kept(name, tmp_path):
    data = (REPOSITORY / "models" / f"{name}.tflite").read_bytes()
    _kept(tmp_path, data, ("ram", "balanced", "speed", "off"))


# A model whose plan overwrites the inputs keeps them, and so does one whose output is its input.
@pytest.mark.parametrize(
    ("offline", "output_is_input"), [(None, False), ([0, 400, 0, 400], False), (None, True)]
)
def test_element_wise_operators(offline, output_is_input, tmp_path):
    _kept(tmp_path, _chain(offline, output_is_input))


def test_several_inputs(tmp_path):
    builder = ModelBuilder()
    x, y, a, b, z = (builder.tensor((64,), "float32") for _ in range(5))
    builder.operator("ADD", [x, y], [a])
    builder.operator("MUL", [a, y], [b])
    builder.operator("LOGISTIC", [b], [z])
    builder.io([x, y], [z])
    _kept(tmp_path, builder.build())


def test_without_the_option(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(_chain([0, 400, 0, 400]))
    flat = tmp_path / "model.tflm"
    flat.write_bytes(flatten(_chain()))
    kept = tmp_path / "kept.tflm"
    kept.write_bytes(flatten(_chain(), keep_inputs=True))
    lines = device(
        _INVOKE
        + """
for path in PATHS:
    print(invoke(path))
print(raises(InputError, tflm.Interpreter(PATHS[1], keep_inputs=True).invoke))
""",
        PATHS=[str(path), str(flat), str(kept)],
    )
    assert lines[:3] == ["[False, False]", "[False, False]", "[True, True]"]
    assert "or flatten with --keep-inputs" in lines[3]


# Kept inputs are no outputs and no features.
def test_tensors_of_the_file(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(classifier(), keep_inputs=True, features=("last",)))
    lines = device(
        """
        interp = tflm.Interpreter(PATH, keep_inputs=True)
        print([interp.inputs_size(), interp.outputs_size(), sorted(interp.tensors())])
        """,
        PATH=str(path),
    )
    plain = tmp_path / "plain.tflm"
    plain.write_bytes(flatten(classifier(), features=("last",)))
    code = "interp = tflm.Interpreter(PATH)\nprint([1, 1, sorted(interp.tensors())])"
    assert lines == device(code, PATH=str(plain))


def test_input_by_rows_stores_no_input():
    with pytest.raises(ToolError, match="leave --keep-inputs out"):
        flatten(classifier(), keep_inputs=True, by_rows=True)


# With guards, an invoke with an input of the last invoke is an error unless inputs are kept.
def test_guards(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(_chain())
    device(
        """
        interp = tflm.Interpreter(PATH, guards=True)
        values = [0.5] * 100
        results = set()
        for _ in range(2):
            interp.input(0).quantize(values)
            micropython.heap_lock()
            interp.invoke()
            micropython.heap_unlock()
            results.add(bytes(interp.output(0).raw))
        assert len(results) == 1
        for _ in range(2):
            error = raises(StateError, interp.invoke)
            assert error.startswith("input 0 was not set after the last invoke()"), error
        interp.input(0).quantize(values)
        interp.invoke()
        kept = tflm.Interpreter(PATH, guards=True, keep_inputs=True)
        kept.input(0).quantize(values)
        for _ in range(3):
            kept.invoke()
            results.add(bytes(kept.output(0).raw))
        assert len(results) == 1
        """,
        PATH=str(path),
    )
