# tflm_tools: which ways to run a region in bands are looked at
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import product

from .progress import Progress

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)
_LOW = (1, 2)  # where rows are made anew, to take least


def ways_of(region):
    """Iterate over the ways to run a Region in bands, as Progresses, with no rows kept apart."""
    for pace in region.paces(_HEIGHTS):
        progress = Progress(region, *pace)
        yield from filter(None, (progress, progress.led()))
    for pace, anew in product(region.paces(_LOW), region.anew()):
        yield Progress(region, *pace, anew=anew)
