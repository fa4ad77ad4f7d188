# tflm: SignalPCAN: per-channel amplitude normalization
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint32; package signal; check filter_bank

_INPUT = const(1)
_NOISE = const(2)
_GAINS = const(3)
_OUTPUT = const(4)
_SNR_SHIFT = const(5)
_INTERVALS = const(6)


# Units are channels.
#
# 1. The gain for the noise: a parabola in each power of two, x = the ten bits after the highest.
# 2. snr = input * gain >> snr_shift: 64 bits, of which 32 are kept; the gain may be negative.
# 3. snr * snr / 4 below 2, and snr - 1 from there on: 12 fractional bits in, 6 out.
@micropython.viper
def eval_uint32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits: this shift cuts them to 32.
    sign = 0x20000000
    sign = sign << 3 >> 27
    a = int(arena)
    b = int(rom)
    word = op[_INPUT]
    x = ptr16((b if word & 1 else a) + (word >> 2) + 4 * start)
    word = op[_NOISE]
    noise = ptr16((b if word & 1 else a) + (word >> 2) + 4 * start)
    word = op[_GAINS]
    gains = ptr16((b if word & 1 else a) + (word >> 2))
    y = ptr32(a + (op[_OUTPUT] >> 2) + 4 * start)
    left = stop - start
    while left:
        low = noise[0]
        high = noise[1]
        if not high and low < 3:
            gain = (gains[low] ^ 0x8000) - 0x8000
        else:
            k = 16 if high else 0
            v = high if high else low
            while v:
                v = v >> 1
                k += 1
            if k > op[_INTERVALS]:
                k = op[_INTERVALS]
            if k < 11:
                v = low << 11 - k & 0x3FF
            else:
                v = (high << 16 | low) >> k - 11 & 0x3FF
            k = 4 * k - 6
            gain = ((gains[k + 2] ^ 0x8000) - 0x8000) * v >> 5
            gain += (gains[k + 1] ^ 0x8000) - 0x8000 << 5
            gain = (gain * v + 0x4000 << sign) >> sign + 15
            gain += gains[k]
            gain = (gain & 0xFFFF ^ 0x8000) - 0x8000
        # The product as four parts of 16 bits; the last two only have the sign.
        v = x[0] * gain
        k = x[1] * gain
        low = v & 0xFFFF
        v = (v >> 16) + (k & 0xFFFF)
        k = (k >> 16) + (v >> 16)
        v = v & 0xFFFF
        if gain < 0:
            # TFLM multiplies by the gain as an unsigned word: 2**32 more.
            k += x[0]
            w = x[1] + (k >> 16)
        else:
            w = k >> 16
        n = op[_SNR_SHIFT]
        while n > 15:
            low = v
            v = k & 0xFFFF
            k = w
            w = 0
            n -= 16
        low = ((v & 0xFFFF) << 16 - n | low >> n) & 0xFFFF
        high = ((k & 0xFFFF) << 16 - n | (v & 0xFFFF) >> n) & 0xFFFF
        if not high and low < 8192:
            y[0] = low * low >> 20
        else:
            y[0] = (high << 10 | low >> 6) - 64
        x = ptr16(int(x) + 4)
        noise = ptr16(int(noise) + 4)
        y = ptr32(int(y) + 4)
        left -= 1
