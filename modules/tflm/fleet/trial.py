# tflm.fleet: The trial of a model: on this board it must compute the outputs of its test vectors.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array
from hashlib import sha256

from ..errors import ArenaError
from ..interpreter import Interpreter
from ..loading import load
from ..micropython_port import collect, struct
from .update import UpdateError

_PIECE = 512
# Tolerances for floats, whose last bits depend on the firmware's floats; as in `tflm verify`.
_RTOL, _ATOL = 1e-5, 1e-6
_OTHER_VECTORS = "the test vectors are of another model; sign it again"


def _changed(what):
    return UpdateError("the %s differs from what was signed; copy the update again" % what)


def _check_hash(found, wanted, what):
    if found.digest() != bytes.fromhex(wanted):
        raise _changed(what)


# Return the bytes of the signed model, in RAM, in one allocation (unlike read()).
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


# Return True if this firmware has access checks; without them it must trust its models.
def _has_checks():
    try:
        from ..access_checks import check_model
    except ImportError:
        return False
    return bool(check_model)


# Raise UpdateError if two cores would use the same scratch buffers, because the model does not
# describe them: after the trial it is trusted, and nothing checks this any more.
def _check_shared_scratch(model):
    if not getattr(model, "single_core_ops", ()):
        return
    from ..introspection.op import describe_ops
    from ..run.cores import is_independent

    ops = list(describe_ops(model))
    if any([is_independent(ops[i]) for i in model.single_core_ops]):
        raise UpdateError("the model omits scratch buffers; flatten and sign it again")


# Return True if floats are equal within the tolerances.
def _are_near(got, wanted):
    got = array("f", got)
    for i in range(len(got)):
        value = struct.unpack_from("<f", wanted, 4 * i)[0]
        is_equal = got[i] == value or (got[i] != got[i] and value != value)
        limit = _ATOL + _RTOL * abs(value)
        if not is_equal and not (limit < 1e30 and abs(got[i] - value) <= limit):
            return False
    return True


# Return the next bytes of the vectors.
def _next(file, size):
    data = file.read(size)
    if len(data) < size:
        raise UpdateError(_OTHER_VECTORS)
    return data


# Invoke the model on the next vector; raise UpdateError unless the outputs are right.
def _check_vector(interpreter, file, number):
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
                "output %d of the model differs from the signed one for test vector %d; flatten "
                "it for this board, and sign it with this version of tflm" % (i, number)
            )


def run(folder, entry, resolver=None, feed=None):
    """Load the model of a model_entry() and compare its outputs for all of its vectors.

    Raises UpdateError if the model differs from what was signed, does not run or computes other
    outputs; MemoryError or ArenaError if there is too little memory now; OSError for files.
    """
    collect()
    vectors = folder + entry["vectors"]
    _check_vectors(vectors, entry["vectors_bytes"], entry["vectors_sha256"])
    data = _read_model(folder + entry["model"], entry["model_bytes"], entry["model_sha256"])
    try:
        model = load(data, trusted=not _has_checks())
        interpreter = Interpreter(model, resolver=resolver)
        interpreter.allocate_tensors()
        _check_shared_scratch(model)
        with open(vectors, "rb") as file:
            for number in range(entry["count"]):
                if feed:
                    feed()
                _check_vector(interpreter, file, number)
            if file.tell() != entry["vectors_bytes"]:  # codespell:ignore tell
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
