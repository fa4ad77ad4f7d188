# Kernel language: blocks of elements of binary operators, whose inputs are broadcast
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager
from pathlib import Path

from tflm import kernels

from ..language.viper import write_portable

_BROADCAST = Path(kernels.__file__).parent / "broadcast.py"


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
                # Copies of registers that expand() changes.
                numbers = [k.const(i), k.var("first", start), k.var("left", count)]
                write_portable(k, _BROADCAST, "expand", k.machine, [op, arena, rom, *numbers])
                x.set(arena + getattr(record, f"row{i + 1}").lsr(2))
            inputs.append(x)
        yield inputs, steps, count
        start += count
        loop.repeat_if(start < stop)
    k.label(end)
