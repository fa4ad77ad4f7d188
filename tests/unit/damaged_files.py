# Damages files at random, in the same way at each run
# MIT license; Copyright (c) 2026 the tflm authors

import random
import struct

_WORDS = (0, 1, 2, 4, 0x7F, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)


# Return a damaged copy: bytes or words overwritten, and sometimes the end cut off.
def damaged_copy(data, rng):
    damaged = bytearray(data)
    kind = rng.randrange(4)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if kind == 0:
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        elif kind == 1:
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        elif kind == 2:
            at = rng.randrange(len(damaged) // 4) * 4
            struct.pack_into("<I", damaged, at, rng.choice(_WORDS))
        else:
            at = rng.randrange(len(damaged) // 2) * 2
            struct.pack_into("<H", damaged, at, rng.choice(_WORDS) & 0xFFFF)
    if rng.random() < 0.05:
        del damaged[rng.randrange(len(damaged)) :]
    return bytes(damaged)


# Return `count` damaged copies of a file.
def damaged_copies(data, seed, count):
    rng = random.Random(seed)
    return [damaged_copy(data, rng) for _ in range(count)]
