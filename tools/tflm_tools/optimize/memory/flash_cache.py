# tflm_tools: the cache of a serial flash: how much of what is read again and again stays there
# MIT license; Copyright (c) 2026 the tflm authors

# Cycles that a word takes from the serial flash of an RP2040 when it is not in the cache: it is
# read at half the clock of the core, 20 clocks a word, and published times of a chip add some 8
# cycles.
MISS = 48
_MEASURED = "armv6m"  # the target that all this is for
# The cache has 16 KB in two ways. It is taken to drop what was used longest ago: what lies at one
# of its places stays there, all or nothing.
_WAY_BYTES, _WAYS = 8192, 2
_LOOP_BYTES = 512  # code of the loop of a kernel, which shares it with weights
# From one band to the next, as bench/cycles.py measures models in bands: bytes of code and of
# the record of each step, which get in the way of weights; words that are fetched beside weights,
# more where these are lost, and for a band that asks for rows of an input.
_BAND_BYTES, _STEP_BYTES = 7168, 112
_BAND_WORDS, _LOST_WORDS, _ROWS_WORDS = 30, 700, 150


def miss_of(target, miss=None):
    """What a word of weights costs on boards of a target: `miss`, or what is usual there."""
    if target != _MEASURED:
        return 0
    return MISS if miss is None else miss


# The share of so many words that is lost when as many bytes more are read between two times.
def _lost(words, others):
    ways = (4 * words + others) / _WAY_BYTES
    return min(max((ways - _WAYS) * (_WAYS + 1) / ways, 0), 1)


def fetches(words, times):
    """How often words are fetched that a kernel goes over so many times."""
    return 1 + _lost(words, _LOOP_BYTES) * (times - 1)


def kept(words, steps):
    """The share of all words of weights of a band of so many steps that the next one finds."""
    return 1 - _lost(words, _BAND_BYTES + _STEP_BYTES * steps)


def others(share, has_rows):
    """Words beside weights that a band fetches, where kept() is `share`; has_rows: it asks for
    rows of an input."""
    return _BAND_WORDS + _LOST_WORDS * (1 - share) + has_rows * _ROWS_WORDS
