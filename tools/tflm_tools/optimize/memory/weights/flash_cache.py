# tflm_tools: estimates how many words of weights an RP2040 fetches again from its serial flash
# MIT license; Copyright (c) 2026 the tflm authors

# Cycles to read a word that is not in the cache: the flash runs at half the clock of the core, a
# word takes 20 of its clocks, and published times of a chip add about 8 cycles.
MISS = 48
_MEASURED_TARGET = "armv6m"  # other targets are taken to have no such cost
# The cache: 16 KB in two ways. It is taken to replace the line that was used longest ago. Of what
# maps to one set, then either everything stays in the cache or nothing does.
_CACHE_WAYS, _WAY_BYTES = 2, 8192
_LOOP_BYTES = 512  # code of a kernel's loop, which shares the cache with weights
# Between two bands, as bench/cycles.py measures banded models:
_BAND_CODE_BYTES, _STEP_BYTES = 7168, 112  # code, and code and record of each step, in the cache
_BAND_WORDS = 30  # words that are fetched beside weights
_EVICTED_WORDS = 700  # more of them if weights evict everything
_INPUT_ROW_WORDS = 150  # more of them for a band that requests rows of an input


def miss_of(target, miss=None):
    """Return the cycles to fetch a word of weights that is not in the cache.

    miss: the cycles to assume for the target armv6m, MISS by default; 0 for other targets.
    """
    if target != _MEASURED_TARGET:
        return 0
    return MISS if miss is None else miss


# The share of `words` that is evicted between two uses if `other_bytes` are read as well.
def _evicted_share(words, other_bytes):
    used_ways = (4 * words + other_bytes) / _WAY_BYTES
    return min(max((used_ways - _CACHE_WAYS) * (_CACHE_WAYS + 1) / used_ways, 0), 1)


def fetches(words, passes):
    """Return how often each word is fetched, on average, if a kernel goes over them in passes."""
    return 1 + _evicted_share(words, _LOOP_BYTES) * (passes - 1)


def cached_share(words, steps):
    """Return the share of a band's words of weights that the next band finds in the cache.

    words: weights of all steps of a band; steps: their number.
    """
    return 1 - _evicted_share(words, _BAND_CODE_BYTES + _STEP_BYTES * steps)


def other_words(share, requests_rows):
    """Return how many words beside weights a band fetches.

    share: cached_share() of the band. requests_rows: True if it requests rows of an input.
    """
    return _BAND_WORDS + _EVICTED_WORDS * (1 - share) + requests_rows * _INPUT_ROW_WORDS
