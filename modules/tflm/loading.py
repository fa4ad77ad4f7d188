# tflm: Load a model from a path or a buffer, in place where possible.
# MIT license; Copyright (c) 2026 the tflm authors

import sys

from . import format as layout
from .arena import address_of
from .errors import InputError, ModelError
from .micropython_port import collect, free_bytes, more_heap, struct
from .model import FlatModel, is_flat

# The flash of RP2040 and RP2350 is memory with 16 KB of cache; its first chip select is here.
_FLASH = (0x10000000, 0x11000000) if sys.platform == "rp2" else (0, 0)
_MIN_HEAP_RATIO = 3  # free heap beside the arena, as multiples of a model that is copied


def load(source, trusted=False, copy=None, signature=None):
    """Return the model of a path or a buffer of bytes, .tflm or .tflite.

    source: a path, or a buffer, which must not change. If there is no file at the path,
        path + ".new" is read: Learner.save_model() leaves it if the power is cut.
    trusted: leave out the access checks of a .tflm, which keep kernels inside their memory. A
        .tflm in ROMFS is always trusted, as code is (docs/explanation/security.md).
    copy: True copies a model in ROMFS or in a buffer to RAM, which kernels read faster. False uses
        it in place, except a ROMFS file whose address is no multiple of 4. None, the default,
        copies a .tflm in the flash of an RP2040 or RP2350 if that takes at most a third of the
        heap that the arena leaves free, and otherwise is like False.
    signature: the signature of a .tflite whose sub-graph runs; None: sub-graph 0. A .tflm must
        have been flattened with it.

    Raises ModelError for a file that is no model or is damaged, InputError for a source that is
    no buffer of bytes and for a missing signature, and OSError for a file that cannot be read.
    """
    in_rom = is_read = False
    if isinstance(source, str):
        try:
            source, in_rom = _read(source)
        except OSError as error:
            try:  # a power cut before a file was renamed (learn/store.py)
                source, in_rom = _read(source + ".new")
            except OSError:
                raise OSError(error.errno, source)  # open() does not name the file
        trusted = trusted or in_rom
        is_read = not in_rom
    try:
        source = memoryview(source)
        if len(bytes(source[:1])) > 1:
            raise TypeError
    except TypeError:
        raise InputError("a model is a path or a buffer of bytes; pass one")
    if not is_read:
        source = _placed(source, copy or in_rom and address_of(source) & 3, copy is None)
    if is_flat(source):
        model = FlatModel(source, trusted)
        if signature is not None:
            from .introspection.signature import entry_of

            entry_of(model, signature)
        return model
    try:
        from .tflite.reader import load

        model = load(source, signature)
        if model:
            return model
        raise ModelError(
            "this is neither a .tflm nor a .tflite (%d bytes, first %s); check the file"
            % (len(source), bytes(source[:8]))
        )
    except ImportError:
        raise ModelError("no code for a .tflite is here; use tflm deploy")
    except MemoryError:
        pass
    raise ModelError(
        "not enough heap to read a .tflite; free some, or use tflm flatten%s" % more_heap()
    )


# Return (bytes, in_romfs). ROMFS files are used in place; all other files are read into RAM.
def _read(path):
    with open(path, "rb") as file:
        try:
            return memoryview(file), True  # only ROMFS gives a buffer
        except TypeError:
            pass
        file.read(1)  # fails for a folder, which open() does not refuse
        size = file.seek(0, 2)
        file.seek(0)
        data = _new_copy(size)  # in one allocation; read() would grow its buffer
        if data is None:
            _raise_no_heap(size, path)
        file.readinto(data)
        return data, False


# Return a model in RAM if it must be copied, or if it may be and that pays; else the model itself.
# Kernels read words, and `mpremote romfs build` aligns nothing.
def _placed(data, must_copy, may_copy):
    copied = None
    if must_copy or may_copy and _is_worth_copying(data):
        copied = _new_copy(data)
        if copied is None and must_copy:
            _raise_no_heap(len(data), "the model")
    return data if copied is None else memoryview(copied)


# Return bytearray(source), None without enough heap.
def _new_copy(source):
    try:
        return bytearray(source)
    except MemoryError:
        return None


def _raise_no_heap(size, name):
    raise ModelError(
        "not enough heap for the %d bytes of %s; free memory, or use a .tflm in "
        "ROMFS%s" % (size, name, more_heap())
    )


# Return whether a heap with `free` bytes holds a copy of a model and its arena, and much more.
def fits_heap(model_bytes, arena_bytes, free):
    return _MIN_HEAP_RATIO * model_bytes + arena_bytes <= free


# Return whether a model is a .tflm in slow flash, and small beside the heap.
def _is_worth_copying(data):
    first, end = _FLASH
    if not is_flat(data) or len(data) < layout.HEADER_BYTES or not first <= address_of(data) < end:
        return False
    collect()
    arena = struct.unpack_from(layout.HEADER, data)[5]
    return fits_heap(len(data), arena, free_bytes())
