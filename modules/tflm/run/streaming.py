# tflm: weights that come from flash while the core computes: the delegate Streaming, for an RP2040
# MIT license; Copyright (c) 2026 the tflm authors

# A word that is read from serial flash takes 44 cycles or more, in which the core stands still.
# The XIP block reads words in order by itself, too, and DMA puts them into RAM: while the weights
# of some channels are multiplied, those of the next ones are on their way.

import sys
from array import array

import micropython
from micropython import const

from ..arena import address_of
from ..micropython_port import struct

_KERNEL = "fully_connected_lanes.eval_int8"
_FLASH = const(0x10000000)
_FLASH_END = const(0x14000000)
_LEAST_BYTES = const(2048)  # of a piece
_REQUEST = const(37)  # of the stream, to DMA

# Words of the kernel's record.
_STREAM = const(2)
_DEPTH_LANES = const(6)
_WEIGHT_BYTES = const(9)
_HEAD_BYTES = const(64)  # of a group of four channels, before its weights

# What a step has in place of its record.
_JOB_FUNCTION = const(0)
_JOB_RECORD = const(1)
_JOB_NUMBERS = const(2)

# Its numbers. Addresses of registers are shifted, for a word of a list may be no more than 2^30.
_GROUP_BYTES = const(0)
_PIECE = const(1)  # groups
_WEIGHTS = const(2)  # address in flash
_WORD = const(3)  # the same as an operand
_BUFFERS = const(4)  # address of the first of two
_BUFFER_BYTES = const(5)
_KEPT = const(6)  # groups that are in RAM for good
_KEPT_AT = const(7)  # their address
_DMA = const(8)  # address of the channel >> 4
_CONTROL = const(9)

# Registers by their words: of a DMA channel, and of the XIP block.
_READ = const(0)
_WRITE = const(1)
_COUNT = const(2)
_TRIGGER = const(3)
_BUSY = const(0x1000000)
_XIP = const(0x14000000)
_STATUS = const(2)
_EMPTY = const(2)
_STREAM_ADDRESS = const(5)
_STREAM_COUNT = const(6)
_STREAM_FIFO = const(7)
_FIRST_CHANNEL = const(0x05000000)  # registers of DMA, >> 4; each channel has 64 bytes
_PORT = const(0x05040000)  # where DMA takes the words, >> 4
_ABORT = const(0x05000044)  # register that ends what channels do, >> 4
_PATIENCE = const(100000)  # looks at a channel, some 10 ms: pieces take less than one


# Whether nobody else has the stream; then no word of an earlier one is left in it.
@micropython.viper
def _is_free() -> int:
    xip = ptr32(_XIP)
    if xip[_STREAM_COUNT]:
        return 0
    while not xip[_STATUS] & _EMPTY:
        xip[_STREAM_FIFO]
    return 1


# End what does not come.
@micropython.viper
def _give_up(p: ptr32):
    ptr32(_XIP)[_STREAM_COUNT] = 0
    port = _ABORT
    ptr32(port << 4)[1] = 1 << (p[_DMA] - _FIRST_CHANNEL >> 2)


# Run groups with their weights in flash.
@micropython.viper
def _run_in_place(job, arena, rom, first: int, stop: int):
    ptr32(job[_JOB_RECORD])[_STREAM] = ptr32(job[_JOB_NUMBERS])[_WORD]
    job[_JOB_FUNCTION](job[_JOB_RECORD], arena, rom, first, stop)


# Run a piece of the groups that are in RAM, from `first` on; returns what is next.
@micropython.viper
def _run_kept(job, arena, rom, first: int, last: int) -> int:
    p = ptr32(job[_JOB_NUMBERS])
    if last > first + p[_PIECE]:
        last = first + p[_PIECE]
    r = ptr32(job[_JOB_RECORD])
    r[_STREAM] = p[_KEPT_AT] - int(ptr8(arena)) << 2
    job[_JOB_FUNCTION](job[_JOB_RECORD], arena, rom, first, last)
    return last


# Eval of groups of channels: a piece that has come from flash while the next one comes; those in
# RAM where that takes longer. Nothing is on its way when it returns. Where somebody else streams,
# or stops the stream, weights are read in place.
@micropython.viper
def _eval(job, arena, rom, start: int, stop: int):
    p = ptr32(job[_JOB_NUMBERS])
    record = job[_JOB_RECORD]
    function = job[_JOB_FUNCTION]
    r = ptr32(record)
    xip = ptr32(_XIP)
    channel = ptr32(p[_DMA] << 4)
    port = _PORT
    port = port << 4
    base = int(ptr8(arena))
    group_bytes = p[_GROUP_BYTES]
    kept = start  # the next group that is in RAM, up to the first that is not
    following = p[_KEPT]
    if following < start:
        following = start
    if following > stop:
        following = stop
    last_kept = following
    if not int(_is_free()):
        _run_in_place(job, arena, rom, following, stop)
        following = stop
    first = 0  # of the piece that has come, in `address`
    groups = 0
    address = 0
    buffer = p[_BUFFERS]
    while following < stop or groups:
        coming = stop - following
        if coming > p[_PIECE]:
            coming = p[_PIECE]
        if coming:
            words = coming * group_bytes >> 2
            channel[_READ] = port
            channel[_WRITE] = buffer
            channel[_COUNT] = words
            channel[_TRIGGER] = p[_CONTROL]
            xip[_STREAM_ADDRESS] = p[_WEIGHTS] + following * group_bytes
            xip[_STREAM_COUNT] = words
        if groups:
            r[_STREAM] = address - first * group_bytes - base << 2
            function(record, arena, rom, first, first + groups)
        patience = _PATIENCE
        while channel[_TRIGGER] & _BUSY and patience:
            patience -= 1
            if kept < last_kept:
                kept = int(_run_kept(job, arena, rom, kept, last_kept))
        if not patience:
            _give_up(job[_JOB_NUMBERS])
            _run_in_place(job, arena, rom, following, stop)
            following = stop
            coming = 0
        first = following
        groups = coming
        following += coming
        address = buffer
        buffer = p[_BUFFERS] + (p[_BUFFERS] + p[_BUFFER_BYTES] - buffer)
    while kept < last_kept:
        kept = int(_run_kept(job, arena, rom, kept, last_kept))


# What runs a step.
class _Streamed:
    def __init__(self, owner, step, numbers, record):
        self.name = "streaming." + step.kernel
        self.invoke = _eval  # no method: binding one takes heap
        self.units = step.units
        self.slice_units = step.slice_units
        self.record = [step.function, record, numbers]
        self._owner = owner

    def free(self):
        self._owner.release()


# Groups of a piece, so large that it is worth its call.
def _piece_groups(group_bytes):
    return (_LEAST_BYTES - 1) // group_bytes + 1


# Layers whose weights lie in flash: [(list, number, step, bytes of a group, address, operand)].
def _found(context):
    found = []
    rom = address_of(context.rom)
    for number in range(context.lists_length()):
        for i, step in enumerate(context.steps(number)):
            if step.kernel != _KERNEL or step.is_ordered:
                continue
            words = struct.unpack_from("<10I", step.record)
            at = rom + (words[_STREAM] >> 2)
            if words[_STREAM] & 1 and _FLASH <= at < _FLASH_END:
                group_bytes = _HEAD_BYTES + 4 * words[_WEIGHT_BYTES] * words[_DEPTH_LANES]
                if step.units * group_bytes > 2 * _LEAST_BYTES and step.units > 1:
                    found.append((number, i, step, group_bytes, at, words[_STREAM]))
    return found


class Streaming:
    """A delegate: weights of FULLY_CONNECTED come from an RP2040's flash while it computes.

    kept: bytes of these weights that are copied to RAM, of each layer its share. It takes a DMA
    channel and the stream of the XIP block until Interpreter.free(), and heap: `kept`, and twice
    the weights of four channels, at least 2 KB. One for each Interpreter. The results are the
    same bytes. Where something else has the stream or all channels, the model runs without it,
    and a line says so (docs/how-to/faster.md).
    """

    name = "streaming"

    def __init__(self, kept=0):
        self.kept = kept
        self._dma = None
        self._memory = None

    def prepare(self, context):
        if "RP2040" not in sys.implementation._machine:
            raise OSError("only an RP2040 streams weights")
        import rp2

        found = _found(context)
        if not found:
            return
        if _left():
            raise OSError("something else reads the stream of the XIP block")
        self._dma = rp2.DMA()
        try:
            self._claim(context, found)
        except BaseException:
            self.release()
            raise

    # Memory for all steps: two buffers, what is kept, and their records.
    def _claim(self, context, found):
        piece = max(
            [_piece_groups(group_bytes) * group_bytes for _, _, _, group_bytes, _, _ in found]
        )
        total = sum([step.units * group_bytes for _, _, step, group_bytes, _, _ in found])
        shares = []
        for _, _, step, group_bytes, _, _ in found:
            whole = step.units * group_bytes
            shares.append(min(step.units, self.kept * whole // total // group_bytes))
        kept_bytes = sum([n * each[3] for n, each in zip(shares, found)])
        record_bytes = sum([step.record_bytes + 3 & ~3 for _, _, step, _, _, _ in found])
        memory = bytearray(2 * piece + kept_bytes + record_bytes)
        self._memory = view = memoryview(memory)
        begin = address_of(memory)
        control = self._dma.pack_ctrl(
            size=2, inc_read=False, inc_write=True, treq_sel=_REQUEST, irq_quiet=True
        )
        channel = _FIRST_CHANNEL + 4 * self._dma.channel
        at = 2 * piece
        for n, (number, i, step, group_bytes, weights, word) in zip(shares, found):
            kept_at = at
            offset = (word >> 2) + n * group_bytes
            view[at : at + n * group_bytes] = context.rom[word >> 2 : offset]
            at += n * group_bytes
            record = view[at : at + step.record_bytes]
            record[:] = step.record
            at += step.record_bytes + 3 & ~3
            numbers = (group_bytes, _piece_groups(group_bytes), weights, word, begin, piece, n,
                       begin + kept_at, channel, control)  # fmt: skip
            kernel = _Streamed(self, step, array("I", numbers), record)
            context.replace(kernel, i, 1, number)

    # Give the channel back.
    def release(self):
        if self._dma is not None:
            self._dma.close()
            self._dma = None


# How many words somebody is still to get of the stream.
@micropython.viper
def _left() -> int:
    return ptr32(_XIP)[_STREAM_COUNT]
