# tflm_tools: board: runs on a board: prints its firmware, memory and storage as one dict
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import os
import sys


# The size of the largest free heap block, by binary search.
def _largest_block():
    low, high = 0, gc.mem_free() + 1
    while high - low > 1024:
        middle = (low + high) >> 1
        try:
            bytearray(middle)
            low = middle
        except MemoryError:
            high = middle
        gc.collect()
    return low


# (free bytes, all bytes) of the file system of the current folder, or None.
def _file_system():
    try:
        stat = os.statvfs(os.getcwd())
        return (stat[0] * stat[3], stat[0] * stat[2]) if stat[2] else None
    except (OSError, AttributeError):
        return None


# (bytes, block bytes, address, is writable) of the ROMFS partition, or None.
def _romfs():
    try:
        import vfs

        device = vfs.rom_ioctl(2, 0)
        if isinstance(device, int):
            return None
        from uctypes import addressof

        view = memoryview(device)
        writable = hasattr(device, "writeblocks")
        block = device.ioctl(5, 0) if writable else 0
        return len(view), block, addressof(view), writable
    except (ImportError, AttributeError, OSError, TypeError):
        return None


# (version, .tflm format, is frozen) of tflm, or None. tflm in lib/ of the file system has been
# installed; otherwise it is part of the firmware. Files that are cut off raise any exception.
def _tflm():
    try:
        import tflm
        from tflm import format as layout

        version = tflm.__version__
    except Exception:
        return None
    file = getattr(tflm, "__file__", "")
    installed = file.startswith("lib/") or file.startswith(_root() + "lib/")
    return version, layout.VERSION, not installed


# (address, bytes) of the file system's flash on an RP2 board, else None. MicroPython 1.24 does not
# report the address.
def _storage():
    try:
        import rp2
        from uctypes import addressof

        flash = rp2.Flash()
        return addressof(flash), flash.ioctl(4, 0) * flash.ioctl(5, 0)
    except (ImportError, AttributeError, TypeError):
        return None


# Whether the firmware has the inline assembler, found by compiling a function.
def _assembler():
    for name in ("thumb", "xtensa", "rv32"):
        try:
            exec("import micropython\n@micropython.asm_%s\ndef f():\n    pass\n" % name, {})
            return True
        except (SyntaxError, NameError):
            pass
    return False


# The clock frequency in Hz, 0 if unknown.
def _frequency():
    try:
        import machine

        frequency = machine.freq()
        return frequency if isinstance(frequency, int) else frequency[0]
    except (ImportError, AttributeError):
        return 0


# The divider of the core's clock for flash: SSI_BAUDR of an RP2040, CLKDIV of the first window of
# an RP2350's QMI, None for other chips.
def _flash_divider():
    machine = getattr(sys.implementation, "_machine", "")
    for chip, register, mask in (("RP2040", 0x18000014, 0xFFFF), ("RP2350", 0x400D000C, 0xFF)):
        if chip in machine:
            from machine import mem32

            return mem32[register] & mask
    return None


# [executable regions, other regions] of an ESP chip's memory, else None. A region is (bytes, free
# bytes, largest free block). The heap grows into regions of the second list.
def _regions():
    try:
        import esp32

        kinds = esp32.HEAP_EXEC, esp32.HEAP_DATA
        return [[tuple(r[:3]) for r in esp32.idf_heap_info(kind)] for kind in kinds]
    except (ImportError, AttributeError):
        return None


# The revision of an ESP32 (0 to 3), from its fuses and the date of its bus controller; None for
# other chips.
def _revision():
    if getattr(sys.implementation, "_machine", "").rsplit(" ", 1)[-1] != "ESP32":
        return None
    try:
        from machine import mem32

        bits = (0x3FF5A00C, 15), (0x3FF5A014, 20), (0x3FF6607C, 31)
        first = [mem32[register] >> bit & 1 for register, bit in bits] + [0]
        return first.index(0)
    except (ImportError, AttributeError):
        return None


# The folder for files, with a final slash; "" without a file system.
def _root():
    try:
        folder = os.getcwd()
        return folder if folder[-1:] == "/" else folder + "/"
    except (OSError, AttributeError):
        return ""


def _probe():
    tflm = _tflm()
    gc.collect()
    free = gc.mem_free()
    regions = _regions()  # before the search for the largest block, which lets the heap grow
    return {
        "version": tuple(sys.implementation.version[:3]),
        "machine": getattr(sys.implementation, "_machine", ""),
        "mpy": getattr(sys.implementation, "_mpy", 0),
        "platform": sys.platform,
        "free": free,
        "used": gc.mem_alloc(),
        "block": _largest_block(),
        "root": _root(),
        "file_system": _file_system(),
        "romfs": _romfs(),
        "storage": _storage(),
        "tflm": tflm,
        "assembler": _assembler(),
        "frequency": _frequency(),
        "flash_divider": _flash_divider(),
        "path": sys.path,
        "regions": regions,
        "revision": _revision(),
    }


print(repr(_probe()))
