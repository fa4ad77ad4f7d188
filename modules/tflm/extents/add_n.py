# tflm: extents: ADD_N, int8
# MIT license; Copyright (c) 2026 the tflm authors


# Where several records make one sum, those of all elements are kept, else those of a block.
def _add_n(r):
    inputs, step = r[11], r[12]
    (block,) = r.numbers(16, 1)
    r.need(1 <= inputs <= 8 and step in (0, 4))
    for i in range(3, 3 + inputs):
        r.reads(i, r.units)
    r.writes(2, 4 * (r.units if step else min(block, r.units)), align=4)
    r.writes(1, r.units)
    r.requantize(17, 1)
    r.need(not r[20])


CHECKS = {"add_n.eval_int8": _add_n}
