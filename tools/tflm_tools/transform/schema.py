# tflm_tools: schema: reads and writes .tflite files as objects of the schema in TFLM's wheel
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import struct
from contextlib import contextmanager

import numpy as np
from tflm.errors import ModelError
from tflm.introspection import labels
from tflm.tflite.reader import TfliteModel

from ..errors import ToolError
from ..extras import installing
from ..image.prepare import prepare_graph
from ..model.labels import archived_labels

_ALIGNMENT = 16  # bytes; kernels can then read constants of any type in place


def require():
    """Raise ToolError when the packages for reading and writing are not installed."""
    for package in ("tflite_micro", "flatbuffers"):
        if importlib.util.find_spec(package) is None:
            raise ToolError(
                f"changing models requires {package}, which is not installed; install it with: "
                f"{installing('verify')}"
            )


def schema():
    """Return the module with the classes of the schema (ModelT, TensorT, ...)."""
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated

    return schema_py_generated


@contextmanager
def changes(path, data):
    """A context for reading, changing and writing a .tflite; raises TflmError if it is damaged.

    Prepare checks the part that runs. Neither Prepare nor the classes of the schema check the rest
    of the file, so exceptions of these classes become a ModelError.
    """
    prepare_graph(TfliteModel(data))
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error):
        raise ModelError(
            f"{path} is damaged in a section that does not run; get an intact copy"
        ) from None


def read_model(data):
    """Return the ModelT of a .tflite (bytes); call it inside of `with changes()`."""
    classes = schema()
    model = classes.ModelT.InitFromObj(classes.Model.GetRootAsModel(data, 0))
    _adopt_labels(model, data)
    return model


# Copy the labels of an archive that is appended to the model to the metadata, because the written
# file will have no archive.
def _adopt_labels(model, data):
    names = [_text(entry.name) for entry in model.metadata or []]
    text = archived_labels(data, dict.fromkeys(names, b""))
    if text is not None:
        add_metadata(model, labels.NAME, text)


def _text(name):
    return name.decode(errors="replace") if isinstance(name, bytes) else name or ""


def add_metadata(model, name, data):
    """Add an entry of metadata (bytes) to a ModelT."""
    entry = schema().MetadataT()
    entry.name, entry.buffer = name, add_buffer(model, data)
    model.metadata = [*(model.metadata or []), entry]


def add_buffer(model, data):
    """Add a buffer with these bytes to a ModelT; returns its number."""
    buffer = schema().BufferT()
    buffer.data = np.frombuffer(bytes(data), np.uint8)
    model.buffers.append(buffer)
    return len(model.buffers) - 1


def constant(model, tensor):
    """Return the bytes of a constant TensorT, None for any other tensor."""
    data = model.buffers[tensor.buffer].data
    return None if data is None or not len(data) else bytes(bytearray(data))


def code_of(model, operator):
    """Return the builtin code of an OperatorT; old converters only set the deprecated field."""
    entry = model.operatorCodes[operator.opcodeIndex]
    return max(entry.builtinCode, entry.deprecatedBuiltinCode)


def drop_unused_buffers(model):
    """Empty the buffers of a ModelT that neither tensors nor metadata use."""
    used = {tensor.buffer for subgraph in model.subgraphs for tensor in subgraph.tensors}
    used |= {entry.buffer for entry in model.metadata or []}
    used |= set(model.metadataBuffer if model.metadataBuffer is not None else ())
    for number, buffer in enumerate(model.buffers):
        if number not in used:
            buffer.data = None


def write_model(model):
    """Return the .tflite (bytes) of a ModelT, with constants aligned to 16 bytes."""
    import flatbuffers

    class Aligning(flatbuffers.Builder):
        # Constants are vectors of bytes.
        def StartVector(self, elemSize, numElems, alignment):
            if elemSize == 1:
                alignment = _ALIGNMENT
            return super().StartVector(elemSize, numElems, alignment)

    builder = Aligning(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
