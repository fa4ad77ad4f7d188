# Tests of `tflm report`: one page of well-formed HTML that loads no other file
# MIT license; Copyright (c) 2026 the tflm authors

import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from support.builder import ModelBuilder
from tflm_tools.flat import flatten
from tflm_tools.inspection.report import report
from tflm_tools.model.flat_file import FlatFile

_EVIL = "</style><script>alert(1)</script>\"'&\x01\x1b[31m\ud7ff"


@pytest.fixture
def digits(repository):
    return repository / "models" / "digits" / "digits_int8.tflite"


# The page as a tree; it is also valid XML.
def _tree(page):
    assert page.startswith("<!DOCTYPE html>\n")
    return ElementTree.fromstring(page.split("\n", 1)[1])


def _write(tflm, model, folder, *more):
    path = folder / "report.html"
    found = tflm("report", model, "-o", path, *more)
    assert (found.code, found.err) == (0, "")
    return path.read_text()


def _text(tree):
    return "\n".join(tree.itertext())


# Check that the page loads no other file: its only URL is the namespace of SVG.
def _assert_self_contained(page):
    addresses = set(re.findall(r"[a-z]+://[^\"' <]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img|iframe|object)|@import|url\((?!#)", page)


def test_contents_of_the_page(tflm, digits, tmp_path):
    page = _write(tflm, digits, tmp_path, "--target", "armv6m")
    tree = _tree(page)
    _assert_self_contained(page)
    text = _text(tree)
    for word in ("digits_int8.tflite", "60 032", "DEPTHWISE_CONV_2D", "0.0627451", "1x8x8x24",
                 "Raspberry Pi Pico", "RESHAPE", "peak: op 2 CONV_2D", "16 channels",
                 "tflm flatten digits_int8.tflite -o digits_int8.tflm --target armv6m",
                 "interpreter = tflm.Interpreter(tflm.load('digits_int8.tflm'))"):  # fmt: skip
        assert word in text, word
    assert "prefers-color-scheme:dark" in page and 'name="viewport"' in page
    drawings = list(tree.iter("{http://www.w3.org/2000/svg}svg"))
    assert len(drawings) == 3  # two plans and the graph
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    for used in re.findall(r"url\(#([^)]*)\)", page):
        assert used in ids


# The snippet for the board is valid Python.
def test_snippet(tflm, digits, tmp_path):
    odd = tmp_path / 'it\'s a "model" $HOME.tflite'
    odd.write_bytes(digits.read_bytes())
    tree = _tree(_write(tflm, odd, tmp_path, "--target", "armv6m"))
    commands, snippet = ("".join(e.itertext()) for e in tree.iter("pre"))
    names = compile(snippet, "snippet", "exec").co_consts
    assert any("$HOME.tflm" in str(name) for name in names)
    words = shlex.split(commands.splitlines()[0])
    assert words[:3] == ["tflm", "flatten", odd.name]


# Without options, `tflm deploy` flattens the .tflite for the board.
def test_commands_without_options(tflm, digits, tmp_path):
    commands = next(_tree(_write(tflm, digits, tmp_path)).iter("pre"))
    assert "".join(commands.itertext()).splitlines() == [
        "tflm flatten digits_int8.tflite -o digits_int8.tflm", "tflm deploy digits_int8.tflite",
    ]  # fmt: skip


# Names of tensors, sub-graphs, custom operators and labels may contain HTML.
def test_hostile_names(tflm, tmp_path):
    model = ModelBuilder(_EVIL)
    tensors = [model.tensor((1, 4), "int8", scale=0.1, zero_point=0, name=_EVIL + str(i))
               for i in range(3)]  # fmt: skip
    model.operator("RELU", tensors[:1], tensors[1:2])
    model.custom(_EVIL, tensors[1:2], tensors[2:3])
    model.io(tensors[:1], tensors[2:3])
    model.metadata("labels.txt", f"{_EVIL}\nb".encode())
    model.metadata(_EVIL, b"1")
    path = tmp_path / "evil.tflite"
    path.write_bytes(model.build())
    csv = tmp_path / "evil.csv"
    csv.write_text('op,name,us\n0,"<b>=cmd|",1.5\n')
    page = _write(tflm, path, tmp_path, "--profile", csv)
    tree = _tree(page)
    _assert_self_contained(page)
    assert "<script>alert" in _text(tree) and "<b>=cmd|" in _text(tree)
    assert not list(tree.iter("script")) and not list(tree.iter("b>"))
    assert "\x01" not in page and "\x1b" not in page
    assert "does not run on tflm" in _text(tree)


def test_profile_of_tflm(tflm, layers, tmp_path):
    csv = tmp_path / "log.csv"
    csv.write_text('"Event","Tag","Ticks"\n0,FULLY_CONNECTED,300\n1,FULLY_CONNECTED,100\n')
    text = _text(_tree(_write(tflm, layers, tmp_path, "--profile", csv)))
    for word in ("75.0 %", "25.0 %", "300 µs", "log.csv", "937.50"):  # 320 MACs
        assert word in text, word


def test_profile_of_bench(tflm, layers, tmp_path, monkeypatch):
    monkeypatch.setenv("TFLM_CACHE", str(tmp_path / "cache"))
    csv = tmp_path / "bench.csv"
    assert tflm("bench", layers, "--per-op", "--invokes", 2, "--csv", csv).code == 0
    text = _text(_tree(_write(tflm, layers, tmp_path, "--profile", csv)))
    assert "bench.csv" in text


def test_errors_of_profiles(tflm, layers, tmp_path):
    bad = tmp_path / "bad.csv"
    for content, words in [
        ("", "is not a profile"),
        ("op,name,us\n", "is not a profile"),
        ("a,b\n1,2\n", "is not a profile"),
        ("op,name,us\nx,ADD,1\n", "line 2"),
        ("op,name,us\n0,ADD,1\n1,ADD,nan\n", "line 3"),
        ("op,name,us\n0,ADD\n", "line 2"),
    ]:
        bad.write_text(content)
        found = tflm("report", layers, "-o", tmp_path / "r.html", "--profile", bad)
        assert found.code == 1 and words in found.err, found.err
        assert found.err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()
    found = tflm("report", layers, "-o", tmp_path / "none" / "r.html")
    assert found.code == 1 and "cannot write" in found.err


def test_no_commands_for_a_model_that_does_not_run(tflm, lacking, tmp_path):
    page = _write(tflm, lacking, tmp_path)
    text = "".join(_tree(page).itertext())
    assert "Sparkle" in text and "tflm deploy" not in text and "tflm flatten" not in text


# The web page's Python has no numpy, so reports and flatten must not import it.
def test_report_without_numpy(repository):
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from tflm_tools.inspection.report import report\n"
        "from tflm_tools.render.report import report_page\n"
        "print(len(report_page(report(sys.argv[1], target='armv6m'))))\n"
    )
    path = repository / "models" / "hello_world" / "hello_world_int8.tflite"
    said = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
    )
    assert int(said.stdout) > 10_000


# The plan, the totals and the sizes come from one search for a smaller arena, which is slow.
def test_one_search(monkeypatch, digits):
    searches = []

    def counted(*arguments):
        searches.append(arguments)
        return levels_of(*arguments)

    levels_of = flatten.levels_of
    monkeypatch.setattr(flatten, "levels_of", counted)
    found = report(digits, target="armv6m")
    assert len(searches) == 1
    flat = flatten.flatten(digits.read_bytes(), target="armv6m")
    assert (found.flat_bytes, found.arena_bytes) == (len(flat), FlatFile(flat).arena_bytes)
