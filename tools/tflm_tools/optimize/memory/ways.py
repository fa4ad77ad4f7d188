# tflm_tools: which ways to run a region in bands are looked at
# MIT license; Copyright (c) 2026 the tflm authors

from .paces import Paces

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)
_LOW = (1, 2)  # where rows are made anew, to take least


def ways_of(region):
    """Iterate over the ways to run a Region in bands: (Paces, way in it, whether rows lie apart).

    Apart: in memory of their own, those that bands keep for later ones.
    """
    ways = region.paces(_HEIGHTS)
    if ways:
        paces = Paces(region, ways)
        led = {way: where for way, *where in paces.led()}
        for way in range(len(ways)):
            for where in filter(None, ((paces, way), led.get(way))):
                yield from ((*where, False), (*where, True))
    low = region.paces(_LOW)
    found = [Paces(region, low, anew) for anew in region.anew()] if low else []
    for way in range(len(low)):
        yield from ((paces, way, False) for paces in found)
