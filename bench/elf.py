# bench: reads the loaded segments of an ELF file
# MIT license; Copyright (c) 2026 the tflm authors

import struct

_LOAD = 1


def segments(elf):
    """Yield (physical address, bytes) of each loaded segment; ValueError if it is not ELF32."""
    if elf[:5] != b"\x7fELF\x01":
        raise ValueError("the firmware is not an ELF file; build it again")
    (table,) = struct.unpack_from("<I", elf, 28)
    size, count = struct.unpack_from("<HH", elf, 42)
    for i in range(count):
        kind, offset, _, address, stored, _ = struct.unpack_from("<6I", elf, table + i * size)
        if kind == _LOAD and stored:
            yield address, elf[offset : offset + stored]
