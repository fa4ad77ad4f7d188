# tflm: attention of a language model over the positions that are filled, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check attention

from .requantize import store_int8

_QUERY = const(1)
_KEYS = const(2)
_VALUES = const(3)
_POSITION = const(4)
_OUTPUT = const(5)
_EXPS = const(6)
_SCRATCH = const(7)
_POSITIONS = const(8)
_SIZE = const(9)
_GROUP = const(10)
_NEWTON_START = const(11)
_NEWTON_SLOPE = const(12)
_SCORE_ZERO_POINT = const(13)
_OUTPUT_ZERO_POINT = const(20)

_BLOCK = const(32)  # sums at a time


# Units are heads: BATCH_MATMUL of a query with the keys, SELECT_V2 with the lowest value after the
# position, SOFTMAX, and BATCH_MATMUL with the values.
# 1. Scores of the positions up to `position`, 32 at a time.
# 2. The sum of exps, from a table by the difference to the largest score. All later positions have
#    the lowest score, so that their share is one product.
# 3. The weight of each position, and of the lowest score. If this is 0, as it nearly always is,
#    later positions do not count; else they all get it.
# 4. Sums of values times weights.
#
# scratch: 32 sums, then a byte for each position and 4 more. Queries, keys, values and scratch are
# at addresses that are multiples of 4.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    positions = r[_POSITIONS]
    size = r[_SIZE]
    sums = base + (r[_SCRATCH] >> 2)
    scores = sums + 4 * _BLOCK
    exps = ptr32(int(ptr8(rom)) + (r[_EXPS] >> 2))
    word = r[_POSITION]
    x = ptr32((int(ptr8(rom)) if word & 1 else base) + (word >> 2))
    filled = ((x[0] << sign) >> sign) + 1
    if filled < 0:
        filled = 0
    if filled > positions:
        filled = positions
    while start < stop:
        offset = start // r[_GROUP] * positions * size
        # 1.
        query = base + (r[_QUERY] >> 2) + start * size
        p = ptr8(base + (r[_KEYS] >> 2) + offset)
        done = 0
        while done < filled:
            count = filled - done
            if count > _BLOCK:
                count = _BLOCK
            y = ptr32(sums)
            k = count
            while k:
                acc = 0
                q = ptr8(query)
                n = size
                while n:
                    acc += ((p[0] ^ 0x80) - 0x80) * ((q[0] ^ 0x80) - 0x80)
                    acc += ((p[1] ^ 0x80) - 0x80) * ((q[1] ^ 0x80) - 0x80)
                    acc += ((p[2] ^ 0x80) - 0x80) * ((q[2] ^ 0x80) - 0x80)
                    acc += ((p[3] ^ 0x80) - 0x80) * ((q[3] ^ 0x80) - 0x80)
                    p = ptr8(int(p) + 4)
                    q = ptr8(int(q) + 4)
                    n -= 4
                y[0] = acc
                y = ptr32(int(y) + 4)
                k -= 1
            target = scores - base + done
            store_int8(op, arena, _SCORE_ZERO_POINT, sums - base, target, 0, count)
            done += count
        # 2.
        top = 0
        p = ptr8(scores)
        k = filled
        while k:
            v = p[0] ^ 0x80
            if v > top:
                top = v
            p = ptr8(int(p) + 1)
            k -= 1
        v = exps[top]
        total = ((v >> 12) + (v >> 11 & 1)) * (positions - filled)
        p = ptr8(scores)
        k = filled
        while k:
            v = exps[top - (p[0] ^ 0x80)]
            total += (v >> 12) + (v >> 11 & 1)
            p = ptr8(int(p) + 1)
            k -= 1
        # The reciprocal of the sum, as in kernels/softmax.py: Newton's division on half of the
        # doubled sum.
        half = total
        shift = 34
        while not half >> 30:
            half = half << 1
            shift -= 1
        acc = 0
        rest = (r[_NEWTON_SLOPE] << sign) >> sign
        step = 0
        while step < 7:
            v = half
            m = rest
            if step & 1:
                m = acc
            elif step:
                v = acc
            n = v >> 16
            v = v & 0xFFFF
            k = m & 0xFFFF
            m = m >> 16
            a = v * m
            b = n * k + (v * k >> 16 & 0xFFFF)
            v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * m << 1)
            if not step:
                acc = r[_NEWTON_START] + v
            elif step & 1:
                rest = 0x20000000 - v
            else:
                acc = (v << 2) + acc
            step += 1
        if acc >> 30:
            acc = 1
            acc = (acc << 31) - 1
        else:
            acc = acc << 1
        if shift > 31:
            shift = 31
            acc = 0
        high = acc >> 16
        low = acc & 0xFFFF
        # 3. The entry after the filled ones is the weight of the lowest score.
        p = ptr8(scores)
        p[filled] = 0x80
        k = filled + 1
        while k:
            v = exps[top - (p[0] ^ 0x80)]
            if v:
                if sign:
                    v = (v * acc >> 30) + 1 >> 1
                else:
                    n = v >> 16
                    v = v & 0xFFFF
                    a = v * high
                    b = n * low + (v * low >> 16 & 0xFFFF)
                    v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (n * high << 1)
                v = (v >> shift - 1) + 1 >> 1
                if v > 255:
                    v = 255
            p[0] = v
            p = ptr8(int(p) + 1)
            k -= 1
        p = ptr8(scores)
        count = filled
        v = p[filled]
        if v:
            while count < positions:
                p[count] = v
                count += 1
        # Weights of 0 up to a multiple of 4.
        p[count] = 0
        p[count + 1] = 0
        p[count + 2] = 0
        count = count + 3 >> 2
        # 4.
        target = (r[_OUTPUT] >> 2) + start * size
        offset += base + (r[_VALUES] >> 2)
        done = 0
        while done < size:
            k = size - done
            if k > _BLOCK:
                k = _BLOCK
            done += k
            y = ptr32(sums)
            n = k
            while n:
                acc = 0
                p = ptr8(scores)
                q = ptr8(offset)
                m = count
                while m:
                    acc += ((q[0] ^ 0x80) - 0x80) * p[0]
                    acc += ((q[1] ^ 0x80) - 0x80) * p[1]
                    acc += ((q[2] ^ 0x80) - 0x80) * p[2]
                    acc += ((q[3] ^ 0x80) - 0x80) * p[3]
                    p = ptr8(int(p) + 4)
                    q = ptr8(int(q) + 4)
                    m -= 1
                y[0] = acc
                y = ptr32(int(y) + 4)
                offset += positions
                n -= 1
            store_int8(op, arena, _OUTPUT_ZERO_POINT, sums - base, target, 0, k)
            target += k
        start += 1
