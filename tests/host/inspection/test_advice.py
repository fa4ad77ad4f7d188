# Tests of the remedies for operators that tflm lacks
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.single_op import Tensor, single_op
from tflm.introspection import op_names
from tflm.prepare.table import OPS
from tflm_tools.inspection.advice import _ADVICE, advice_for

_MISSING = {
    "WHERE": ([Tensor((4,), "bool")], [Tensor((4, 1), "int64")]),
    "MULTINOMIAL": (
        [Tensor((2, 5), "float32"), Tensor((), "int32", 7)],
        [Tensor((2, 7), "int32")],
    ),
    "MATRIX_DIAG": ([Tensor((3,), "float32")], [Tensor((3, 3), "float32")]),
}


# Each command that needs the operator has the same sentence with its remedy.
@pytest.mark.parametrize("operator", _MISSING)
def test_missing_operator_has_one_message(tflm, tmp_path, operator):
    options = {"options_table": "RandomOptions"} if operator == "MULTINOMIAL" else {}
    path = tmp_path / "model.tflite"
    path.write_bytes(single_op(operator, *_MISSING[operator], **options))
    wanted = f"tflm has no operator {operator}; {advice_for(operator)}"
    x = _MISSING[operator][0][0]
    np.save(tmp_path / "x.npy", np.zeros(x.shape, x.dtype))
    for words in (["flatten", "-o", tmp_path / "m.tflm"], ["run", "--input", tmp_path / "x.npy"]):
        said = tflm(words[0], path, *words[1:])
        assert said.code == 1 and wanted in said.err, (words, said.err)
    assert advice_for(operator) in " ".join(tflm("inspect", path).out.split())


# No remedy for an operator that tflm has.
def test_advised_operators_are_missing():
    assert not set(_ADVICE) & {op_names.name(code) for code in OPS}
