# tflm: Load a model from a path or a buffer, in place where possible.
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import address_of
from .errors import InputError, ModelError
from .micropython_port import more_heap
from .model import FlatModel, is_flat


def load(source, trusted=False, copy=False, signature=None):
    """Return the model of a path or a buffer of bytes, .tflm or .tflite.

    source: a path, or a buffer, which is used in place and must not change. If there is no file at
        the path, path + ".new" is read: Learner.save_model() leaves it if the power is cut.
    trusted: leave out the access checks of a .tflm, which keep kernels inside their memory. A
        .tflm in ROMFS is always trusted, as code is (docs/explanation/security.md).
    copy: read a file into RAM even if it is in ROMFS. By default a ROMFS file is used in place if
        its address is a multiple of 4; other files are read into RAM. Kernels read RAM faster.
    signature: the signature of a .tflite whose sub-graph runs; None: sub-graph 0. A .tflm must
        have been flattened with it.

    Raises ModelError for a file that is no model or is damaged, InputError for a source that is
    no buffer of bytes and for a missing signature, and OSError for a file that cannot be read.
    """
    if isinstance(source, str):
        try:
            source, in_rom = _read(source, copy)
        except OSError as error:
            try:  # a power cut before a file was renamed (learn/store.py)
                source, in_rom = _read(source + ".new", copy)
            except OSError:
                raise OSError(error.errno, source)  # open() does not name the file
        trusted = trusted or in_rom
    try:
        source = memoryview(source)
        if len(bytes(source[:1])) > 1:
            raise TypeError
    except TypeError:
        raise InputError("a model is a path or a buffer of bytes; pass one")
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


# Return (bytes, in_romfs). ROMFS files are used in place unless `copy` is set or the address is
# not a multiple of 4 (kernels read words; `mpremote romfs build` aligns nothing). All other files
# are read into RAM.
def _read(path, copy):
    with open(path, "rb") as file:
        in_rom = False
        try:
            view = memoryview(file)
            in_rom = True  # only ROMFS gives a buffer
            if not copy and not address_of(view) & 3:
                return view, True
        except TypeError:
            pass
        file.read(1)  # fails for a folder, which open() does not refuse
        size = file.seek(0, 2)
        file.seek(0)
        try:
            data = bytearray(size)  # in one allocation; read() would grow its buffer
        except MemoryError:
            data = None
        if data is None:
            raise ModelError(
                "not enough heap for the %d bytes of %s; free memory, or use a .tflm in "
                "ROMFS%s" % (size, path, more_heap())
            )
        file.readinto(data)
        return data, in_rom
