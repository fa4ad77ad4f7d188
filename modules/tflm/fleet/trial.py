# tflm.fleet: trial: a model has to give the outputs of its test vectors, here, on this board
# MIT license; Copyright (c) 2026 the tflm authors

from array import array
from hashlib import sha256

from ..errors import ArenaError
from ..interpreter import Interpreter
from ..loading import load
from ..micropython_port import collect, struct
from .update import UpdateError

_PIECE = 512
# Of floats, whose last bits depend on the width of the firmware's own; as `tflm verify` has them.
_RTOL, _ATOL = 1e-5, 1e-6
_OTHER_VECTORS = "the test vectors are not of this model; sign it again"


def _changed(what):
    return UpdateError("the %s is not what was signed; copy the update to the server again" % what)


def _check_hash(found, wanted, what):
    if found.digest() != bytes.fromhex(wanted):
        raise _changed(what)


# The bytes of a model that was signed, in RAM. One piece of memory, which read() would not give.
def _read_model(path, size, digits):
    data = memoryview(bytearray(size))
    with open(path, "rb") as file:
        if file.readinto(data) < size or file.read(1):
            raise _changed("model")
    _check_hash(sha256(data), digits, "model")
    return data


def _check_vectors(path, size, digits):
    found = sha256()
    with open(path, "rb") as file:
        while size > 0:
            data = file.read(min(_PIECE, size))
            if not data:
                raise _changed("file of test vectors")
            found.update(data)
            size -= len(data)
    _check_hash(found, digits, "file of test vectors")


# What checks a .tflm's records is left out of some firmware, which then has to trust its models.
def _has_checks():
    try:
        from ..access_checks import check_model
    except ImportError:
        return False
    return bool(check_model)


def _are_near(got, wanted):
    got = array("f", got)
    for i in range(len(got)):
        value = struct.unpack_from("<f", wanted, 4 * i)[0]
        is_equal = got[i] == value or (got[i] != got[i] and value != value)
        limit = _ATOL + _RTOL * abs(value)
        if not is_equal and not (limit < 1e30 and abs(got[i] - value) <= limit):
            return False
    return True


# The next bytes of the vectors.
def _next(file, size):
    data = file.read(size)
    if len(data) < size:
        raise UpdateError(_OTHER_VECTORS)
    return data


def _answers(interpreter, file, number):
    for i in range(interpreter.inputs_size()):
        raw = interpreter.input(i).kept.raw
        raw[:] = _next(file, len(raw))
    interpreter.invoke()
    for i in range(interpreter.outputs_size()):
        tensor = interpreter.output(i).kept
        got = bytes(tensor.raw)
        wanted = _next(file, len(got))
        if got != wanted and not (tensor.dtype == "float32" and _are_near(got, wanted)):
            raise UpdateError(
                "the model gives another output %d for test vector %d than was signed; is it "
                "flattened for this board, and is tflm here as new as where it was signed?"
                % (i, number)
            )


def run(folder, entry, resolver=None, feed=None):
    """Load the model of an entry() and invoke it on each of its vectors; outputs must be equal.

    Raises UpdateError when it is not what was signed, does not run or answers otherwise;
    MemoryError or ArenaError when there is no memory for it now, OSError where files fail.
    """
    collect()
    vectors = folder + entry["vectors"]
    _check_vectors(vectors, entry["vectors_bytes"], entry["vectors_sha256"])
    data = _read_model(folder + entry["model"], entry["model_bytes"], entry["model_sha256"])
    try:
        interpreter = Interpreter(load(data, trusted=not _has_checks()), resolver=resolver)
        interpreter.allocate_tensors()
        with open(vectors, "rb") as file:
            for number in range(entry["count"]):
                if feed:
                    feed()
                _answers(interpreter, file, number)
            if file.tell() != entry["vectors_bytes"]:
                raise UpdateError(_OTHER_VECTORS)
        interpreter.free()
    except (MemoryError, ArenaError, UpdateError, OSError):
        raise
    except Exception as error:
        raise UpdateError(
            "the model does not run here (%s); sign one that does: %s"
            % (type(error).__name__, error)
        )
    finally:
        interpreter = data = None
        collect()
