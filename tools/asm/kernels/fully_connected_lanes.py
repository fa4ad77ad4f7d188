# Kernel of FULLY_CONNECTED, int8, with weights in lanes, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_lanes import FULLY_CONNECTED
from tflm.prepare.lanes import GROUP, SCRATCH_WORDS

from ..language.calls import begin_eval
from ..language.macros import Record
from .lanes import unpack_row
from .lanes_multiply import MULTIPLIERS

_ABOUT = """
FULLY_CONNECTED, int8, with weights in lanes (prepare/lanes.py). Units are groups of four output
channels. op: FULLY_CONNECTED of prepare/conv_lanes.py.
"""


def eval_int8(machine):
    k, start, stop = begin_eval("eval_int8", _ABOUT, machine)
    op, arena, rom, *_ = k.arguments
    r = Record(k, op, FULLY_CONNECTED)
    # The last group may be incomplete. It is written to spare memory first.
    spare = r.operand("scratch", arena, rom)
    lanes = k.var("lanes", spare + 4 * SCRATCH_WORDS)
    window, widened = k.var("window", r.depth_lanes << 1), k.var("group", 0)
    with k.If(r.weight_bytes == 1):
        widened.set(lanes + window)
    step = k.const(GROUP)
    multiplier = MULTIPLIERS[machine.name](k, r, window, window, step, widened)
    first, source = k.var("first", start << 2), r.operand("input", arena, rom)
    to = k.var("to", r.operand("output", arena, rom) + first)
    channels, depth, batches = r.output_channels, r.depth, r.batches
    stream = k.var("stream", r.operand("stream", arena, rom) + start * multiplier.group_bytes)
    with k.loop("batch", times=1) as batch:
        unpack_row(k, k.var("word", source), depth, k.var("unpacked", lanes))
        at, output = k.var("at", stream), k.var("output", to)
        left = k.var("channels_left", channels.min(stop << 2) - first)
        with k.loop("group", times=8) as group:
            multiplier.next_group(at)
            inputs, out = k.var("inputs", lanes), k.var("out", output)
            with k.If(left < GROUP):
                out.set(spare)
            multiplier.enter(inputs)
            multiplier.pixel(inputs, out)
            with k.If(left < GROUP):
                written = k.var("written", spare)
                with k.loop("rest", times=2) as rest:
                    output.put("u8", written.get("u8"))
                    output += 1
                    written += 1
                    left -= 1
                    rest.repeat_if(left != 0)
                group.leave()
            output += GROUP
            left -= GROUP
            group.repeat_if(left != 0)
        source += depth
        to += channels
        batches -= 1
        batch.repeat_if(batches != 0)
    return k.finish()
