# tflm: extents: an operator that is made up
# MIT license; Copyright (c) 2026 the tflm authors


def _mirror_bits(r):
    r.reads(1, r.units)
    r.writes(2, r.units)


CHECKS = {"mirror_bits.eval_int8": _mirror_bits}
