# Rules for the heads of kernel files: complete and true, and the tables made of them up to date
# MIT license; Copyright (c) 2026 the tflm authors


import pytest
from rules.sources import KERNEL_FILES, PACKAGE, eval_functions, used
from tflm.introspection.op_names import name as op_name
from tflm_tools.bands.row_access import BINARY, UNARY, VECTORS
from tflm_tools.errors import ToolError
from tflm_tools.kernel_files import kernel_files, parse

_SOURCE = "# Kernel: {}\n\ndef eval_int8(op, arena, rom, start, stop):\n    pass\n"
_FACTS = "types int8; package core; check binary"


def test_every_kernel_file_has_a_head():
    there = {name for name, path in KERNEL_FILES.items() if "/" not in name}
    assert set(kernel_files()) == {name for name in there if eval_functions(KERNEL_FILES[name])}
    for name, kernel in kernel_files().items():
        assert (PACKAGE / "access_checks" / f"{kernel.check}.py").is_file(), name


def test_heads_are_read():
    facts = _FACTS + "; units independent by 4; order rows in eval_int8;"
    facts += "\n#   weights table; target z"
    kernel = parse("new", _SOURCE.format(facts))
    assert (kernel.types, kernel.package, kernel.check, kernel.group) == (
        ("int8",),
        "core",
        "binary",
        4,
    )
    assert (kernel.order, kernel.weights, kernel.target) == ({"eval_int8": "rows"}, "table", "z")
    assert parse("new", _SOURCE.format(_FACTS)).group == 0
    assert parse("helper", "def helper():\n    pass\n") is None


@pytest.mark.parametrize(
    ("facts", "text"),
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
def test_invalid_heads_are_refused(facts, text):
    with pytest.raises(ToolError, match=f"^kernels/new.py: .*{text}.*; see docs/develop/"):
        parse("new", _SOURCE.format(facts))


def test_head_without_functions_is_refused():
    with pytest.raises(ToolError, match="kernels/new.py: lacks the line '# Kernel: ...'"):
        parse("new", "def eval_int8():\n    pass\n")
    with pytest.raises(ToolError, match="lacks functions eval"):
        parse("new", f"# Kernel: {_FACTS}\n")


# Each node that uses a kernel has a tensor of one of the kernel's types, and each type is the type
# of some node's tensor.
@pytest.mark.parametrize("name", kernel_files())
def test_types_of_a_kernel_match_tensors(name):
    stated = set(kernel_files()[name].types)
    if stated & {"any", "packed"}:
        assert len(stated) == 1
        return
    seen = [types for _, types in used()[name]]
    if stated == {"uint8"}:  # tflite/unsigned.py turns quantized uint8 into int8
        seen = [types | {"uint8"} for types in seen if "int8" in types]
    assert len(seen) == len(used()[name]) and not [types for types in seen if not types & stated]
    assert not stated - set().union(*seen)


# One mip package runs an operator with all its options; together with "types", with all types.
def test_kernels_of_an_operator_are_in_one_package():
    packages = {}
    for name, nodes in used().items():
        if name in kernel_files():
            for operator, _ in nodes:
                packages.setdefault(operator, set()).add(kernel_files()[name].package)
    assert len(packages) > 100
    assert not [operator for operator, found in packages.items() if len(found - {"core"}) > 1]


# Operators that run in bands of rows element by element: their kernels read and write elements, or
# vectors. A DEQUANTIZE with a scale for each channel, which does not run in bands, multiplies. The
# step of the pass norm does not run in bands.
@pytest.mark.parametrize(
    ("codes", "wanted"),
    [
        (UNARY, {"unary", "unary_float", "sigmoid", "binary_wide"}),
        (BINARY, {"binary", "binary_wide"}),
        (VECTORS, {"softmax", "norm"}),
    ],
)
def test_banded_elementwise_operators(codes, wanted):
    names = {op_name(code) for code in codes}
    assert len(names) == len(codes)
    checks = {
        kernel_files()[name].check
        for name, nodes in used().items()
        if any(operator in names for operator, _ in nodes)
    }
    assert checks == wanted
