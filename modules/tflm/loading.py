# tflm: load: a model from a path or a buffer, in place where that is possible
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import address_of
from .errors import InputError, ModelError
from .micropython_port import more_heap
from .model import FlatModel, is_flat


def load(source, trusted=False, copy=False):
    """Load a model from a path or from any buffer of bytes; .tflm and .tflite alike.

    A buffer is used in place and must not change. A file is read into RAM, unless it lies in
    a file system whose files can be read in place (ROMFS) at a multiple of 4; `copy` reads it
    into RAM from there, too, where kernels do not wait for flash. `trusted` leaves
    out the check of a .tflm's records that keeps kernels inside of their memory, as for a file
    in ROMFS, which is trusted as code is (docs/explanation/security.md). Raises ModelError for
    what is no model, InputError for what is no buffer, OSError for what cannot be read.
    """
    if isinstance(source, str):
        try:
            source, in_rom = _read(source, copy)
        except OSError as error:
            raise OSError(error.errno, source)  # open() leaves the name out
        trusted = trusted or in_rom
    try:
        source = memoryview(source)
        if len(bytes(source[:1])) > 1:
            raise TypeError
    except TypeError:
        source = None
    if source is None:
        raise InputError("a model is a path or a buffer of bytes; pass one of them")
    if is_flat(source):
        return FlatModel(source, trusted)
    try:
        from .tflite.reader import TfliteModel, is_tflite

        if is_tflite(source):
            return TfliteModel(source)
    except MemoryError:
        source = None
    if source is None:
        raise ModelError(
            "the heap has no room to read a .tflite; free memory, or flatten it on the host: "
            "a .tflm needs next to nothing%s" % more_heap()
        )
    raise ModelError(
        "this is neither a .tflm nor a .tflite (%d bytes, starting %s); check the file"
        % (len(source), bytes(source[:8]))
    )


# The bytes of a file, and whether it is in ROMFS, whose files are used in place unless the caller
# wants a copy; else they are one in RAM. So are those of an image that aligns nothing (mpremote
# romfs build): kernels need words.
def _read(path, copy):
    with open(path, "rb") as file:
        in_rom = False
        try:
            view = memoryview(file)
            in_rom = True  # ROMFS
            if not copy and not address_of(view) & 3:
                return view, True
        except TypeError:
            pass
        file.read(1)  # a folder can be opened, but not read
        size = file.seek(0, 2)
        file.seek(0)
        try:
            data = bytearray(size)  # in one piece: read() would grow its buffer
        except MemoryError:
            data = None
        if data is None:
            raise ModelError(
                "the heap has no room for the %d bytes of %s; flatten the model, free memory, "
                "or put it where it can be read in place (ROMFS, frozen)%s"
                % (size, path, more_heap())
            )
        return memoryview(data)[: file.readinto(data)], in_rom
