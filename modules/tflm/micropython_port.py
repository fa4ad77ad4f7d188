# tflm: What tflm uses of MicroPython: struct, crc32, the heap, and the machine code that it runs.
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys

# `import struct` searches sys.path for a file of that name each time: 3 ms on a Pico, six times
# for a model. MicroPython finds the old names of these modules at once.
try:
    import ustruct as struct
    from ubinascii import crc32
except ImportError:  # CPython, or a firmware without the old names
    import struct
    from binascii import crc32

__all__ = ("struct", "crc32")

ARCHS = (
    "", "x86", "x64", "armv6", "armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp",
    "xtensa", "xtensawin", "rv32imc", "rv64imc",
)  # fmt: skip

_ON_BOARD = hasattr(gc, "mem_free")
_folders = None  # the result of override_folders()


# Collect garbage. Boards need it; CPython does it by itself.
def collect():
    if _ON_BOARD:
        gc.collect()


# Collect garbage before code is loaded into the heap: code stays forever and should not be placed
# between garbage. Frozen code needs almost no heap, and collecting takes some ms, so skip it then.
def collect_for_import():
    if _ON_BOARD and not str(sys.modules["tflm"].__path__).startswith(".frozen"):
        gc.collect()


# Return how to get more heap, as the end of an error message; "" on boards.
def more_heap():
    return "; or: micropython -X heapsize=64M" if sys.platform in ("linux", "darwin") else ""


# Return the free bytes of the heap; 0 under CPython, which has no such number.
def free_bytes():
    return gc.mem_free() if _ON_BOARD else 0


# Import a module of tflm; return None if there is none.
def import_module(name):
    name = "tflm." + name
    if name not in sys.modules:
        collect_for_import()
    try:
        return __import__(name, None, None, ("",))
    except ImportError:
        return None


# Return the instruction set whose native code this interpreter runs; "" for none.
def native_arch():
    arch = getattr(sys.implementation, "_mpy", 0) >> 10 & 15
    return ARCHS[arch] if arch < len(ARCHS) else ""


# Return True if this firmware has the inline assembler. Firmware without it runs an assembler
# function as bytecode (mp_make_function_from_proto_fun in py/emitglue.c) and crashes, so it must
# not even import a .mpy with such functions. The only sign is that its compiler refuses the
# decorator. Kernels for RV32 and Xtensa do not need the assembler: they are viper functions that
# contain machine code.
def _has_assembler():
    try:
        exec("import micropython\n@micropython.asm_thumb\ndef f():\n    pass\n", {})
    except (SyntaxError, NameError):  # NameError: firmware without a compiler has no exec
        return False
    return True


# Return True if this core has the DSP extension. MicroPython also names a Cortex-M3 or a
# Cortex-M33 without it armv7em. Without the kernel file, nothing needs the extension.
def _has_dsp():
    if sys.platform == "linux":  # all Thumb-2 cores that run Linux have it
        return True
    module = import_module("kernels.armv7em.core")
    return module is not None and module.has_dsp() == 1


# Return the folders below kernels/ that may override a kernel on this instruction set, the most
# specific first. Every Cortex-M runs ARMv6-M code. Folders with assembler count only if the
# firmware has the inline assembler.
def override_folders():
    global _folders
    if _folders is None:
        arch = native_arch()
        _folders = (arch,) if arch else ()
        if arch[:5] == "armv7":
            _folders = ("armv6m",)
            if _has_dsp():  # armv7emdp runs the overrides of armv7emsp
                _folders = (arch.replace("d", "s"), "armv7em") + _folders
        if arch[:4] == "armv" and not _has_assembler():
            _folders = ()
    return _folders


# Return the module in a folder of override_folders() that replaces kernels/<file>.py, or None. The
# folder's table FILES saves the search for a missing file.
def find_override(folder, file):
    folder = "kernels." + folder
    files = getattr(import_module(folder), "FILES", "")
    if "\ngen.%s\n" % file in files:
        folder += ".gen"
    elif "\n%s\n" % file not in files:
        return None
    return import_module("%s.%s" % (folder, file))
