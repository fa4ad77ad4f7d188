# tflm_tools: sent to a board: what it is and what is free, printed as one dict
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import os
import sys


# The largest block that the heap gives, by halving.
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


# (free bytes, all bytes) of the file system at the current folder; None where there is none.
def _file_system():
    try:
        found = os.statvfs(os.getcwd())
        return (found[0] * found[3], found[0] * found[2]) if found[2] else None
    except (OSError, AttributeError):
        return None


# The ROMFS partition: (bytes, block bytes, address, it can be written); None without one.
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


# (version, format of .tflm it reads, it came with the firmware) of tflm; None without it. What
# lies in lib/ of the file system has been installed, anything else can only be flashed.
def _tflm():
    try:
        import tflm
        from tflm import format as layout
    except ImportError:
        return None
    file = getattr(tflm, "__file__", "")
    installed = file.startswith("lib/") or file.startswith(_root() + "lib/")
    return tflm.__version__, layout.VERSION, not installed


# (address, bytes) of the file system's flash on an RP2 board, where flash can be read in place.
# MicroPython 1.24 does not tell the address.
def _storage():
    try:
        import rp2
        from uctypes import addressof

        flash = rp2.Flash()
        return addressof(flash), flash.ioctl(4, 0) * flash.ioctl(5, 0)
    except (ImportError, AttributeError, TypeError):
        return None


# True when the firmware has the inline assembler: only its compiler tells, by the decorator.
def _assembler():
    for name in ("thumb", "xtensa", "rv32"):
        try:
            exec("import micropython\n@micropython.asm_%s\ndef f():\n    pass\n" % name, {})
            return True
        except (SyntaxError, NameError):
            pass
    return False


# Clock in Hz, 0 where it is not known.
def _frequency():
    try:
        import machine

        found = machine.freq()
        return found if isinstance(found, int) else found[0]
    except (ImportError, AttributeError):
        return 0


# By what the core's clock is divided for flash: SSI_BAUDR of an RP2040, CLKDIV of the first window
# of an RP2350's QMI; None for a chip that does not tell.
def _flash_divider():
    machine = getattr(sys.implementation, "_machine", "")
    for chip, place, mask in (("RP2040", 0x18000014, 0xFFFF), ("RP2350", 0x400D000C, 0xFF)):
        if chip in machine:
            from machine import mem32

            return mem32[place] & mask
    return None


# The folder that files are written to, with a slash behind it; "" without a file system.
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
    }


print(repr(_probe()))
