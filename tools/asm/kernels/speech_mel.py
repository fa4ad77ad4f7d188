# Mel filters of tflm.speech in the kernel language, for machines with the upper word of a product
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.calls import begin_function

_ABOUT = "filter_mels() of speech/mel.py: a product is the upper word of the shifted factors."


def _filter_mels(machine):
    names = ("work", "target", "source", "ranges", "weights", "count")
    k, arguments = begin_function("filter_mels", _ABOUT, names, machine)
    work, target, source, ranges, weight, count = arguments
    to, powers = k.var("to", work + (target << 2)), k.var("powers", work + (source << 2))
    end = k.var("end", to + (count << 2))
    with k.While(lambda: to.below(end), "filter", times=32):
        power = k.var("power", powers + (ranges.get("u16") << 2))
        last = k.var("last", power + (ranges.get("u16", 2) << 2))
        ranges += 4
        total = k.var("total", 0)
        with k.While(lambda: power.below(last), "weight", times=16):
            total += (power[0] << 1).mulhu(weight.get("u16") << 16)
            power += 4
            weight += 2
        to.put("w", total)
        to += 4
    return k.finish()


WRITTEN = {("filter_mels", name): _filter_mels for name in ("armv7em", "rv32imc", "xtensawin")}
