# tflm: Sampler: chooses the next token from the logits of a language model.
# MIT license; Copyright (c) 2026 the tflm authors

import math

from ..errors import InputError, UnsupportedError

_FLOAT_STEP = 1 / 16  # the distance between two levels of float32 logits
_LEVELS = 256
_LARGEST_WEIGHT = 1 << 22
_LARGEST_SUM = 1 << 30


class Sampler:
    """Chooses a token at random, with the probabilities that the logits give.

    logits: the output Tensor of the model, int8 or float32. temperature: a higher one makes
    unlikely tokens more likely; 0 always chooses the likeliest one. top_k: choose among this many
    of the likeliest tokens, and those as likely as the last of them; 0: among all. seed: the same
    seed and text give the same choices. choose() allocates nothing.
    """

    def __init__(self, logits, temperature=0.8, top_k=0, seed=1):
        if logits.dtype not in ("int8", "float32"):
            raise UnsupportedError("logits of type %s; convert the model to int8" % logits.dtype)
        if temperature < 0 or top_k < 0:
            raise InputError("temperature and top_k are negative; give 0 or more")
        self._logits = logits.raw
        self._is_float = logits.dtype == "float32"
        self._size = len(logits.raw) // (4 if self._is_float else 1)
        self._greedy = 0 if temperature else 1
        self._top_k = top_k
        self._random = bytearray((seed * 69069 + 1 & 0x3FFFFFFF).to_bytes(4, "little"))
        self._levels = bytearray(self._size if self._is_float else 0)
        self._counts = bytearray(4 * _LEVELS)
        self._weights = bytearray(4 * _LEVELS)
        step = _FLOAT_STEP if self._is_float else logits.scale
        largest = min(_LARGEST_WEIGHT, _LARGEST_SUM // self._size)
        for i in range(_LEVELS if temperature else 0):
            weight = int(largest * math.exp(0 - i * step / temperature) + 0.5)
            self._weights[4 * i : 4 * i + 4] = weight.to_bytes(4, "little")

    def choose(self):
        """Return the number of the chosen token."""
        levels = self._logits
        if self._is_float:
            best = _to_levels(levels, self._levels, self._size)
            if self._greedy:
                return best
            levels = self._levels
        k = self._top_k
        if self._greedy:
            k = -1
        return _choose(levels, self._size, self._weights, self._counts, self._random, k)


# Write float32 logits as int8 levels, of which 127 is the largest logit and each step is 1/16.
# Return the number of the largest logit.
@micropython.viper
def _to_levels(source, target, size: int) -> int:
    x = ptr32(source)
    y = ptr8(target)
    best = 0
    top = 0
    passes = 0
    while passes < 2:
        i = 0
        while i < size:
            bits = x[i]
            # In 4096ths, exact enough for a choice; larger values do not occur.
            shift = (bits >> 23 & 255) - 138
            v = (bits & 0x7FFFFF) | 0x800000
            if shift > 6:
                shift = 6
            if shift > 0:
                v = v << shift
            elif shift < -24:
                v = 0
            else:
                v = v >> 0 - shift
            if bits >> 31 & 1:
                v = 0 - v
            if passes:
                v = top - v >> 8
                y[i] = 127 - (255 if v > 255 else v)
            elif not i or v > top:
                top = v
                best = i
            elif v == top:
                # Of equal 4096ths the bits decide: the larger magnitude, or the smaller if
                # negative.
                other = x[best]
                magnitude = (bits & 0x3FFFFFFF) - (other & 0x3FFFFFFF)
                if bits >> 31 & 1:
                    magnitude = 0 - magnitude
                if magnitude > 0:
                    best = i
            i += 1
        passes += 1
    return best


# Choose a token from int8 levels. k: the number of likeliest tokens, 0 for all, -1 for the first
# of the likeliest.
# 1. Count the tokens of each level. Level i, from 0 to 255, is the byte i ^ 0x80.
# 2. Add the weights of the levels, from the top one down to the level of the k-th likeliest token.
# 3. Take a random number below this total, and find its level and its token of this level.
@micropython.viper
def _choose(levels, size: int, weights, counts, state, k: int) -> int:
    n = ptr32(counts)
    _clear(counts)
    _count(counts, levels, 0, size)
    top = 255
    while not n[top ^ 0x80]:
        top -= 1
    if k < 0:
        return int(_nth(levels, top ^ 0x80, 0))
    w = ptr32(weights)
    total = int(_total(counts, weights, top, k if k else size))
    # Two steps of a linear congruential generator modulo 2**30 give 30 bits, from their upper
    # halves.
    s = ptr32(state)
    v = s[0] * 1664525 + 1013904223 & 0x3FFFFFFF
    rest = v >> 14 << 14
    v = v * 1664525 + 1013904223 & 0x3FFFFFFF
    s[0] = v
    rest = (rest | v >> 16) % total
    i = top
    v = n[i ^ 0x80] * w[0]
    while rest >= v:
        rest -= v
        i -= 1
        v = n[i ^ 0x80]
        if v:
            v = v * w[top - i]
    return int(_nth(levels, i ^ 0x80, rest // w[top - i]))


# On ARM, viper keeps the first three variables of a function in registers, which are its
# arguments. So the loops over tokens and levels are functions, and some have an argument that is
# only a variable.


@micropython.viper
def _clear(counts: ptr32):
    end = int(counts) + 1024
    while int(counts) < end:
        counts[0] = 0
        counts[1] = 0
        counts[2] = 0
        counts[3] = 0
        counts[4] = 0
        counts[5] = 0
        counts[6] = 0
        counts[7] = 0
        counts = ptr32(int(counts) + 32)


@micropython.viper
def _count(counts: ptr32, x: ptr8, v: int, size: int):
    while size > 3:
        v = x[0]
        counts[v] = counts[v] + 1
        v = x[1]
        counts[v] = counts[v] + 1
        v = x[2]
        counts[v] = counts[v] + 1
        v = x[3]
        counts[v] = counts[v] + 1
        x = ptr8(int(x) + 4)
        size -= 4
    while size:
        v = x[0]
        counts[v] = counts[v] + 1
        x = ptr8(int(x) + 1)
        size -= 1


# Return the weights of the `left` likeliest tokens, and those as likely as the last of them.
@micropython.viper
def _total(counts: ptr32, w: ptr32, level: int, left: int) -> int:
    total = 0
    while left > 0:
        v = counts[level ^ 0x80]
        if v:
            left -= v
            total += v * w[0]
        w = ptr32(int(w) + 4)
        level -= 1
        if level < 0:
            left = 0
    return total


# Return the token number `n`, from 0, of those with the byte `v`; there are more than `n`.
@micropython.viper
def _nth(x: ptr8, v: int, n: int) -> int:
    begin = int(x)
    while True:
        while x[0] != v:
            x = ptr8(int(x) + 1)
        if not n:
            return int(x) - begin
        n -= 1
        x = ptr8(int(x) + 1)
