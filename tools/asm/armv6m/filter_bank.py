# Generator of the assembler kernels of SignalFilterBank and its spectral subtraction
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_filter_bank import LAYOUT as FILTER_BANK
from tflm.prepare.signal_filter_bank_spectral_subtraction import LAYOUT as SUBTRACTION

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, Thumb

_FILTER_BANK = """
Channels of SignalFilterBank. `r0` is the address of the record (LAYOUT in
prepare/signal_filter_bank.py), `r1` of the arena, `r2` of the model. `r3` is the first channel
<< 8 | the number of channels.
"""
_SUBTRACT_NOISE = """
Channels of SignalFilterBankSpectralSubtraction. `r0` is the address of the record (LAYOUT in
prepare/signal_filter_bank_spectral_subtraction.py), `r1` of the arena, `r2` of the model. `r3` is
the first channel << 8 | the number of channels.
"""
_POINTERS = FILTER_BANK[:7]
_BUFFERS = SUBTRACTION[:4]


# Store the addresses of the tensors `names`, the first words of the record at R0, in slots of
# these names. An odd word means that the tensor is in the model.
def _find_tensors(t, names):
    find, begin, found = map(t.new_label, ("find", "begin", "found"))
    t.b(begin)
    t.label(find)
    t.mov(R5, R2)
    t.lsr(R6, R4, 1)
    t.branch("cs", found)
    t.mov(R5, R1)
    t.label(found)
    t.lsr(R4, R4, 2)
    t.add(R4, R5)
    t.ret()
    t.label(begin)
    for i, name in enumerate(names):
        t.ldr(R4, R0, 4 + 4 * i)
        t.bl(find)
        t.store(R4, name)


# Advance the slot `name` by `amount` (a register).
def _advance(t, name, amount):
    t.load(R4, name)
    t.add(R4, amount)
    t.store(R4, name)


# Store the number of channels, the lowest byte of R3, in a slot. R3 becomes the first channel.
def _count(t):
    t.lsl(R4, R3, 24)
    t.lsr(R4, R4, 24)
    t.store(R4, "left")
    t.lsr(R3, R3, 8)


def _next(t, channel):
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch_far("ne", channel)


# R4:R3 += energies times the weights at R6, in the band that the tables describe at R7. The band
# is cut to the part that is within the tensors.
def _band(t):
    bins_fit, weights_fit, product, done = map(
        t.new_label, ("bins_fit", "weights_fit", "product", "done")
    )
    for to, name in ((R0, "frequency_starts"), (R1, "weight_starts"), (R2, "widths")):
        t.load(R5, name)
        t.ldrsh_at(to, R5, R7)
    for begin, size, fits in ((R0, "bins", bins_fit), (R1, "weights_size", weights_fit)):
        t.cmp(begin, 0)
        t.branch("lt", done)
        t.load(R5, size)
        t.sub(R5, begin)
        t.cmp(R2, R5)
        t.branch("le", fits)
        t.mov(R2, R5)
        t.label(fits)
    t.cmp(R2, 0)
    t.branch("le", done)
    t.load(R5, "input")
    t.lsl(R0, R0, 2)
    t.add(R0, R5)
    t.lsl(R1, R1, 1)
    t.add(R1, R6)
    t.label(product)
    t.ldrh(R5, R0)
    t.ldrh(R6, R0, 2)
    t.ldrh(R7, R1)
    t.sxth(R7, R7)
    t.mul(R5, R7)
    t.mul(R6, R7)
    t.asr(R7, R5, 31)
    t.add(R3, R5)
    t.adc(R4, R7)
    t.lsl(R7, R6, 16)
    t.asr(R6, R6, 16)
    t.add(R3, R7)
    t.adc(R4, R6)
    t.add(R0, 4)
    t.add(R1, 2)
    t.sub(R2, 1)
    t.branch("ne", product)
    t.label(done)
    t.ret()


# Slot "at": offset of the channel in the tables in bytes.
def filter_bank():
    slots = (*_POINTERS, "bins", "weights_size", "at", "left")
    t = Thumb("filter_bank", _FILTER_BANK, arguments=4, slots=slots)
    band, begin, channel = map(t.new_label, ("band", "begin", "channel"))
    _find_tensors(t, _POINTERS)
    for name in ("bins", "weights_size"):
        t.ldr(R4, R0, word_of(FILTER_BANK, name))
        t.store(R4, name)
    _count(t)
    t.lsl(R5, R3, 1)
    t.store(R5, "at")
    t.lsl(R5, R3, 3)
    _advance(t, "output", R5)
    t.b(begin)
    t.label(band)
    _band(t)
    t.label(begin)
    t.label(channel)
    t.mov(R3, 0)
    t.mov(R4, 0)
    t.load(R6, "unweights")
    t.load(R7, "at")
    t.bl(band)
    t.load(R6, "weights")
    t.load(R7, "at")
    t.add(R7, 2)
    t.store(R7, "at")
    t.bl(band)
    t.load(R5, "output")
    t.stm(R5, R3, R4)
    t.store(R5, "output")
    _next(t, channel)
    return t.text()


# R3:R4 = R0 * R1, unsigned; R3 is the upper word.
def _product(t):
    t.lsl(R2, R0, 16)
    t.lsr(R2, R2, 16)
    t.lsr(R0, R0, 16)
    t.lsr(R3, R1, 16)
    t.lsl(R1, R1, 16)
    t.lsr(R1, R1, 16)
    t.mov(R4, R2)
    t.mul(R4, R1)
    t.mul(R2, R3)
    t.mul(R3, R0)
    t.mul(R1, R0)
    t.add(R1, R2)
    t.mov(R2, 0)
    t.adc(R2, R2)
    t.lsl(R2, R2, 16)
    t.add(R3, R2)
    t.lsl(R2, R1, 16)
    t.lsr(R1, R1, 16)
    t.add(R4, R2)
    t.adc(R3, R1)
    t.ret()


# R0 = the lower word of R3:R4 shifted right. Shifts by 32 and more give 0; negative shifts count
# as large ones.
def _scale_back(t):
    t.load(R5, "spectral_subtraction_bits")
    t.mov(R0, R4)
    t.lsr(R0, R0, R5)
    t.mov(R1, 32)
    t.sub(R1, R5)
    t.mov(R2, R3)
    t.lsl(R2, R2, R1)
    t.two("orr", R0, R2)
    t.sub(R5, 32)
    t.lsr(R3, R3, R5)
    t.two("orr", R0, R3)
    t.ret()


# Store R0 at the address in the slot `name`, and advance the slot.
def _put(t, name):
    t.load(R2, name)
    t.stm(R2, R0)
    t.store(R2, name)


# r6: input; r7: the input shifted by the bits of smoothing, then without the noise. Slot
# "factors": address of smoothing and 1 - smoothing; slot "others": address of both for the next
# channel.
def subtract_noise():
    values = ("min_signal_remaining", "smoothing_bits", "spectral_subtraction_bits", "clamping")
    slots = (*_BUFFERS, *values, "factors", "others", "left")
    t = Thumb("subtract_noise", _SUBTRACT_NOISE, arguments=4, slots=slots)
    product, scale_back, begin, channel = map(
        t.new_label, ("product", "scale_back", "begin", "channel")
    )
    even, known, larger = map(t.new_label, ("even", "known", "larger"))
    _find_tensors(t, _BUFFERS)
    t.add(R0, 4)
    for name in values:
        t.ldr(R4, R0, 4 * SUBTRACTION.index(name))
        t.store(R4, name)
    _count(t)
    t.lsl(R5, R3, 2)
    for name in _BUFFERS:
        _advance(t, name, R5)
    t.add(R0, 4 * SUBTRACTION.index("smoothing"))
    t.mov(R1, R0)
    t.add(R1, 8)
    t.lsr(R3, R3, 1)
    t.branch("cc", even)
    t.mov(R2, R0)
    t.mov(R0, R1)
    t.mov(R1, R2)
    t.label(even)
    t.store(R0, "factors")
    t.store(R1, "others")
    t.b(begin)
    t.label(product)
    _product(t)
    t.label(scale_back)
    _scale_back(t)
    t.label(begin)
    t.label(channel)
    t.load(R0, "input")
    t.ldm(R0, R6)
    t.store(R0, "input")
    t.mov(R0, R6)
    t.load(R5, "smoothing_bits")
    t.lsl(R0, R0, R5)
    t.mov(R7, R0)
    t.load(R5, "factors")
    t.ldr(R1, R5)
    t.bl(product)
    t.mov(R8, R4)
    t.mov(R9, R3)
    t.load(R0, "noise")
    t.ldr(R0, R0)
    t.ldr(R1, R5, 4)
    t.bl(product)
    t.load(R1, "others")
    t.store(R1, "factors")
    t.store(R5, "others")
    t.mov(R1, R8)
    t.mov(R2, R9)
    t.add(R4, R1)
    t.adc(R3, R2)
    t.bl(scale_back)
    t.mov(R1, R0)  # subtract at most the input
    t.cmp(R0, R7)
    t.branch("ls", known)
    t.mov(R1, R7)
    t.load(R2, "clamping")
    t.cmp(R2, 0)
    t.branch("eq", known)
    t.mov(R0, R7)
    t.label(known)
    _put(t, "noise")
    _put(t, "noise_output")
    t.sub(R7, R1)
    t.load(R5, "smoothing_bits")
    t.lsr(R7, R7, R5)
    t.mov(R0, R6)
    t.load(R1, "min_signal_remaining")
    t.bl(product)
    t.bl(scale_back)
    t.cmp(R0, R7)
    t.branch("hi", larger)
    t.mov(R0, R7)
    t.label(larger)
    _put(t, "output")
    _next(t, channel)
    return t.text()
