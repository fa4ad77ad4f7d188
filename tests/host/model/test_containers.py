# Tests of models inside C source, zip archives and gzip files
# MIT license; Copyright (c) 2026 the tflm authors

import gzip
import io
import time
import zipfile

import pytest
from tflm.errors import ModelError
from tflm_tools.model import containers
from tflm_tools.model.labels import labels_of
from tflm_tools.model.model_file import open_model


@pytest.fixture
def digits(repository):
    return (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()


@pytest.fixture
def hello(repository):
    return (repository / "models" / "hello_world" / "hello_world_int8.tflite").read_bytes()


def _array(data, name="g_model", declaration="const unsigned char {}[]", number="0x{:02x}"):
    numbers = ", ".join(number.format(byte) for byte in data)
    return f"{declaration.format(name)} = {{\n  {numbers}\n}};\n"


def _zip(**members):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return archive.getvalue()


@pytest.mark.parametrize(
    "declaration, number",
    [
        ("unsigned char {}[]", "0x{:02x}"),  # xxd -i
        ("alignas(16) const unsigned char {}[]", "0x{:02X}"),  # TFLM's generator
        ("const unsigned char {}[] DATA_ALIGN_ATTRIBUTE", "{}"),  # Arduino
        ("static const uint8_t {}[5824] PROGMEM", "{}u"),
        ("const uint8_t {}[] __attribute__((aligned(16)))", "0{:o}"),
    ],
)
@pytest.mark.parametrize("suffix", [".h", ".cc", ".cpp", ".ino"])
def test_c_array(declaration, number, suffix, digits, tmp_path):
    text = '#include "x.h"\n/* int no[] = {1}; */\n// unsigned char a[] = {2};\n'
    text += _array(digits, declaration=declaration, number=number)
    text += f"unsigned int g_model_len = {len(digits)};\n"
    path = tmp_path / f"model{suffix}"
    path.write_text(text)
    assert open_model(path).data == digits


def test_signed_c_array(digits, tmp_path):
    signed = [byte - 256 if byte > 127 else byte for byte in digits]
    path = tmp_path / "model.h"
    path.write_text(_array(signed, declaration="const int8_t {}[]", number="{}"))
    assert open_model(path).data == digits


def test_one_of_several_arrays_is_named(digits, hello, tmp_path):
    path = tmp_path / "models.h"
    path.write_text(_array(digits, "digits") + _array(hello, "hello") + _array(b"12", "other"))
    with pytest.raises(ModelError, match="2 models .digits, hello.; name one, like .*h#digits"):
        open_model(path)
    assert open_model(f"{path}#hello").data == hello
    assert open_model(tmp_path / "models.h#digits").data == digits
    with pytest.raises(ModelError, match="has no model other; its models are: digits, hello"):
        open_model(f"{path}#other")


@pytest.mark.parametrize(
    "text, message",
    [
        ("int x;\n", "has no model: it has no array"),
        ("int a[] = {1, 2};", "has no model: it has arrays a;"),
        ("const uint32_t a[] = {0x1c, 300};", "has arrays a"),
        ("int a[] = {9" + "9" * 9999 + "};", "has arrays a"),
    ],
)
def test_c_source_without_model(text, message, tmp_path):
    path = tmp_path / "model.h"
    path.write_text(text)
    with pytest.raises(ModelError, match=message):
        open_model(path)


def test_teachable_machine_archive_has_labels(hello, tmp_path):
    path = tmp_path / "converted_tflite_quantized.zip"
    path.write_bytes(_zip(model_dot_tflite=hello, labels_dot_txt="0 zero\n1 one thing\n"))
    model = open_model(path)
    assert model.data.startswith(hello)
    assert labels_of(model.data, {}) == ["zero", "one thing"]


def test_labels_without_numbers_stay(hello, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(_zip(model_dot_tflite=hello, labels_dot_txt="2 go\nstop\n"))
    assert labels_of(open_model(path).data, {}) == ["2 go", "stop"]


def test_labels_inside_the_model_take_precedence(digits, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(_zip(model_dot_tflite=digits, labels_dot_txt="wrong\n"))
    assert open_model(path).data == digits


def test_edge_impulse_library(digits, tmp_path):
    path = tmp_path / "ei-arduino.zip"
    source = _array(digits, "tflite_learn_3", "const unsigned char {}[] ALIGN(16)")
    members = {
        "ei__src__tflite-model__tflite_learn_3_dot_cpp": source,
        "ei__src__edge-impulse-sdk__x_dot_c": "int table[] = {1, 2, 3};",
    }
    path.write_bytes(_zip(**members))
    assert open_model(path).data == digits
    assert open_model(f"{path}#tflite_learn_3.cpp:tflite_learn_3").data == digits


def test_compiled_edge_impulse_library_is_explained(tmp_path):
    path = tmp_path / "ei.zip"
    path.write_bytes(_zip(**{"src__tflite-model__tflite_learn_3_compiled_dot_cpp": "int x;"}))
    with pytest.raises(ModelError, match="EON compiler.*TensorFlow Lite engine"):
        open_model(path)


def test_gzip(digits, tmp_path):
    path = tmp_path / "model.tflite.gz"
    path.write_bytes(gzip.compress(digits))
    assert open_model(path).data == digits
    path.write_bytes(gzip.compress(digits)[:-20])
    with pytest.raises(ModelError, match="damaged gzip"):
        open_model(path)


def test_gzip_of_gzip_is_refused(digits, tmp_path):
    path = tmp_path / "m.tflite.gz"
    data = gzip.compress(gzip.compress(digits))
    for count in (0, 1500):
        for _ in range(count):
            data = gzip.compress(data, 0)
        path.write_bytes(data)
        with pytest.raises(ModelError, match="is a gzip file of a gzip file; unpack it"):
            open_model(path)


def test_gzip_of_c_source(digits, tmp_path):
    path = tmp_path / "model.h.gz"
    path.write_bytes(gzip.compress(_array(digits).encode()))
    assert open_model(path).data == digits


@pytest.mark.parametrize("suffix", [".keras", ".pt2", ".onnx", ".h5"])
def test_trained_models_name_the_command(suffix, tmp_path):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(_zip(config_dot_json="{}"))
    with pytest.raises(ModelError, match=rf"tflm convert .*model\{suffix} --data"):
        open_model(path)


def test_folder_and_empty_file(tmp_path):
    with pytest.raises(ModelError, match="is a folder; name a .tflite or a .tflm"):
        open_model(tmp_path)
    (tmp_path / "saved_model.pb").touch()
    with pytest.raises(ModelError, match="is a SavedModel .*; convert it: tflm convert "):
        open_model(tmp_path)
    (tmp_path / "saved_model.pb").unlink()
    path = tmp_path / "model.tflite"
    path.touch()
    with pytest.raises(ModelError, match="is a folder; name .*, like .*model.tflite"):
        open_model(tmp_path)
    path.write_bytes(b"")
    with pytest.raises(ModelError, match="is empty"):
        open_model(path)


def test_hostile_archives_are_refused(digits, tmp_path, monkeypatch):
    path = tmp_path / "x.zip"
    path.write_bytes(_zip(model_dot_tflite=digits)[:-40])
    with pytest.raises(ModelError, match="damaged or encrypted zip"):
        open_model(path)
    path.write_bytes(_zip(notes_dot_txt="hello"))
    with pytest.raises(ModelError, match="it has files notes.txt; give the file"):
        open_model(path)
    monkeypatch.setattr(containers, "MAX_MODEL_BYTES", len(digits) - 1)
    path.write_bytes(_zip(model_dot_tflite=digits))
    with pytest.raises(ModelError, match="has no model"):
        open_model(path)
    path = tmp_path / "model.tflite.gz"
    path.write_bytes(gzip.compress(digits))
    with pytest.raises(ModelError, match="unpacks to more than"):
        open_model(path)
    monkeypatch.setattr(containers, "MAX_MEMBERS", 1)
    path = tmp_path / "many.zip"
    path.write_bytes(_zip(a="", b=""))
    with pytest.raises(ModelError, match="more than 1 file"):
        open_model(path)


# Text made to keep a regular expression busy takes no longer than any other.
@pytest.mark.parametrize(
    "text", ["/*" * 400_000, "a[]" * 300_000, "a[]={" * 200_000, "a" * 900_000]
)
def test_hostile_source_takes_no_time(text, tmp_path):
    path = tmp_path / "model.h"
    path.write_text(text)
    start = time.process_time()
    with pytest.raises(ModelError):
        open_model(path)
    assert time.process_time() - start < 5
