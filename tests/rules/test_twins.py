# The files that each folder of kernels for an instruction set says it has
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import re
from pathlib import Path

import pytest

_KERNELS = Path(__file__).resolve().parents[2] / "modules" / "tflm" / "kernels"


# OpResolver looks for no others there.
@pytest.mark.parametrize("folder", sorted(p.parent.name for p in _KERNELS.glob("*/__init__.py")))
def test_files(folder):
    tree = ast.parse((_KERNELS / folder / "__init__.py").read_text())
    listed = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    found = [
        path.stem
        for path in (_KERNELS / folder).glob("*.py")
        if re.search(r"^def (eval|bind)|^from .* import .*\b(eval|bind)", path.read_text(), re.M)
    ]
    assert listed == [tuple(sorted(found))]
