# The measuring bench: lines that an RP2350 fetches from flash for a model's weights
# MIT license; Copyright (c) 2026 the tflm authors

# RP2350 datasheet, 4.4: 16 KB in two ways, lines of 8 bytes, which are fetched whole. Of two lines
# the one that was used longer ago goes, as for the RP2040 (firmware/emulator/xip.mjs).

_WAYS, _LINE = 2, 8
_SETS = (16 << 10) // (_WAYS * _LINE)


class Lines:
    """A cache of flash; `fetched` counts its lines."""

    def __init__(self):
        self.fetched = 0
        self._older = [-1] * _SETS
        self._newer = [-1] * _SETS

    def read(self, address, size):
        """Note a read of `size` bytes."""
        for line in range(address // _LINE, (address + size - 1) // _LINE + 1):
            place = line % _SETS
            if self._newer[place] == line:
                continue
            if self._older[place] != line:
                self.fetched += 1
            self._older[place] = self._newer[place]
            self._newer[place] = line
