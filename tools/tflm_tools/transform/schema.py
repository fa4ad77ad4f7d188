# tflm_tools: .tflite files as objects that can be changed, through the schema of TFLM's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import struct
from contextlib import contextmanager

import numpy as np
from tflm.errors import ModelError
from tflm.introspection import labels

from ..errors import ToolError
from ..extras import installing
from ..flat.flatten import prepare
from ..model.labels import archived_labels

_ALIGNMENT = 16  # bytes; constants of words can then be used in place


def require():
    """Raise ToolError when the packages for this are not installed."""
    for package in ("tflite_micro", "flatbuffers"):
        if importlib.util.find_spec(package) is None:
            raise ToolError(
                f"models are changed with {package}, which is not installed; install it with: "
                f"{installing('verify')}"
            )


def schema():
    """The module with the classes of the schema (ModelT and so on)."""
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated

    return schema_py_generated


@contextmanager
def changes(path, data):
    """In this `with` a .tflite is read, changed and written; raises TflmError when it is damaged.

    What runs is checked before by Prepare. The rest of the file nobody has checked, neither do the
    classes of the schema: whatever they stumble over is a ModelError.
    """
    prepare(data)
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error):
        raise ModelError(
            f"{path} is damaged in a part that does not run; get an intact copy"
        ) from None


def read_model(data):
    """The ModelT of a .tflite (bytes), in a `with changes()`."""
    classes = schema()
    model = classes.ModelT.InitFromObj(classes.Model.GetRootAsModel(data, 0))
    _adopt_labels(model, data)
    return model


# Labels in an archive behind the model become metadata: what is written has nothing behind it.
def _adopt_labels(model, data):
    names = [_text(entry.name) for entry in model.metadata or []]
    text = archived_labels(data, dict.fromkeys(names, b""))
    if text is not None:
        add_metadata(model, labels.NAME, text)


def _text(name):
    return name.decode(errors="replace") if isinstance(name, bytes) else name or ""


def add_metadata(model, name, data):
    """Give a ModelT an entry of metadata (bytes)."""
    entry = schema().MetadataT()
    entry.name, entry.buffer = name, add_buffer(model, data)
    model.metadata = [*(model.metadata or []), entry]


def add_buffer(model, data):
    """Add a buffer with these bytes to a ModelT; its number."""
    buffer = schema().BufferT()
    buffer.data = np.frombuffer(bytes(data), np.uint8)
    model.buffers.append(buffer)
    return len(model.buffers) - 1


def constant(model, tensor):
    """The bytes of a TensorT's constant, None when it has none."""
    data = model.buffers[tensor.buffer].data
    return None if data is None or not len(data) else bytes(bytearray(data))


def code_of(model, operator):
    """The builtin code of an OperatorT; files of old converters have it in the older field."""
    entry = model.operatorCodes[operator.opcodeIndex]
    return max(entry.builtinCode, entry.deprecatedBuiltinCode)


def drop_unused_buffers(model):
    """Empty the buffers of a ModelT that neither tensors nor metadata have."""
    used = {tensor.buffer for subgraph in model.subgraphs for tensor in subgraph.tensors}
    used |= {entry.buffer for entry in model.metadata or []}
    used |= set(model.metadataBuffer if model.metadataBuffer is not None else ())
    for number, buffer in enumerate(model.buffers):
        if number not in used:
            buffer.data = None


def write_model(model):
    """The bytes of a ModelT, constants aligned to 16."""
    import flatbuffers

    class Aligning(flatbuffers.Builder):
        # Vectors of bytes, which is what constants are.
        def StartVector(self, elemSize, numElems, alignment):
            if elemSize == 1:
                alignment = _ALIGNMENT
            return super().StartVector(elemSize, numElems, alignment)

    builder = Aligning(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
