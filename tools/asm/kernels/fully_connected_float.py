# Kernel of FULLY_CONNECTED, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.fully_connected_float import LAYOUT

from ..language.calls import begin_outputs
from ..language.macros import Record
from .products_float import compute_pixel, sums_of

_ABOUT = """
FULLY_CONNECTED, float32. Units are outputs. op: LAYOUT of prepare/fully_connected_float.py.
"""


# 1. For each vector of inputs:
# 2. For a few channels at a time: sum up the products, write the outputs.
def eval_float32(machine):
    k, start, stop = begin_outputs("eval_float32", _ABOUT, machine, LAYOUT)
    op, arena, rom, *_ = k.arguments
    r = Record(k, op, LAYOUT)
    at_once = sums_of(machine).single[0]
    depth, channels, row = r.depth, r.channels, k.reg("row")
    step = k.var("channel_bytes", depth << 2)
    k.emit("divu", [row], [start, channels])
    channel = k.var("channel", start - row * channels)
    x = k.var("vector", r.operand("input", arena, rom) + row * step)
    y = k.var("to", r.operand("output", arena, rom) + (start << 2))
    weights, bias = r.operand("weights", arena, rom), r.optional_operand("bias", arena, rom)
    left = k.var("units_left", stop - start)
    limits = op, r.offset("activation_min")
    with k.loop("vector", 2) as vectors:
        count = k.var("channels_left", (channels - channel).min(left))
        left -= count
        w, b = k.var("weights_at", weights + channel * step), k.var("bias_at", bias)
        with k.If(bias != 0):
            b += channel << 2
        with k.loop("channels") as loop:
            compute_pixel(
                k, x, (w, step), count, lambda sums: sums.add(depth),
                lambda sums: sums.store([y], count, b, limits),
            )  # fmt: skip
            done = k.var("done", count.min(at_once))
            w += step * at_once
            y += done << 2
            with k.If(bias != 0):
                b += 4 * at_once
            count -= done
            loop.repeat_if(count != 0)
        x += step
        channel.set(0)
        vectors.repeat_if(left != 0)
    return k.finish()
