# tflm: RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL: Prepare (not in TFLM; LiteRT random_ops.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import FLOAT_WORK, check, check_dtype, check_outputs
from .fill import constant_shape

LAYOUT = ("output", "scratch", "state", "elements", "seed", "seed_high", "seed2", "seed2_high")
LAYOUT += ("minus_two", "two_pi")

_OPTIONS = const(114)  # RandomOptions
_SEED = const(0)
_SEED2 = const(1)
_RANDOM_STANDARD_NORMAL = const(146)
_MINUS_TWO = 0xC0000000  # float32 numbers
_TWO_PI = 0x40C90FDB
_UNIFORM_WORK = 64  # of a number, in multiply-accumulates
_NORMAL_WORK = 40 * FLOAT_WORK
_MASK = 0xFFFFFFFF


def output_shapes(node):
    return [constant_shape(node, node.input(0))]


# Return the two words of a seed. LiteRT keeps 32 bits of it and their sign.
def _words(seed):
    seed &= _MASK
    return seed, (_MASK if seed >> 31 else 0)


# Four numbers at a time, from Philox with the seeds as key and start of the counter. An invoke
# continues after the numbers of the one before it. Seeds of zero are used like others, where
# LiteRT takes random seeds.
def prepare(context, node):
    target = node.output(0)
    check_dtype(node, target, dtypes.FLOAT32)
    check_outputs(node, output_shapes(node))
    check(len(target.shape) > 0, node, "%s is a scalar" % target)
    elements = target.elements()
    if not elements:
        return
    options = node.options(_OPTIONS)
    seed, seed_high = _words(options.get(_SEED, "q"))
    seed2, seed2_high = _words(options.get(_SEED2, "q"))
    is_normal = node.builtin_code == _RANDOM_STANDARD_NORMAL
    context.emit(
        "random_float." + ("eval_normal" if is_normal else "eval_uniform"),
        LAYOUT,
        (elements + 3) // 4,
        elements * (_NORMAL_WORK if is_normal else _UNIFORM_WORK),
        output=target,
        scratch=context.request_scratch_buffer(32),
        state=context.allocate_state(8),
        elements=elements,
        seed=seed,
        seed_high=seed_high,
        seed2=seed2,
        seed2_high=seed2_high,
        minus_two=_MINUS_TWO,
        two_pi=_TWO_PI,
    )
