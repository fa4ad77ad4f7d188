# Tests of tflm.litert: the same scripts run with LiteRT, with tflm in CPython, and in MicroPython
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.litert import needs_litert
from support.script import run_script
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

OURS = "from tflm.litert import Interpreter"
THEIRS = "from ai_edge_litert.interpreter import Interpreter"

# Without numpy, which MicroPython does not have: the dtype of the details converts values.
SCRIPT = """
import json
from tflm.litert import Interpreter

said = []


def show(details):
    said.append([details["name"], details["index"], details["dtype"].__name__])
    said.append([[int(size) for size in details[key]] for key in ("shape", "shape_signature")])
    parameters = details["quantization_parameters"]
    said.append([round(float(scale), 7) for scale in parameters["scales"]])
    said.append([int(zero) for zero in parameters["zero_points"]])
    scale, zero_point = details["quantization"]
    said.append([round(scale, 7), zero_point, int(parameters["quantized_dimension"])])


def raises(function, *arguments):
    try:
        function(*arguments)
    except (ValueError, RuntimeError) as error:
        said.append(type(error).__name__)


interp = Interpreter(model_path=MODEL)
interp.allocate_tensors()
(a, b), (total,) = interp.get_input_details(), interp.get_output_details()
for details in (a, b, total):
    show(details)
interp.set_tensor(a["index"], a["dtype"]([[1, 2, 3], [-4, 5, 100]]))
interp.set_tensor(b["index"], b["dtype"]([[10, 20, 30], [-40, 50, 100]]))
interp.invoke()
said.append(interp.get_tensor(total["index"]).tolist())
interp.set_tensor(a["index"], a["dtype"]([[0, 0, 0], [1, 1, 1]]))
said.append(interp.get_tensor(total["index"]).tolist())  # of the invoke before
said.append(interp.get_tensor(a["index"]).tolist())
interp.invoke()  # with the same b
said.append(interp.get_tensor(total["index"])[1].tolist())
said.append(list(interp.get_tensor(b["index"]).shape))
raises(interp.set_tensor, a["index"], a["dtype"]([[1, 2], [3, 4]]))
raises(interp.set_tensor, total["index"] + 99, a["dtype"]([[1, 2, 3], [4, 5, 6]]))
raises(interp.get_tensor, total["index"] + 99)
raises(interp.get_signature_runner, "absent")
raises(Interpreter)
"""

# Only with a .tflite: other shapes, intermediate tensors, names.
MORE = """
said.append(interp.get_signature_list())
runner = interp.get_signature_runner("add")
found = runner(x=a["dtype"]([[1, 2, 3], [4, 5, 6]]), y=b["dtype"]([[7, 8, 9], [7, 8, 9]]))
said.append([[name, found[name].tolist()] for name in sorted(found)])
show(runner.get_input_details()["y"])
show(runner.get_output_details()["sum"])
del runner  # LiteRT refuses other shapes while a runner exists
interp.resize_tensor_input(a["index"], [1, 3])
interp.resize_tensor_input(b["index"], [1, 3])
interp.allocate_tensors()
interp.set_tensor(a["index"], a["dtype"]([[1, 2, 3]]))
interp.set_tensor(b["index"], b["dtype"]([[1, 2, 3]]))
interp.invoke()
said.append(interp.get_tensor(total["index"]).tolist())
raises(lambda: interp.resize_tensor_input(a["index"], [2, 4], strict=True))
runner = interp.get_signature_runner()
found = runner(x=a["dtype"]([[1, 2, 3], [4, 5, 6]]), y=b["dtype"]([[7, 8, 9], [7, 8, 9]]))
said.append(found["sum"].tolist())
interp.reset_all_variables()
with open(MODEL, "rb") as file:
    content = file.read()
interp = Interpreter(model_content=content, experimental_preserve_all_tensors=True)
interp.allocate_tensors()
interp.set_tensor(a["index"], a["dtype"]([[1, 2, 3], [-4, 5, 100]]))
interp.set_tensor(b["index"], b["dtype"]([[1, 2, 3], [-4, 5, 100]]))
interp.invoke()
for details in interp.get_tensor_details()[:CHECKED]:
    show(details)
    said.append(interp.get_tensor(details["index"]).tolist())
"""
PRINT_SAID = "\nprint(json.dumps(said))\n"


# sum = (a + b) * c in int8, for any number of rows. Nothing is rounded, because delegates may.
@pytest.fixture(scope="module")
def model(tmp_path_factory):
    builder = ModelBuilder()
    quantized = {"scale": 0.5, "zero_point": 1}
    rows = {"shape_signature": (-1, 3)}
    a = builder.tensor((2, 3), "int8", name="a", **quantized, **rows)
    b = builder.tensor((2, 3), "int8", name="b", scale=0.5, zero_point=-3, **rows)
    factor = np.array([[1, 2, -3]], np.int8)
    c = builder.tensor((1, 3), "int8", factor, name="c", scale=0.5, zero_point=0)
    between = builder.tensor((2, 3), "int8", name="between", **quantized, **rows)
    total = builder.tensor((2, 3), "int8", name="total", scale=0.25, zero_point=5, **rows)
    builder.operator("ADD", [a, b], [between])
    builder.operator("MUL", [between, c], [total])
    builder.io([a, b], [total])
    builder.signature("add", {"x": a, "y": b}, {"sum": total})
    path = tmp_path_factory.mktemp("litert") / "model.tflite"
    path.write_bytes(builder.build())
    path.with_suffix(".tflm").write_bytes(flatten(path.read_bytes()))
    return path


def in_cpython(script, *arguments):
    command = [sys.executable, "-W", "ignore", *(["-c", script] if "\n" in script else [script])]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(path, more):
    names = f"MODEL = {str(path)!r}\nCHECKED = 5\n"
    return names + SCRIPT + more + PRINT_SAID


@needs_litert
def test_scripts_print_the_same_everywhere(model):
    text = script(model, MORE)
    theirs = json.loads(in_cpython(text.replace(OURS, THEIRS)).splitlines()[-1])
    assert json.loads(in_cpython(text)) == theirs
    assert json.loads(run_script(text)) == theirs


# A runner of another sub-graph, as LiteRT has it; a resource variable would not be shared.
OTHER_SUBGRAPH = """
import json
from tflm.litert import Interpreter

interp = Interpreter(model_path=MODEL)
said = []
for name, values in (("negative", [4, -5]), ("absolute", [-1, 2, -3])):
    runner = interp.get_signature_runner(name)
    x = runner.get_input_details()["x"]
    said.append([x["name"], list(map(int, x["shape"]))])
    found = runner(x=x["dtype"](values))
    said.append([[key, found[key].tolist()] for key in found])
"""


def with_two_subgraphs(variable):
    builder = ModelBuilder()
    x, y = builder.tensor((3,), "float32", name="x"), builder.tensor((3,), "float32")
    builder.operator("ABS", [x], [y])
    builder.io([x], [y])
    other = builder.subgraph("other")
    a, b = other.tensor((2,), "float32", name="a"), other.tensor((2,), "float32")
    other.operator("NEG", [a], [b])
    if variable:
        handle = builder.tensor((), "resource")
        builder.operator("VAR_HANDLE", [], [handle], shared_name="v")
    other.io([a], [b])
    builder.signature("absolute", {"x": x}, {"y": y})
    builder.signature("negative", {"x": a}, {"y": b}, subgraph=1)
    return builder.build()


@needs_litert
def test_signature_of_another_subgraph(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(with_two_subgraphs(variable=False))
    text = f"MODEL = {str(path)!r}\n{OTHER_SUBGRAPH}{PRINT_SAID}"
    theirs = json.loads(in_cpython(text.replace(OURS, THEIRS)).splitlines()[-1])
    assert theirs[1] == [["y", [-4, 5]]] and theirs[3] == [["y", [1, 2, 3]]]
    assert json.loads(in_cpython(text)) == theirs
    assert json.loads(run_script(text)) == theirs


def test_refused_signatures_of_another_subgraph(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(with_two_subgraphs(variable=True))
    flat = tmp_path / "model.tflm"
    flat.write_bytes(flatten(with_two_subgraphs(variable=False)))
    device(
        """
        from tflm.litert import Interpreter

        def refused(path):
            return raises(ValueError, Interpreter(path).get_signature_runner, "negative")

        assert refused(PATH).endswith("may share variables with others; use tflm.load(signature=)")
        assert refused(FLAT) == ("signature negative begins in another sub-graph; "
                                 "flatten with --signature negative")
        """,
        PATH=str(path),
        FLAT=str(flat),
    )


# A .tflm has only the numbers of inputs and outputs, and no open shapes.
def test_flat_model(model):
    text = script(model.with_suffix(".tflm"), "")
    said = json.loads(in_cpython(text))
    assert json.loads(run_script(text)) == said
    assert said[10][:2] == ["total", 2]
    original = json.loads(run_script(script(model, "")))
    assert said[15:] == original[15:]


# The program of examples/ with an image file.
@needs_litert
def test_example(repository, tmp_path):
    from PIL import Image

    digits = np.load(repository / "models" / "digits" / "digits_test.npz")
    example = repository / "examples" / "classify" / "classify.py"
    theirs = tmp_path / "classify.py"
    assert example.read_text().count(OURS) == 1
    theirs.write_text(example.read_text().replace(OURS, THEIRS))
    image = digits["x"][3].reshape(8, 8)
    Image.fromarray((image * (255 / image.max())).astype(np.uint8)).save(tmp_path / "3.png")
    model = str(repository / "models" / "digits" / "digits_int8.tflite")
    arguments = [str(tmp_path / "3.png"), "-m", model, "--std", "15.9375"]  # 16 is white
    said = in_cpython(str(example), *arguments)
    assert said == in_cpython(str(theirs), *arguments)
    assert said.split()[1] == str(digits["y"][3])


def test_values_that_only_a_board_accepts(model):
    device(
        """
        from array import array
        from tflm.litert import Interpreter

        interp = Interpreter(model_path=MODEL, num_threads=1)
        index = interp.get_input_details()[0]["index"]
        for values in (b"\\x01\\x02\\x03\\xfc\\x05\\x06", array("b", [1, 2, 3, -4, 5, 6]),
                       [1, 2, 3, -4, 5, 6], ((1, 2, 3), (-4, 5, 6))):
            interp.set_tensor(index, [0] * 6)
            interp.set_tensor(index, values)
            assert interp.get_tensor(index) == [[1, 2, 3], [-4, 5, 6]]
        interp.tensor(index)()[5] += 1
        assert interp.get_tensor(index)[1][2] == 7
        interp.tensor(index)()[5] = 6
        assert interp.get_tensor(index).flatten() == [1, 2, 3, -4, 5, 6]
        for values in ([[1, 2, 300], [1, 2, 3]], [[1, 2, 3.5], [1, 2, 3]], [[1, 2], [3]], 5, b"1"):
            assert "tensor 'a' needs" in raises(ValueError, interp.set_tensor, index, values)
        assert interp.get_tensor(index) == [[1, 2, 3], [-4, 5, 6]]
        raises(TypeError, lambda: Interpreter(model_path=MODEL, threads=2))
        for name in ("litert", "api_compat.nested", "api_compat.details"):
            assert "tflm." + name in sys.modules
        """,
        MODEL=str(model),
    )
