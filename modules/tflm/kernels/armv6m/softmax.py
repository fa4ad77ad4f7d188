# tflm: SOFTMAX, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py armv6m` from kernels/softmax.py:
# change that, not this.

_INPUT = const(1)
_OUTPUT = const(2)
_EXPS = const(3)
_DEPTH = const(4)
_OUTPUT_BITS = const(5)
_MULTIPLIER = const(6)
_SHIFT = const(7)
_LARGEST_DIFFERENCE = const(8)
_SLOTS = const(9)

# The table behind the record.
_EXP_MINUS_EIGHTH = const(10)
_ONE_THIRD = const(11)
_EXP_POWERS = const(12)
_NEWTON_START = const(19)
_NEWTON_SLOPE = const(20)


# exp(-`r2`) to the word at `r1`: gemmlowp's exp_on_negative_values, which prepare/fixed_point.py
# explains. `r0` is the address of a record of SOFTMAX.
@micropython.asm_thumb
def exp(r0, r1, r2):
    mov(r4, r8)
    mov(r5, r9)
    mov(r6, r10)
    mov(r7, r11)
    push({r4, r5, r6, r7})
    data(2, 0xB080)  # sub sp, #0
    b(begin_2)
    label(times_1)
    asr(r3, r2, 16)
    lsl(r2, r2, 16)
    lsr(r2, r2, 16)
    asr(r1, r0, 16)
    lsl(r0, r0, 16)
    lsr(r0, r0, 16)
    mov(r4, r0)
    mul(r4, r3)
    mul(r0, r2)
    lsr(r0, r0, 16)
    mul(r3, r1)
    mul(r1, r2)
    add(r0, r0, r1)
    mov(r1, 1)
    and_(r1, r0)
    and_(r1, r4)
    asr(r4, r4, 1)
    asr(r0, r0, 1)
    add(r0, r0, r4)
    add(r0, r0, r1)
    mov(r1, 32)
    lsl(r1, r1, 8)
    add(r0, r0, r1)
    asr(r0, r0, 14)
    lsl(r3, r3, 1)
    add(r0, r0, r3)
    data(2, 0x4770)  # bx lr
    label(begin_2)
    mov(r5, r0)
    mov(r9, r1)
    ldr(r1, [r5, 28])
    lsl(r2, r1)
    neg(r0, r2)
    ldr(r2, [r5, 24])
    bl(times_1)
    cmp(r0, 0)
    bne(series_3)
    mov(r0, 1)
    lsl(r0, r0, 31)
    sub(r0, 1)
    b(done_6)
    # the part below 1/4, less 1/4; then 1/8 more, to which the series belongs
    label(series_3)
    lsl(r1, r0, 8)
    lsr(r1, r1, 8)
    mov(r2, 1)
    lsl(r2, r2, 24)
    sub(r1, r1, r2)
    sub(r3, r1, r0)
    mov(r8, r3)
    lsl(r6, r1, 5)
    lsl(r2, r2, 4)
    add(r6, r6, r2)
    mov(r0, r6)
    mov(r2, r6)
    bl(times_1)
    mov(r7, r0)
    mov(r2, r6)
    bl(times_1)
    mov(r10, r0)
    mov(r0, r7)
    mov(r2, r7)
    bl(times_1)
    # a quarter of x ** 4, rounded by the carry, and x ** 3
    mov(r1, r10)
    lsr(r0, r0, 2)
    adc(r0, r1)
    ldr(r2, [r5, 44])
    bl(times_1)
    # half of that and x ** 2, rounded, and x
    add(r0, r0, r7)
    asr(r1, r0, 31)
    add(r0, r0, r1)
    asr(r0, r0, 1)
    adc(r0, r6)
    ldr(r2, [r5, 40])
    bl(times_1)
    ldr(r2, [r5, 40])
    add(r0, r0, r2)
    mov(r6, r8)
    lsl(r6, r6, 1)
    lsr(r6, r6, 25)
    beq(done_6)
    add(r5, 48)
    label(power_4)
    lsr(r6, r6, 1)
    bcc(without_5)
    ldr(r2, [r5, 0])
    bl(times_1)
    label(without_5)
    add(r5, 4)
    cmp(r6, 0)
    bne(power_4)
    label(done_6)
    mov(r1, r9)
    str(r0, [r1, 0])
    data(2, 0xB000)  # add sp, #0
    pop({r4, r5, r6, r7})
    mov(r8, r4)
    mov(r9, r5)
    mov(r10, r6)
    mov(r11, r7)
    mov(r0, 0)


# Units are rows. Twice over a row: the sum of exps, then each exp divided by it. An exp depends
# only on the difference to the row's largest value, so that a slice makes each once, in a slot of
# its own; what has none shares the last slot and is made again each time.
#
# scratch: word 0 is the sum, then its reciprocal; the slots follow, with bit 31 set while empty.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    word = r[_INPUT]
    source = int(ptr8(rom)) if word & 1 else int(ptr8(arena))
    source += (word >> 2) + start * depth
    bits = r[_OUTPUT_BITS]
    target = int(ptr8(arena)) + (r[_OUTPUT] >> 2) + start * depth * (bits >> 3)
    scratch = ptr32(int(ptr8(arena)) + (r[_EXPS] >> 2))
    largest = r[_LARGEST_DIFFERENCE]
    last = r[_SLOTS]
    empty = 1
    empty = empty << 31
    n = last
    while n:
        scratch[n] = empty
        n -= 1
    # A slot past the last difference is never shared.
    shared = last if largest >= last else last + 1
    while start < stop:
        x = ptr8(source)
        top = 0
        n = depth
        while n:
            v = x[0] ^ 0x80
            if v > top:
                top = v
            x = ptr8(int(x) + 1)
            n -= 1
        total = 0
        factor = 0
        shift = 0
        dividing = 0
        while dividing < 2:
            if dividing:
                scratch[0] = total
                # 31 bits behind the point become those of the output, the doubling undone.
                shift = 43 - bits - int(_invert(op, arena))
                factor = scratch[0]
                if shift > 31:
                    shift = 31
                    factor = 0
            x = ptr8(source)
            left = depth
            while left:
                difference = top - (x[0] ^ 0x80)
                x = ptr8(int(x) + 1)
                v = 0
                if difference <= largest:
                    n = difference + 1
                    if n >= shared:
                        n = shared
                        scratch[n] = empty
                    if scratch[n] >> 31 & 1:
                        exp(int(r), int(scratch) + 4 * n, difference)
                    v = scratch[n]
                if not dividing:
                    total += (v >> 12) + (v >> 11 & 1)
                else:
                    n = v >> 16
                    v = v & 0xFFFF
                    m = factor >> 16
                    k = factor & 0xFFFF
                    a = v * m
                    b = n * k + (v * k >> 16 & 0xFFFF)
                    v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
                    v = (v >> shift - 1) + 1 >> 1
                    n = 1
                    n = n << bits
                    if v >= n:
                        v = n - 1
                    v -= n >> 1
                    if bits == 8:
                        ptr8(target)[0] = v
                    else:
                        ptr16(target)[0] = v
                    target += bits >> 3
                left -= 1
            dividing += 1
        source += depth
        start += 1


# Word 0 of the scratch buffer becomes the reciprocal of what it was, scaled up to 1/2 .. 1; how
# often the sum was doubled for that is returned. TFLM's GetReciprocal: Newton's division on half
# of the doubled sum, as in prepare/fixed_point.py.
@micropython.viper
def _invert(op, arena) -> int:
    r = ptr32(op)
    scratch = ptr32(int(ptr8(arena)) + (r[_EXPS] >> 2))
    sign = 0x20000000
    sign = sign << 3 >> 27
    half = scratch[0]
    doubled = 0
    if half >> 31 & 1:
        half = (half >> 1 & 0x3FFFFFFF) + 0x20000000 + 0x20000000
    else:
        doubled = 1
        while not half >> 30:
            half = half << 1
            doubled += 1
    x = 0
    rest = (r[_NEWTON_SLOPE] << sign) >> sign
    step = 0
    while step < 7:
        # Even steps multiply x, or half, by `rest`, odd ones make a new `rest`.
        v = half
        m = rest
        if step & 1:
            m = x
        elif step:
            v = x
        n = v >> 16
        v = v & 0xFFFF
        k = m & 0xFFFF
        m = m >> 16
        a = v * m
        b = n * k + (v * k >> 16 & 0xFFFF)
        v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
        if not step:
            x = r[_NEWTON_START] + v
        elif step & 1:
            rest = 0x20000000 - v
        else:
            x = (v << 2) + x
        step += 1
    # One integer bit less; 1.0 itself saturates.
    m = 1
    m = (m << 31) - 1
    if x >> 30:
        x = m
    else:
        x = x << 1
    scratch[0] = x
    return doubled
