# Tests of REVERSE_SEQUENCE, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()


def _reverse(shape, along, batch, dtype="float32", lengths="int32", count=None):
    inputs = [Tensor(shape, dtype), Tensor((count or shape[batch],), lengths)]
    options = {"seq_dim": along, "batch_dim": batch}
    return single_op("REVERSE_SEQUENCE", inputs, [Tensor(shape, dtype)], **options)


for shape, along, batch in [
    ((3, 4), 1, 0),
    ((4, 3), 0, 1),
    ((3, 4, 2), 1, 0),
    ((2, 4, 3, 2), 1, 2),
    ((4, 2, 3, 2), 0, 3),
    ((2, 3, 1), 0, 1),
]:
    for dtype, lengths in [("float32", "int32"), ("int32", "int64"), ("uint8", "int32")]:
        cases.add(
            f"{dtype} {lengths} {shape} along {along} batch {batch}",
            _reverse(shape, along, batch, dtype, lengths),
            ranges={1: (0, shape[along])},
            expected=litert.outputs,
        )
cases.add(
    "lengths outside",
    _reverse((3, 2), 1, 0),
    inputs=[[[[1, 2], [3, 4], [5, 6]], [9, -1, 1]]],
    expected=[[[[2, 1], [3, 4], [5, 6]]]],
)
cases.add("same axis", _reverse((3, 2), 1, 1), error="both axes are 1")
cases.add("too few lengths", _reverse((3, 2), 1, 0, count=2), error="should have shape")


@litert.needs_litert
@cases.parametrize
def test_reverse_sequence(case):
    case.check()
