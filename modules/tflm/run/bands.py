# tflm: Run a chain of operators band by band, with a record that changes from band to band.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import damaged
from ..micropython_port import struct

# The table after the words of a banded record (flatten writes it, access_checks/bands.py checks
# it) starts with halfwords: byte offsets, from the start of the record, of
#   the segments, at _SEGMENTS; the list of growths, at _SEGMENTS + 1; then a list of deltas for
#   each band.
# A segment is a word: the first step after it, << 24, less 256, plus the number of times that its
# steps run: once for each group of channels. A 0 ends the segments.
_SEGMENTS = const(8)

# A step of a chain has the layout of its record, negated, in place of its units:
#   words of the record << 8 | _SHARED_TAIL | end of the packed words.
# The first _FIRST_WORDS words are stored whole, the packed words two to a word, the rest (the
# tail) whole. With _SHARED_TAIL an earlier record has the same tail; the word after the packed
# words says how many words back that tail is.
_FIRST_WORDS = const(7)
_PACKED_END = const(127)
_SHARED_TAIL = const(128)

# A delta is a word: step << 24 | word of its record << 17 | value to add + _BIAS. A growth has the
# same fields; its value is multiplied by the number of the band, counted from the middle band, or,
# if bit 0 of the value is set, by the number of the group after that bit is cleared.
_STEP = const(1 << 24)
_WORD = const(17)
_MAX_WORD = const(127)
_VALUE = const(0x1FFFF)
_BIAS = const(0x10000)
_HALF_BIAS = const(0x8000)
_MAX_UNITS = const(1023)  # that machine code can get as one integer
_GROUPS = const(255)


# Eval of a banded step; a unit is a band. For each step of the chain:
#   1. Compute its units in this band: the record's, plus the first delta if it is for word 0.
#   2. If there are units, copy its record to the block, unpacking the packed words.
#   3. Add the deltas of the band, then the growths.
#   4. Call the kernel with the block as its record (short_steps.py says how).
# Steps of small models are so short that this loop can take half of their time. It allocates
# nothing, while a function in bytecode would allocate its frame for each band. No operator of a
# chain ends the run. Ctrl-C works between bands.
# `source` and `target` arrive as arena and model, which `bands` holds as well. They are parameters
# because viper keeps parameters in registers, but not its other locals.
@micropython.viper
def run_banded(bands, source: ptr32, target: ptr32, start: int, stop: int):
    deltas, block, steps, number, arena, rom, block_at, arena_at, rom_at = bands
    target = ptr32(block)
    table = int(ptr32(deltas))
    starts = ptr16(table)
    band = start - (starts[0] >> 1)
    delta = ptr32(table + starts[_SEGMENTS + 2 + start])
    growth = ptr32(table + starts[_SEGMENTS + 1])
    segment = ptr32(table + starts[_SEGMENTS])
    last = 0
    while segment[0]:
        first = last
        first_delta = delta
        first_growth = growth
        group = 0
        while group - (segment[0] & _GROUPS):
            last = first
            delta = first_delta
            growth = first_growth
            while last < segment[0]:
                function, record, layout, slice_units = steps[last >> 24]
                start = delta[0] - last  # 1.
                if start >> _WORD:
                    start = _BIAS
                source = ptr32(record)
                start += source[0] - _BIAS
                if start:  # 2.
                    words = 0 - int(layout)
                    packed_end = words & _PACKED_END
                    value = _FIRST_WORDS - packed_end >> 1
                    if words & _SHARED_TAIL:
                        value -= source[packed_end + value]
                    words >>= 8
                    value += (words - packed_end) * group
                    while words - packed_end:
                        words -= 1
                        target[words] = source[words + value]
                    while words - _FIRST_WORDS:
                        words -= 1
                        target[words] = ptr16(source)[words + _FIRST_WORDS] - _HALF_BIAS
                    while words:
                        words -= 1
                        target[words] = source[words]
                last += _STEP
                which = 0
                times = 1
                while which - 2:  # 3.: deltas, then growths
                    while delta[0] < last:
                        words = delta[0] >> _WORD & _MAX_WORD
                        value = (delta[0] & _VALUE) - _BIAS
                        factor = times
                        if value & which:
                            value -= 1
                            factor = group
                        target[words] = target[words] + value * factor
                        delta = ptr32(int(delta) + 4)
                    source = delta
                    delta = growth
                    growth = source
                    times = band
                    which += 1
                if start:  # 4.
                    which = int(slice_units)
                    if which > 0:
                        function(block, arena, rom, 0, start)
                    elif which:
                        function(block_at, arena_at, rom_at, 0, start)
                    else:
                        while which < start:
                            words = start - which
                            if words > _MAX_UNITS:
                                words = _MAX_UNITS
                            function(block_at, arena_at, rom_at, which << 10 | words)
                            which += words
            group += 1
        segment = ptr32(int(segment) + 4)


# Return what run_banded() gets in place of its record. The record: the number of bands, the
# operand of the block that holds one record of the chain at a time, the list of steps of the
# chain, the words of the block, and the table.
def bind(program, number, record):
    _, block, chain, words = struct.unpack_from("<4I", record)
    if not number < chain < len(program.graphs) or chain in program.bands:
        raise damaged("its bands are wrong")
    program.calls.setdefault(number, []).append(chain)
    program.bands.add(chain)
    at = block >> 2
    memory = program.arena[at : at + 4 * words]
    buffers = memory, program.arena, program.rom
    return (record, memory, program.graphs[chain], chain) + buffers[1:] + buffers
