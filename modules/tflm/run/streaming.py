# tflm: Streaming: a delegate that fetches weights from an RP2040's flash during computation.
# MIT license; Copyright (c) 2026 the tflm authors

# A core waits 44 cycles or more for a word of serial flash. The XIP block can also read words in
# order by itself, and DMA stores them in RAM: while the core multiplies the weights of some
# channels, the weights of the next channels arrive.

import gc
import sys
from array import array

import micropython
from micropython import const

from ..arena import address_of
from ..micropython_port import struct

_LANES = "fully_connected_lanes.eval_int8"
_DENSE = "dense.eval_bytes"
_FLASH = const(0x10000000)
_FLASH_END = const(0x14000000)
_MIN_PIECE_BYTES = const(1024)
_REQUEST = const(37)  # DMA request number of the stream

# Words of the kernels' records, and the bytes of a group of four channels beside its weights.
_STREAM = const(2)
_DENSE_DEPTH = const(5)
_DENSE_GROUP = const(36)
_DEPTH_LANES = const(6)
_WEIGHT_BYTES = const(9)
_LANES_GROUP = const(64)

# Items of the list that a step has in place of its record.
_JOB_FUNCTION = const(0)
_JOB_RECORD = const(1)
_JOB_NUMBERS = const(2)

# Numbers of a job. Register addresses are shifted: an item of a list may not be above 2^30.
_GROUP_BYTES = const(0)
_PIECE = const(1)  # groups of a piece
_WEIGHTS = const(2)  # address in flash
_WORD = const(3)  # the same address as an operand word
_BUFFERS = const(4)  # address of the first of two buffers
_BUFFER_DISTANCE = const(5)  # bytes to the second one
_KEPT = const(6)  # groups whose weights stay in RAM
_KEPT_AT = const(7)  # their address
_DMA = const(8)  # address of the channel >> 4
_CONTROL = const(9)

# Registers, as numbers of words, of a DMA channel and of the XIP block.
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
_PORT = const(0x05040000)  # register with the words of the stream, >> 4
_ABORT = const(0x05000044)  # register that ends channels, >> 4
_MAX_POLLS = const(100000)  # of a channel, some 10 ms; a piece takes less than 1 ms


# Return 1 if nobody uses the stream, and drop words that an earlier one left.
@micropython.viper
def _is_free() -> int:
    xip = ptr32(_XIP)
    if xip[_STREAM_COUNT]:
        return 0
    while not xip[_STATUS] & _EMPTY:
        xip[_STREAM_FIFO]
    return 1


# End a transfer that does not finish.
@micropython.viper
def _give_up(p: ptr32):
    ptr32(_XIP)[_STREAM_COUNT] = 0
    port = _ABORT
    ptr32(port << 4)[1] = 1 << (p[_DMA] - _FIRST_CHANNEL >> 2)


# Run groups with weights in flash.
@micropython.viper
def _run_in_place(job, arena, rom, first: int, stop: int):
    ptr32(job[_JOB_RECORD])[_STREAM] = ptr32(job[_JOB_NUMBERS])[_WORD]
    job[_JOB_FUNCTION](job[_JOB_RECORD], arena, rom, first, stop)


# Run groups with weights in RAM.
@micropython.viper
def _run_kept(job, arena, rom, first: int, stop: int):
    p = ptr32(job[_JOB_NUMBERS])
    ptr32(job[_JOB_RECORD])[_STREAM] = p[_KEPT_AT] - int(ptr8(arena)) << 2
    job[_JOB_FUNCTION](job[_JOB_RECORD], arena, rom, first, stop)


# Eval of groups of channels: while a piece arrives from flash, compute the piece before it, or
# groups whose weights are in RAM. No transfer is active when it returns. If somebody else uses or
# stops the stream, weights are read in place.
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
    kept = start  # the next group with weights in RAM
    following = p[_KEPT]
    if following < start:
        following = start
    if following > stop:
        following = stop
    last_kept = following
    if not int(_is_free()):
        _run_in_place(job, arena, rom, following, stop)
        following = stop
    first = 0  # first group of the piece at `address`
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
        polls = _MAX_POLLS
        while channel[_TRIGGER] & _BUSY and polls:
            polls -= 1
            # A word takes about twice as long to arrive as to be multiplied.
            if kept < last_kept and 8 * channel[_COUNT] > group_bytes:
                _run_kept(job, arena, rom, kept, kept + 1)
                kept += 1
        if not polls:
            _give_up(job[_JOB_NUMBERS])
            _run_in_place(job, arena, rom, following, stop)
            following = stop
            coming = 0
        first = following
        groups = coming
        following += coming
        address = buffer
        buffer = p[_BUFFERS] + (p[_BUFFERS] + p[_BUFFER_DISTANCE] - buffer)
    if kept < last_kept:
        _run_kept(job, arena, rom, kept, last_kept)


# The kernel of this delegate.
class _Streamed:
    def __init__(self, owner, step, numbers, record):
        self.name = "streaming." + step.kernel
        self.invoke = _eval  # a function: binding a method allocates heap
        self.units = step.units
        self.slice_units = step.slice_units
        self.record = [step.function, record, numbers]
        self._owner = owner

    def free(self):
        self._owner.release()


# Return the groups of a piece: enough that its transfer is worth a call.
def _piece_groups(group_bytes):
    return (_MIN_PIECE_BYTES - 1) // group_bytes + 1


# Return the bytes of a group of four channels of a step; 0 if its weights cannot be streamed.
def _group_bytes(step):
    words = struct.unpack_from("<10I", step.record)
    if step.kernel == _DENSE:
        return _DENSE_GROUP + 4 * words[_DENSE_DEPTH]
    if step.kernel == _LANES:
        return _LANES_GROUP + 4 * words[_WEIGHT_BYTES] * words[_DEPTH_LANES]
    return 0


# Return the layers with weights in flash: [(list, number, step, group bytes, address, operand)].
def _layers(context):
    layers = []
    rom = address_of(context.rom)
    for number in range(context.lists_length()):
        for i, step in enumerate(context.steps(number)):
            if step.is_ordered or step.record_bytes < 40:
                continue
            word = struct.unpack_from("<I", step.record, 4 * _STREAM)[0]
            at = rom + (word >> 2)
            group_bytes = _group_bytes(step)
            whole = step.units * group_bytes
            is_large = step.units > 1 and whole > 2 * _MIN_PIECE_BYTES
            if is_large and word & 1 and _FLASH <= at < _FLASH_END:
                layers.append((number, i, step, group_bytes, at, word))
    return layers


class Streaming:
    """A delegate that fetches weights of FULLY_CONNECTED from an RP2040's flash while it computes.

    kept: bytes of these weights to copy to RAM, shared out among the layers as far as the heap has
    them.

    Until Interpreter.free() it uses a DMA channel, the stream of the XIP block, and heap: `kept`,
    about 0.4 KB for each layer, and twice the weights of four channels, at least 2 KB. Use one
    Streaming for each Interpreter. Results do not change. If the stream or all DMA channels are in
    use, a line is printed and the model runs without it (docs/how-to/faster.md).
    """

    name = "streaming"

    def __init__(self, kept=0):
        self.kept = kept
        self._dma = None
        self._memory = None

    def prepare(self, context):
        if "RP2040" not in sys.implementation._machine:
            raise OSError("only an RP2040 streams weights; leave Streaming out")
        import rp2

        layers = _layers(context)
        if not layers:
            return
        gc.collect()
        if _left():
            raise OSError("another program reads the stream of the XIP block; end it")
        self._dma = rp2.DMA()
        try:
            self._claim(context, layers)
        except BaseException:
            self.release()
            raise

    # Allocate two buffers for all steps, and kept weights and a record for each. None of these is
    # large, because the arena has left the heap in pieces.
    def _claim(self, context, layers):
        piece = max(
            [_piece_groups(group_bytes) * group_bytes for _, _, _, group_bytes, _, _ in layers]
        )
        total = sum([step.units * group_bytes for _, _, step, group_bytes, _, _ in layers])
        self._memory = [bytearray(piece), bytearray(piece)]
        first, second = map(address_of, self._memory)
        distance = second - first & 0xFFFFFFFF
        control = self._dma.pack_ctrl(
            size=2, inc_read=False, inc_write=True, treq_sel=_REQUEST, irq_quiet=True
        )
        channel = _FIRST_CHANNEL + 4 * self._dma.channel
        for number, i, step, group_bytes, weights, word in layers:
            whole = step.units * group_bytes
            n = min(step.units, self.kept * whole // total // group_bytes)
            at = (word >> 2) + n * group_bytes
            try:
                kept = bytearray(context.rom[word >> 2 : at])
            except MemoryError:
                n, kept = 0, self._memory[0]
            self._memory.append(kept)
            numbers = (group_bytes, _piece_groups(group_bytes), weights, word, first,
                       distance, n, address_of(kept), channel, control)  # fmt: skip
            kernel = _Streamed(self, step, array("I", numbers), bytearray(step.record))
            context.replace(kernel, i, 1, number)

    # Release the DMA channel.
    def release(self):
        if self._dma is not None:
            self._dma.close()
            self._dma = None


# Return how many words of the stream are still to come.
@micropython.viper
def _left() -> int:
    return ptr32(_XIP)[_STREAM_COUNT]
