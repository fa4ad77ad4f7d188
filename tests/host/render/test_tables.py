# Tests of printed tables: each column has a heading, and numbers and kernels are never cut
# MIT license; Copyright (c) 2026 the tflm authors

import io
import re

import pytest
from rich.table import Table
from tflm_tools.render.common import console, show, table

# Commands that print tables; MODEL is a .tflite, FLAT its .tflm.
_COMMANDS = [
    ("inspect", "MODEL", "--plan", "--allocations"), ("inspect", "FLAT"), ("ops",),
    ("ops", "MODEL", "--arch", "armv6m", "--arch", "rv32imc"), ("plan", "MODEL"),
    ("flatten", "MODEL", "-o", "FLAT", "--target", "armv6m"), ("flatten", "MODEL", "-o", "FLAT"),
    ("verify", "MODEL", "--layers", "--path", "flat"), ("bench", "MODEL", "--invokes", "1"),
    ("bench", "MODEL", "--per-op", "--invokes", "1"), ("boards",),
]  # fmt: skip


@pytest.fixture
def rows(monkeypatch):
    """A list of the printed rows: [(cell, whether its column is right-aligned)] of each row."""
    found = []
    add_row = Table.add_row

    def checked(self, *cells, **options):
        assert len(cells) == len(self.columns), (cells, [str(c.header) for c in self.columns])
        heads = [str(column.header) for column in self.columns]
        assert all(heads) and len(set(heads)) >= len(heads) - heads.count("cycles"), heads
        right = [column.justify == "right" for column in self.columns]
        found.append([(str(cell), number) for cell, number in zip(cells, right, strict=True)])
        add_row(self, *cells, **options)

    monkeypatch.setattr(Table, "add_row", checked)
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_numbers_and_kernels_are_not_cut(command, width, tflm, rows, repository, tmp_path,
                                         monkeypatch):  # fmt: skip
    flat = tmp_path / "digits.tflm"
    model = repository / "models" / "digits" / "digits_int8.tflite"
    monkeypatch.setenv("TFLM_CACHE", str(tmp_path / "cache"))
    if "FLAT" in command:
        assert tflm("flatten", model, "-o", flat).code == 0
        rows.clear()
    monkeypatch.setenv("COLUMNS", str(width))
    found = tflm(*({"MODEL": model, "FLAT": flat}.get(word, word) for word in command))
    assert (found.code, found.err) == (0, "")
    assert rows
    for row in rows:
        for cell, is_number in row:
            if is_number:
                assert cell in found.out, cell
            for kernel in re.findall(r"\w+\.eval\w*", cell):
                assert kernel in found.out, kernel
    if width == 80 and "--target" not in command:
        assert max(map(len, found.out.splitlines())) <= 81, found.out


def test_sentences_are_wrapped_and_names_shortened():
    target = console(io.StringIO())
    target.width = 40
    grid = table("name", "why", ">bytes")
    grid.add_row("a_name_that_is_quite_long", "a sentence of several words", "123 456 789")
    show(grid, target, "name", "why")
    text = target.file.getvalue()
    assert "…" in text and "123 456 789" in text
    assert " ".join(re.findall(r"\b(?:a sentence|of|several|words)\b", text)).endswith("words")


# States of a board, and the chosen levels and weight layouts, are also shown by words or signs.
def test_no_information_by_colour_only(tflm, layers, tmp_path):
    from tflm_tools.board.doctor import Diagnosis, Line
    from tflm_tools.render.board import print_diagnosis

    target = console(io.StringIO())
    result = Diagnosis("port", [Line("heap", "1 KB free", "problem", "free memory")])
    print_diagnosis(result, target)
    assert "problem: 1 KB free" in target.file.getvalue()
    out = tmp_path / "x.tflm"
    printed = " ".join(tflm("flatten", layers, "-o", out, "--target", "armv6m").out.split())
    assert "* balanced" in printed and "* marks the written .tflm" in printed
    assert printed.count("*") >= 3 + 2
