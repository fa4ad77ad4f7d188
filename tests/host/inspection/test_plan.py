# Tests of `tflm plan`: plans of TFLM and of flatten as text, SVG and PNG
# MIT license; Copyright (c) 2026 the tflm authors

import struct
import xml.etree.ElementTree as ElementTree
import zlib

import pytest
from support.builder import ModelBuilder
from tflm_tools.flat.conversion import flatten_file
from tflm_tools.inspection.model_plan import plan_model
from tflm_tools.optimize.memory.levels import LEVELS
from tflm_tools.render.common import number
from tflm_tools.render.plan import plan_scene
from tflm_tools.render.scene import Label, Rect
from tflm_tools.render.svg import svg

_NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def digits(repository):
    return repository / "models" / "digits" / "digits_int8.tflite"


# A chain of pools over a large image, which flatten runs in bands.
@pytest.fixture
def chain(tmp_path):
    model = ModelBuilder("chain")
    size, tensors = 64, []
    for i in range(3):
        side = size >> i
        tensors.append(model.tensor((1, side, side, 4), "int8", scale=0.1, zero_point=0,
                                    name=f"t{i}"))  # fmt: skip
    for source, target in zip(tensors, tensors[1:], strict=False):
        model.operator("MAX_POOL_2D", [source], [target], padding="VALID", stride_h=2,
                       stride_w=2, filter_width=2, filter_height=2)  # fmt: skip
    model.io(tensors[:1], tensors[-1:])
    path = tmp_path / "chain.tflite"
    path.write_bytes(model.build())
    return path


def test_printed_plan(tflm, digits):
    found = tflm("plan", digits)
    assert (found.code, found.err) == (0, "")
    for word in ("as TFLM plans it", "2 880 bytes", "peak: op 2 CONV_2D", "7 RESHAPE"):
        assert word in found.out
    assert max(map(len, found.out.splitlines())) <= 80


# The plan of each level needs as many bytes as the .tflm, and contains the peak.
@pytest.mark.parametrize("level", LEVELS)
def test_plan_equals_the_flat_model(digits, tmp_path, level):
    plan = plan_model(digits, level).plan
    without = ("all",) if level == "off" else ()
    flat = flatten_file(digits, tmp_path / "x.tflm", optimize=level, without=without)
    assert plan.arena_bytes == flat.arena_bytes
    most = max(map(plan.live_bytes, range(len(plan.ops))))
    assert most == plan.live_bytes(plan.peak_op) <= plan.head_bytes
    assert max(stop for b in plan.blocks for _, stop, _, _ in b.areas()) <= plan.head_bytes


# Bytes that two overlapping tensors use count once.
def test_live_bytes_of_overlapping_tensors(digits):
    plan = plan_model(digits, "speed").plan
    b, c = (next(x for x in plan.blocks if x.label == letter) for letter in "bc")
    assert b.offset < c.offset + c.size and c.offset < b.offset + b.size
    assert b.first <= c.first <= b.last
    live = sum(x.size for x in plan.blocks if x.first <= c.first <= x.last)
    assert plan.live_bytes(c.first - 1) < live
    assert plan.nodes[-2:] == [8, 9]  # numbers are the .tflite's, though 7 is gone
    assert [column.label for column in plan.columns()] == ["in", *"012345689"]


def test_columns_of_bands(repository):
    path = repository.parent / "shared" / "models" / "person_detect_int8.tflite"
    if not path.exists():
        pytest.skip("there is no person_detect_int8.tflite")
    plan = plan_model(path, "balanced").plan
    assert plan.chains and len(plan.ops) > 100
    columns = plan.columns()
    assert columns[1].bands > 1 and "–" in columns[1].label
    assert [c.first for c in columns[1:]] == [c.last + 1 for c in columns[:-1]]
    edges = plan.edges()
    assert edges == sorted(edges) and len(edges) == len(plan.ops) + 2
    assert edges[-1] == pytest.approx(sum(column.width for column in columns))


def test_scene_of_a_banded_chain(chain):
    for level in LEVELS:
        scene = plan_scene(plan_model(chain, level))
        assert any(isinstance(shape, Rect) and "t0" in shape.title for shape in scene.shapes)


# The label of a tensor covers no other tensor, also in plans whose tensors overlap.
@pytest.mark.parametrize("level", ["off", "balanced"])
def test_labels_cover_only_their_tensor(repository, level):
    path = repository.parent / "shared" / "models" / "mlperf_resnet8_int8.tflite"
    if not path.exists():
        path = repository / "models" / "digits" / "digits_int8.tflite"
    planned = plan_model(path, level)
    plan, scene = planned.plan, plan_scene(planned)
    rects = [s for s in scene.shapes if isinstance(s, Rect) and s.title]
    words = {s.text.split()[0]: s for s in scene.shapes if isinstance(s, Label) and s.bold}
    found = 0
    for block in plan.blocks:
        label = words.get(block.label)
        if block.kind == "scratch" or label is None:
            continue
        # The label is inside of one rectangle of the tensor, or between two.
        below = [r for r in rects if r.x <= label.x <= r.x + r.width
                 and r.y <= label.y - 3 <= r.y + r.height]  # fmt: skip
        assert {r.title.split(":")[0] for r in below} == {block.label}
        found += 1
    assert found >= 6


def test_plan_with_input_by_rows(tflm, digits):
    found = tflm("plan", digits, "--input-by-rows", "--optimize", "ram")
    assert (found.code, found.err) == (0, "")
    assert "tflm flatten --input-by-rows --optimize ram" in found.out
    assert "0 INPUT ROWS" in found.out


def test_svg_of_a_plan(tflm, digits, tmp_path):
    path = tmp_path / "plan.svg"
    found = tflm("plan", digits, "-o", path, "--optimize", "ram")
    assert (found.code, found.err) == (0, "")
    root = ElementTree.fromstring(path.read_text())
    assert root.tag == _NAMESPACE + "svg"
    titles = [e.text for e in root.iter(_NAMESPACE + "title")]
    assert any("1x2x8x24 int8" in title for title in titles)
    texts = [e.text for e in root.iter(_NAMESPACE + "text")]
    plan = plan_model(digits, "ram").plan
    drawn = [title for title in titles if "scratch; " in title]
    assert len(drawn) == sum(b.kind == "scratch" for b in plan.blocks) > 0
    most = number(plan.live_bytes(plan.peak_op))
    peak = f"peak: op {plan.peak_node} {plan.ops[plan.peak_op]}, {most} bytes"
    assert any(text.startswith(peak) for text in texts)
    assert "url(#hatch)" in path.read_text() and "prefers-color-scheme:dark" in path.read_text()
    width, height = (float(root.get(name)) for name in ("width", "height"))
    for rect in root.iter(_NAMESPACE + "rect"):
        if rect.get("x"):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and x + w <= width + 1 and y + h <= height + 1
    assert svg(plan_scene(plan_model(digits, "ram"))) == path.read_text()  # deterministic


# (width, height) of a PNG; checks its header.
def _png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    size = struct.unpack(">II", data[16:24])
    crc = struct.unpack(">I", data[29:33])[0]
    assert crc == zlib.crc32(data[12:29])
    return size


def test_png_of_a_plan(tflm, digits, tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    path = tmp_path / "plan.png"
    assert tflm("plan", digits, "-o", path).code == 0
    scene = plan_scene(plan_model(digits))
    size = _png_size(path.read_bytes())
    assert size == (round(2 * scene.width), round(2 * scene.height))
    image = pillow.open(path).convert("RGB")
    colours = {image.getpixel((x, y)) for x in range(0, size[0], 9) for y in range(0, size[1], 9)}
    assert {(255, 255, 255), (0x9B, 0xD3, 0xA5), (0xF0, 0xC2, 0x7F)} <= colours


def test_errors_of_plan(tflm, digits, tmp_path):
    flatten_file(digits, tmp_path / "digits.tflm")
    for arguments, words in [
        ((digits, "-o", tmp_path / "plan.jpg"), "neither .svg nor .png"),
        ((tmp_path / "digits.tflm",), "is already a .tflm"),
        ((tmp_path / "none.tflite",), "cannot read"),
    ]:
        found = tflm("plan", *arguments)
        assert found.code == 1 and words in found.err
        assert found.err.count("\n") == 1 and found.out == ""


# The plan of a model with missing operators names them.
def test_plan_with_missing_operators(tflm, lacking):
    found = tflm("plan", lacking)
    assert found.code == 0 and "Sparkle" in found.out


# The pictures in the documentation equal the tool's.
@pytest.mark.parametrize("file, level", [("arena.svg", "off"), ("arena_flat.svg", "balanced")])
def test_docs_pictures(repository, digits, file, level):
    text = svg(plan_scene(plan_model(digits, level)))
    picture = repository / "docs" / "images" / file
    assert picture.read_text() == text, f"{picture} is old; run: make docs"
