# Rules for the heads of kernel files: complete, true, and what boards need of them is up to date
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys

import pytest
from rules.sources import KERNEL_FILES, PACKAGE, REPOSITORY, eval_functions, used
from tflm.introspection.op_names import name as op_name
from tflm_tools.bands.row_access import BINARY, UNARY, VECTORS
from tflm_tools.errors import ToolError
from tflm_tools.kernel_files import kernel_files, parse

_SOURCE = "# Kernel: {}\n\ndef eval_int8(op, arena, rom, start, stop):\n    pass\n"
_FACTS = "types int8; package core; check binary"


# `make lint` runs this, too.
def test_tables_are_up_to_date():
    command = [sys.executable, REPOSITORY / "tools" / "kernel_tables.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_kernel_file_has_a_head():
    there = {name for name, path in KERNEL_FILES.items() if "/" not in name}
    assert set(kernel_files()) == {name for name in there if eval_functions(KERNEL_FILES[name])}
    for name, made in kernel_files().items():
        assert (PACKAGE / "access_checks" / f"{made.check}.py").is_file(), name


def test_heads_are_read():
    facts = _FACTS + "; units independent by 4; order rows in eval_int8;"
    facts += "\n#   weights table; target z"
    made = parse("new", _SOURCE.format(facts))
    assert (made.types, made.package, made.check, made.group) == (("int8",), "core", "binary", 4)
    assert (made.order, made.weights, made.target) == ({"eval_int8": "rows"}, "table", "z")
    assert parse("new", _SOURCE.format(_FACTS)).group == 0
    assert parse("helper", "def helper():\n    pass\n") is None


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("types int8; package core", "must consist of"),
        (_FACTS + "; check unary", "must consist of"),
        (_FACTS + "; colour blue", "must consist of"),
        (_FACTS.replace("int8", "int7"), "'types int7' is not among int8, uint8"),
        (_FACTS.replace("core", "kern"), "'package kern' is not among core, cnn"),
        (_FACTS.replace("core", "core cnn"), "'package core cnn' is not among"),
        (_FACTS + "; units alone", "'units alone' is neither"),
        (_FACTS + "; order backwards", "'order backwards' is not an order"),
        (_FACTS + "; order rows in eval_other", "is not an order of its functions"),
        (_FACTS + "; weights heavy", "'weights heavy' is not among"),
    ],
)
def test_heads_are_refused(facts, said):
    with pytest.raises(ToolError, match=f"^kernels/new.py: .*{said}.*; see docs/develop/"):
        parse("new", _SOURCE.format(facts))


def test_a_head_and_functions_belong_together():
    with pytest.raises(ToolError, match="kernels/new.py: lacks the line '# Kernel: ...'"):
        parse("new", "def eval_int8():\n    pass\n")
    with pytest.raises(ToolError, match="lacks functions eval"):
        parse("new", f"# Kernel: {_FACTS}\n")


# Each operator whose records name a kernel has a tensor of its types, and each type is one of some
# tensor.
@pytest.mark.parametrize("name", kernel_files())
def test_types_are_those_of_tensors(name):
    said = set(kernel_files()[name].types)
    if said & {"any", "packed"}:
        assert len(said) == 1
        return
    seen = [types for _, types in used()[name]]
    if said == {"uint8"}:  # tensors of quantized uint8 are seen as int8 (tflite/unsigned.py)
        seen = [types | {"uint8"} for types in seen if "int8" in types]
    assert len(seen) == len(used()[name]) and not [types for types in seen if not types & said]
    assert not said - set().union(*seen)


# So one package of mip runs an operator, whatever options it has; with "types", whatever types.
def test_kernels_of_an_operator_are_in_one_package():
    packages = {}
    for name, nodes in used().items():
        if name in kernel_files():
            for operator, _ in nodes:
                packages.setdefault(operator, set()).add(kernel_files()[name].package)
    assert len(packages) > 100
    assert not [operator for operator, found in packages.items() if len(found - {"core"}) > 1]


# What runs in bands of rows by element: its kernels read and write element by element, or by
# vectors.
@pytest.mark.parametrize(
    ("codes", "wanted"),
    [
        (UNARY, {"unary", "unary_float", "sigmoid"}),
        (BINARY, {"binary", "binary_wide"}),
        (VECTORS, {"softmax"}),
    ],
)
def test_operators_in_bands_go_by_elements(codes, wanted):
    names = {op_name(code) for code in codes}
    assert len(names) == len(codes)
    checks = {
        kernel_files()[name].check
        for name, nodes in used().items()
        if any(operator in names for operator, _ in nodes)
    }
    assert checks == wanted
