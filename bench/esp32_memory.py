# bench: models the data cache of ESP32 and ESP32-S3, and how long its lines take
# MIT license; Copyright (c) 2026 the tflm authors

# Internal RAM has no wait states. Flash and PSRAM are read through a cache. The manuals give its
# size, ways and lines; the replacement of lines is not published, here the least recently used
# line is replaced.
#
# Cycles of a line at 240 MHz. A published program (project-x51/esp32-s3-memorycopy) copies 3,200
# lines between internal RAM and the octal PSRAM of an ESP32-S3 (80 MHz, both edges of the clock)
# by vectors: 605,593 cycles from PSRAM, 403,536 cycles to PSRAM, 13,145 cycles without PSRAM. A
# line so takes 185 cycles to read and 122 to write. Both together, 307, are 6 % less than the
# copy within PSRAM (1,054,546 cycles, 325 a line). 32 bytes are 16 clocks of octal PSRAM and 64
# clocks of quad PSRAM and flash: at 80 MHz, 144 cycles more. At 40 MHz all clocks take twice as
# long.

from dataclasses import dataclass

LINE = 32  # bytes
MHZ = 240
OCTAL_READ, OCTAL_WRITE = 185, 122
_QUAD_MORE = 48 * MHZ // 80
_ERROR = 0.3  # of the cycles of a line, estimated


@dataclass(frozen=True)
class External:
    """Memory that a cache serves: cycles of a line that is read and of one that is written."""

    name: str
    read: int
    written: int

    def cycles(self, traffic):
        """Return (estimate, least, most) cycles of the lines that a Cache has counted."""
        found = traffic.read * self.read + traffic.written * self.written
        return found, found * (1 - _ERROR), found * (1 + _ERROR)


OCTAL = External("octal PSRAM, 80 MHz", OCTAL_READ, OCTAL_WRITE)
QUAD = External("quad PSRAM, 80 MHz", OCTAL_READ + _QUAD_MORE, OCTAL_WRITE + _QUAD_MORE)
SLOW_QUAD = External("quad PSRAM, 40 MHz", 2 * QUAD.read, 2 * QUAD.written)
FLASH = External("quad flash, 80 MHz", QUAD.read, 0)


class Cache:
    """A write-back cache. read, written: lines that were fetched and that were written back.

    The published copy to PSRAM takes the time of one transfer a line, so that a line is not
    fetched before it is written. counts(address): whether an address is in external memory.
    """

    def __init__(self, size, associativity, counts):
        self._associativity = associativity
        self._counts = counts
        self._sets = [
            {} for _ in range(size // LINE // associativity)
        ]  # {line: whether it is changed}
        self.read = self.written = 0
        self._last = None

    def access(self, address, is_write):
        """Note an access of at most a line, which does not cross the end of the line."""
        line = address // LINE
        if (line, is_write) == self._last or not self._counts(address):
            return
        self._last = line, is_write
        lines = self._sets[line % len(self._sets)]
        if line in lines:
            lines[line] = lines.pop(line) or is_write
            return
        if not is_write:
            self.read += 1
        if len(lines) == self._associativity:
            oldest = next(iter(lines))
            self.written += lines.pop(oldest)
        lines[line] = is_write

    def stream(self, address, size, is_write):
        """Note accesses to all of `size` bytes from an address on."""
        for at in range(address, address + size, LINE):
            self.access(at, is_write)
