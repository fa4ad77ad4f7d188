# Kernel language: blocks of elements of binary operators, whose inputs are broadcast
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager
from pathlib import Path

from tflm import kernels

from ..language.viper import write_portable
from .outputs_dsp import clamp, join, requantize

_BROADCAST = Path(kernels.__file__).parent / "broadcast.py"


_SIZE, _LEVELS, _LENGTH, _OUTER_STRIDE = 0, 4, 8, 20  # bytes in a geometry


# Return the number of elements that expand() must write: on machines that copy words from any
# address, a period or four of a vector that is repeated, of a word at least.
def _first_period(k, geometry, count):
    left = k.var("elements", count)
    if k.machine.has_unaligned_loads:
        with k.If(geometry[_LEVELS] == 2), k.If(geometry[_OUTER_STRIDE] == 0):
            length = k.var("length", geometry[_LENGTH])
            with k.If(length < 4):
                length <<= 2
            left.set(left.min(length))
    return left


# Repeat the `period` bytes at a row up to `size` bytes.
def _repeat(k, row, period, size):
    source, to = k.var("source", row), k.var("to", row + period)
    end = row + size
    words_end = end - 3
    with k.While(lambda: to.below(words_end), "word"):
        to.put_next(source.next(k.reg()))
    with k.While(lambda: to.below(end), "byte"):
        to.put("u8", source.get("u8"))
        to += 1
        source += 1


@contextmanager
def blocks(k, record, arguments, start, stop):
    """Run operations for each block of elements; `start` changes.

    record: its layout begins with BROADCAST of prepare/broadcast.py. arguments: registers with
    op, arena and rom. Yields (addresses of both inputs, their steps in bytes, elements).
    """
    op, arena, rom = arguments
    steps = record.step1, record.step2
    sources = [record.operand(name, arena, rom) for name in ("input1", "input2")]
    size = record.block
    end = k.new_label("blocks_end")
    k.branch(start >= stop, end)
    with k.loop("block", times=4) as loop:
        count = k.var("count", (stop - start).min(size))
        inputs = []
        for i, (source, step) in enumerate(zip(sources, steps, strict=True)):
            x = k.var(f"x{i}", source + start * step)
            with k.If(getattr(record, f"expand{i + 1}") != 0):
                row = k.var("row", arena + getattr(record, f"row{i + 1}").lsr(2))
                geometry = op + (getattr(record, f"expand{i + 1}") << 2)
                left = _first_period(k, geometry, count)
                # Copies of registers that expand() changes.
                numbers = [k.const(i), k.var("first", start), k.var("left", left)]
                write_portable(k, _BROADCAST, "expand", k.machine, [op, arena, rom, *numbers])
                if k.machine.has_unaligned_loads:
                    _repeat(k, row, left * geometry[_SIZE], count * geometry[_SIZE])
                x.set(row)
            inputs.append(x)
        yield inputs, steps, count
        start += count
        loop.repeat_if(start < stop)
    k.label(end)


class Fours:
    """Elements of int8 by fours, with the DSP extension.

    record: its layout has an output_zero_point and limits. scale: multiplier and shift + 32 of the
    output. sums: a function that returns registers with the doubled sums of four outputs; its
    arguments are addresses of their inputs.
    """

    def __init__(self, k, record, scale, sums):
        self._k, self._sums = k, sums
        self._multiplier, shift = scale
        self._shift = k.var("shift", 32 - shift)  # negative: to the left
        self._zero_point = record.output_zero_point
        limits = record.activation_min, record.activation_max
        self._low, self._high = (k.var("limit", limit.field(0, 8) * 0x1010101) for limit in limits)
        self._scalars = k.reserve(8)

    def write(self, inputs, steps, output, count):
        """Write the outputs of fours of elements; `inputs` and `output` advance."""
        k = self._k
        fours_end = k.var("fours_end", output)
        with k.If(self._shift >= 0):
            fours_end += count & -4
            for i, (x, step) in enumerate(zip(inputs, steps, strict=True)):
                with k.If(step == 0):  # a word with four copies of the scalar
                    word = x.get("u8") * 0x1010101
                    x.set(self._scalars(4 * i))
                    x[0] = word
        with k.While(lambda: output.below(fours_end), "four"):
            sums = self._sums(*inputs)
            for x, step in zip(inputs, steps, strict=True):
                x += step << 2
            requantize(k, sums, self._multiplier, self._shift, self._zero_point)
            join(k, sums)
            clamp(k, sums[0], self._low, self._high)
            output[0] = sums[0]
            output += 4
