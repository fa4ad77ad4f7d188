# bench: moves the firmware of the emulated Xtensa to qemu's core with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

# The firmware is for the core DE212, which has no FPU. The core DE233_FPU runs the same code: its
# memory begins at another address, which its MMU maps to the address that the firmware is linked
# for. A few instructions that do this, and switch the FPU on, run before the firmware. They also
# let a table of pages map PAGES: a script can have memory of single pages there.

import struct

from elf import segments
from tflm_tools.errors import ToolError
from tflm_tools.packages.machine_code.xtensa import Xtensa

CORE = "de233_fpu"
RAM = 0x60000000  # address of the memory in the firmware; the core has it at 0
_BOOT = 0x00FC0000  # physical address of the code that runs first
_TLB_WAY, _ATTRIBUTES = 6, 3  # of a TLB whose entries map 512 MB each; readable and executable
_CPENABLE, _PTEVADDR = 224, 83  # special registers
PAGES, PAGE = 0x20000000, 0x1000  # the first address that the table maps, and bytes of a page
TABLE = 0x60C80000  # address of the table's first word, for the page at PAGES
_READ, _WRITE, _NO_ACCESS = 4, 6, 12  # attributes of a page
_HEADER, _SEGMENT = "<16sHHIIIIIHHHHHH", "<8I"  # of an ELF file


class _Boot(Xtensa):
    def number(self, register, value, spare):
        self.movi(register, value >> 24)
        for shift in (16, 8, 0):
            self.slli(register, register, 8)
            self.movi(spare, value >> shift & 0xFF)
            self.or_(register, register, spare)

    def run(self, entry):
        self.movi("a2", 1)
        self._put(0x130000 | _CPENABLE << 8 | 2 << 4, "wsr.cpenable a2")
        self.number("a2", TABLE - PAGES // PAGE * 4, "a5")
        self._put(0x130000 | _PTEVADDR << 8 | 2 << 4, "wsr.ptevaddr a2")
        self._put(0x002010, "rsync")
        self.number("a3", PAGES | _TLB_WAY, "a5")
        self._rrr(5, 0, 12, 3, 0, "idtlb a3")
        self.number("a3", RAM | _TLB_WAY, "a5")
        self.movi("a4", _ATTRIBUTES)
        self._rrr(5, 0, 14, 3, 4, "wdtlb a4, a3")
        self._rrr(5, 0, 6, 3, 4, "witlb a4, a3")
        self._put(0x002000, "isync")
        self.number("a2", entry, "a5")
        self._put(0x0000A0 | 2 << 8, "jx a2")
        return self.code()


def mapped(pages):
    """Return the words of the table that maps pages, and their contents, which follow the table.

    pages: {address of a page after PAGES: (bytes, whether it is writable)}.
    """
    words = -(-((max(pages) - PAGES) // PAGE + 1) // (PAGE // 4)) * (PAGE // 4)
    table, contents = bytearray(struct.pack("<I", _NO_ACCESS) * words), bytearray()
    for address, (data, is_writable) in pages.items():
        entry = TABLE - RAM + len(table) + len(contents) | (_WRITE if is_writable else _READ)
        struct.pack_into("<I", table, 4 * ((address - PAGES) // PAGE), entry)
        contents += data.ljust(PAGE, b"\0")
    if TABLE - RAM + len(table) + len(contents) > _BOOT:
        raise ToolError("too many pages for the emulated Xtensa; map fewer")
    return bytes(table), bytes(contents)


def moved(elf):
    """Return the ELF file (bytes) of the firmware for the core with an FPU."""
    header = list(struct.unpack_from(_HEADER, elf))
    pieces = [(at - RAM, data) for at, data in segments(elf) if at >= RAM]
    pieces.append((_BOOT, _Boot().run(header[4])))
    at = struct.calcsize(_HEADER) + len(pieces) * struct.calcsize(_SEGMENT)
    table = data = b""
    for address, piece in pieces:
        size = len(piece)
        table += struct.pack(_SEGMENT, 1, at + len(data), address, address, size, size, 7, 4)
        data += piece
    header[4:7] = _BOOT, struct.calcsize(_HEADER), 0
    header[10:14] = len(pieces), 0, 0, 0
    return struct.pack(_HEADER, *header) + table + data
