# Runs compiled kernels in the interpreter, with a record and its memory
# MIT license; Copyright (c) 2026 the tflm authors

from fuzz.kernel_tracer import ARENA, RECORD, ROM

from tools.asm import compiled
from tools.asm.language.interpreter import InterpretedMachine, Memory, run

_KERNELS = {}  # {(kernel, machine): Kernel}


def translated(kernel, like):
    """Return the Kernel of "file.function" for the interpreter, as the machine class `like`."""
    key = kernel, like.name
    if key not in _KERNELS:
        file, _, function = kernel.partition(".")
        _KERNELS[key] = compiled.kernel_of(file, function, InterpretedMachine(like))
    return _KERNELS[key]


def run_translated(kernel, like, record, arena, rom):
    """Run all units of a checked Record in two slices; only its operands are in memory."""
    operands = {"record": (RECORD, record.table(0, record.words), False)}
    for number, (start, stop) in record.ranges.items():
        if record[number] & 1:
            operands[f"operand {number}"] = ROM + start, rom[start:stop], False
        else:
            data = memoryview(arena)[start:stop]
            operands[f"operand {number}"] = ARENA + start, data, True
    half, code = record.units // 2, translated(kernel, like)
    for start, stop in ((0, half), (half, record.units)):
        if start < stop:
            last = units(like, start, stop, code.output, record, arena)
            run(code, Memory(operands), *(RECORD, ARENA, ROM), *last)


def units(machine, start, stop, output, record, arena):
    """Return the last arguments of a call of compiled code for units start to stop - 1.

    output: Kernel.output; the first output becomes `stop`.
    """
    if machine.max_arguments > 4:
        return start, stop
    if not output:
        return (start << 10 | stop - start,)
    at = (record[output] >> 2) + 4 * start
    arena[at : at + 4] = stop.to_bytes(4, "little")
    return (start,)


def without_scratch(record, arena):
    """Return the arena without scratch buffers: kernels may leave anything there."""
    data = bytearray(arena)
    for number in record.scratch:
        start, stop = record.ranges[number]
        data[start:stop] = bytes(stop - start)
    return data
