# tflm: Run the steps of a small model with as little time between kernels as possible.
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import address_of
from .errors import ABORTED

_MAX_STEPS = const(32)  # between two checks for Ctrl-C
_MAX_UNITS = const(1023)  # that machine code can get as one integer (tools/asm/language/calls.py)


# Run steps from step `i` on, at most _MAX_STEPS. memory: of a Program. Return 0 after the last
# step, and otherwise the number of the next one, or -1 - k if Program.run_rest() must
#   run step k, which has several slices;
#   end, where k is the number of steps, because an operator ended the run.
# MicroPython's bytecode takes three times as long for a step.
@micropython.viper
def run_short(steps, i: int, memory) -> int:
    arena, rom, arena_at, rom_at, joined, length = memory
    count = int(length(steps))
    last = i + _MAX_STEPS
    if last > count:
        last = count
    words = 0
    if joined:
        joined_steps, run_joined, _, words_at = joined
        if steps is joined_steps:
            words = int(words_at)
    while i < last:
        if words:
            at = words + (i << 4)
            if ptr32(at)[0]:
                i = last - int(run_joined(at, arena_at, rom_at, last - i))
                if i > last:
                    return -1 - count
                continue
        function, record, units, slice_units = steps[i]
        most = int(slice_units)
        if most == 0:
            status = function(record, arena_at, rom_at, units)
        elif most < 0:
            if most + int(units) > 0:
                return -1 - i
            status = function(record, arena_at, rom_at, 0, units)
        else:
            if most < int(units):
                return -1 - i
            status = function(record, arena, rom, 0, units)
        if status:
            if status == ABORTED:
                return -1 - count
        i += 1
    if i < count:
        return i
    return 0


# Make a prepared Program ready to run. Steps whose functions are machine code get addresses, which
# are converted faster than buffers, if all are small integers of MicroPython: others take heap.
# code: {function of a step: the machine code that it calls with the first unit << 10 | number of
# units, or the function; None: join() of core_steps.py}.
def bind(program, code):
    memory = program.arena, program.rom
    addresses = address_of(program.arena), address_of(program.rom)
    is_small = max(addresses) < 1 << 30
    if not is_small:
        addresses = memory
    for number, steps in enumerate(program.graphs if code else ()):
        for i, (function, record, units, slice_units) in enumerate(steps):
            if isinstance(record, tuple):  # of run_banded()
                block = address_of(record[1]) if is_small else record[1]
                record = record[:6] + (block,) + addresses
            elif function in code:
                run = code[function]
                record = address_of(record) if is_small else record
                is_short = units <= min(slice_units, _MAX_UNITS) or number in program.bands
                slice_units = 0 if run is not function and is_short else 0 - slice_units
                function = function if slice_units else run
            steps[i] = function, record, units, slice_units
    joined = code[None](program.graphs[0], address_of) if is_small and None in code else None
    program.ready = program, program.graphs, memory + addresses + (joined, len), run_short
