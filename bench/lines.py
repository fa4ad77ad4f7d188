# bench: counts the cache lines that an RP2350 fetches from flash for a model's weights
# MIT license; Copyright (c) 2026 the tflm authors

# RP2350 datasheet, 4.4: 16 KB, two-way set associative, lines of 8 bytes. The least recently used
# line of a set is replaced, as on the RP2040 (firmware/emulator/xip.mjs).

_ASSOCIATIVITY, _LINE = 2, 8
_SETS = (16 << 10) // (_ASSOCIATIVITY * _LINE)


class Lines:
    """A cache of flash. `fetched` counts the fetched lines."""

    def __init__(self):
        self.fetched = 0
        self._older = [-1] * _SETS
        self._newer = [-1] * _SETS

    def read(self, address, size):
        """Read `size` bytes."""
        for line in range(address // _LINE, (address + size - 1) // _LINE + 1):
            index = line % _SETS
            if self._newer[index] == line:
                continue
            if self._older[index] != line:
                self.fetched += 1
            self._older[index] = self._newer[index]
            self._newer[index] = line
