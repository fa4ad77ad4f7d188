# Tests of the drawing of an arena plan
# MIT license; Copyright (c) 2026 the tflm authors

import io

import pytest
from rich.console import Console
from tflm_tools.arena.arena_plan import Block, Plan
from tflm_tools.inspection.inspection import inspect
from tflm_tools.render.arena import draw_plan, plan_legend, print_plan


def _console(width=80, colour=None):
    return Console(
        file=io.StringIO(), width=width, color_system=colour, force_terminal=bool(colour),
        highlight=False, markup=False,
    )  # fmt: skip


# Return a plan of blocks (label, size, offset, first step, last step). The label of scratch is "".
def _plan(blocks, ops):
    blocks = [
        Block(label, f"name {label}", "tensor" if label else "scratch", (1,), "int8", *span)
        for label, *span in blocks
    ]
    head = max((b.offset + b.size for b in blocks), default=0)
    plan = Plan(blocks, ops, head, head, None)
    plan.peak_op = max(range(len(ops)), key=plan.live_bytes)
    return plan


_SIMPLE = [("a", 32, 0, 0, 1), ("b", 16, 32, 1, 2), ("", 16, 48, 1, 1), ("c", 32, 0, 2, 2)]


def test_position_of_blocks():
    plan = _plan(_SIMPLE, ["ADD", "MUL"])
    lines = [line.plain for line in draw_plan(plan, _console())]
    rows = lines[:4]  # 16 bytes each, from the top
    assert [row[8:10].strip() for row in rows] == ["┤", "│", "┤", "│"] or rows[0].strip()
    steps = [[row[10 + 9 * step : 19 + 9 * step].strip() for step in range(3)] for row in rows]
    assert steps[0] == ["", "╱" * 9, ""]
    assert steps[1][0] == ""
    assert "b" in rows[1] and rows[1][19:37].strip() == rows[1][19:37]
    assert "a" in rows[3] and "a" in rows[3][10:28]
    assert "c" in rows[3][28:37]
    assert rows[2][10] == rows[3][10]  # block a has the same shade in two rows
    assert rows[3][10] != rows[3][28]  # block c has another shade
    assert lines[0].split("┤")[0].strip() == "64"
    assert lines[4].startswith("       0 └───")


def test_peak_and_operators():
    plan = _plan(_SIMPLE, ["ADD", "MUL"])
    assert plan.peak_op == 0
    lines = [line.plain for line in draw_plan(plan, _console())]
    assert lines[5].split() == ["op", "in", "0", "1"]
    assert lines[6].strip() == "▲ peak: op 0 ADD, 64 bytes in use"
    assert lines[6].index("▲") == 10 + 9 + 4
    console = _console()
    print_plan(plan, console, legend=False)
    assert console.file.getvalue().rstrip().endswith("0 ADD  1 MUL")


def test_legend():
    console = _console()
    console.print(plan_legend(_plan(_SIMPLE, ["ADD", "MUL"])))
    rows = [line.split() for line in console.file.getvalue().splitlines()]
    assert ["a", "input", "1", "int8", "32", "0", "in–0"] in rows
    assert ["b", "0", "ADD", "1", "int8", "16", "32", "0–1"] in rows
    assert ["╱", "0", "ADD", "scratch", "16", "48", "0"] in rows


def test_thin_block_is_a_line():
    plan = _plan([("a", 64000, 0, 0, 1), ("b", 16, 64000, 0, 1)], ["ADD"])
    text = "\n".join(line.plain for line in draw_plan(plan, _console()))
    assert "▁" in text or "b" in text


@pytest.mark.parametrize("count", [1, 3, 30, 69, 70, 300])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_width(count, width):
    blocks = [(chr(97 + i % 26), 16 + 16 * (i % 5), 100 * (i % 3), i, i + 1) for i in range(count)]
    console = _console(width)
    print_plan(_plan(blocks, ["FULLY_CONNECTED"] * count), console)
    drawing, _, legend = console.file.getvalue().partition(" block ")
    assert max(len(line.rstrip()) for line in drawing.splitlines()) <= width
    assert max(map(len, legend.splitlines())) <= max(width, 61)  # numbers are not cut


def test_colours_only_on_a_colour_terminal():
    plan = _plan(_SIMPLE, ["ADD", "MUL"])
    plain, colour = _console(), _console(colour="256")
    print_plan(plan, plain)
    print_plan(plan, colour)
    assert "\x1b" not in plain.file.getvalue()
    assert "\x1b[" in colour.file.getvalue()
    assert "░" not in colour.file.getvalue()


def test_empty_plan():
    plan = Plan([], ["ADD"], 0, 0, None)
    assert "empty" in draw_plan(plan, _console())[0].plain


# Tensors that are in use at the same time do not overlap.
def test_plan_of_a_model(layers):
    plan = inspect(layers).plan
    assert [b.name for b in plan.blocks if b.kind == "tensor"] == [
        "input",
        "layer0",
        "layer1",
        "layer2",
    ]
    assert [(b.first, b.last) for b in plan.blocks if b.kind == "tensor"] == [
        (0, 1), (1, 2), (2, 3), (3, 3),
    ]  # fmt: skip
    for i, one in enumerate(plan.blocks):
        for other in plan.blocks[:i]:
            if one.first <= other.last and other.first <= one.last:
                assert (
                    one.offset + one.size <= other.offset
                    or other.offset + other.size <= one.offset
                )


# A narrow terminal shortens names, but not numbers.
def test_narrow_legend():
    console = _console(50)
    print_plan(_plan([("a", 12304, 98304, 0, 1)], ["DEPTHWISE_CONV_2D"] * 2), console)
    text = console.file.getvalue()
    assert "12 304" in text and "98 304" in text and "in–0" in text
