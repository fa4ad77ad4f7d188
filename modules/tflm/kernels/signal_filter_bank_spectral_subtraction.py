# tflm: SignalFilterBankSpectralSubtraction
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint32; package signal; check filter_bank

_INPUT = const(1)
_OUTPUT = const(2)
_NOISE_OUTPUT = const(3)
_NOISE = const(4)
_SMOOTHING = const(5)  # and 1 minus it, then both for odd channels
_MIN_SIGNAL_REMAINING = const(9)
_SMOOTHING_BITS = const(10)
_SPECTRAL_SUBTRACTION_BITS = const(11)
_CLAMPING = const(12)


# Units are channels. With s = input << smoothing_bits
#
#   noise = s * smoothing + noise * (1 - smoothing)  (64 bits, shifted back to 32)
#   output = max(max(s - noise, 0) shifted back, input * min_signal_remaining)
#
# Two rounds with 64 bits in four parts of 16: one for the noise and one for that minimum. Each
# adds products of 32 bits; words are read as halves, so that no number is negative.
@micropython.viper
def eval_uint32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    a = int(arena)
    word = op[_INPUT]
    source = (int(rom) if word & 1 else a) + (word >> 2)
    bits = op[_SMOOTHING_BITS]
    i = start
    while i < stop:
        x = ptr16(source + 4 * i)
        noise = ptr16(a + (op[_NOISE] >> 2) + 4 * i)
        low = x[0]
        high = x[1]
        v = (high << 16 | low) << bits
        low = v & 0xFFFF
        high = v >> 16 & 0xFFFF
        estimate_low = 0
        estimate_high = 0
        f = ptr16(int(op) + (_SMOOTHING + 2 * (i & 1) << 2))
        terms = 2
        while terms:
            if terms == 2:
                v = low
                w = high
            else:
                v = x[0]
                w = x[1]
            r0 = v * f[0]
            r1 = r0 >> 16 & 0xFFFF
            r0 = r0 & 0xFFFF
            k = v * f[1]
            r1 += k & 0xFFFF
            r2 = k >> 16 & 0xFFFF
            k = w * f[0]
            r1 += k & 0xFFFF
            r2 += k >> 16 & 0xFFFF
            k = w * f[1]
            r2 += k & 0xFFFF
            r3 = k >> 16 & 0xFFFF
            if terms == 2:
                v = noise[0]
                w = noise[1]
                k = v * f[2]
                r0 += k & 0xFFFF
                r1 += k >> 16 & 0xFFFF
                k = v * f[3]
                r1 += k & 0xFFFF
                r2 += k >> 16 & 0xFFFF
                k = w * f[2]
                r1 += k & 0xFFFF
                r2 += k >> 16 & 0xFFFF
                k = w * f[3]
                r2 += k & 0xFFFF
                r3 += k >> 16 & 0xFFFF
            r1 += r0 >> 16
            r2 += r1 >> 16
            r3 += r2 >> 16
            k = op[_SPECTRAL_SUBTRACTION_BITS]
            while k > 15:
                r0 = r1
                r1 = r2
                r2 = r3
                r3 = 0
                k -= 16
            r0 = ((r1 & 0xFFFF) << 16 - k | (r0 & 0xFFFF) >> k) & 0xFFFF
            r1 = ((r2 & 0xFFFF) << 16 - k | (r1 & 0xFFFF) >> k) & 0xFFFF
            if terms == 2:
                noise[0] = r0
                noise[1] = r1
                if r1 > high or (r1 == high and r0 > low):
                    r0 = low
                    r1 = high
                    if op[_CLAMPING]:
                        noise[0] = r0
                        noise[1] = r1
                estimate_low = r0
                estimate_high = r1
                f = ptr16(int(op) + (_MIN_SIGNAL_REMAINING << 2))
            terms -= 1
        # The difference, shifted back; then the larger of both.
        low -= estimate_low
        high = high - estimate_high + (low >> 16)
        low = low & 0xFFFF
        k = bits
        if k > 15:
            low = high
            high = 0
            k -= 16
        low = (high << 16 - k | low >> k) & 0xFFFF
        high = high >> k
        if r1 > high or (r1 == high and r0 > low):
            low = r0
            high = r1
        ptr32(a + (op[_OUTPUT] >> 2))[i] = high << 16 | low
        ptr32(a + (op[_NOISE_OUTPUT] >> 2))[i] = noise[1] << 16 | noise[0]
        i += 1
