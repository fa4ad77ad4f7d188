# tflm_tools: labels: reads and writes labels of a model, in its metadata or in an appended archive
# MIT license; Copyright (c) 2026 the tflm authors

import io
import struct
import zipfile
import zlib

from tflm.introspection import labels
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel

_MAX_BYTES = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


# The text of the labels in the zip archive that TFLite Metadata appends to the model (bytes), or
# None. A damaged archive, or one that unpacks to more than _MAX_BYTES, is ignored.
def _archived(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = [i for i in archive.infolist() if i.filename.lower().endswith(".txt")]
            named = [i for i in texts if "label" in i.filename.lower()]
            for info in named or texts[:1]:
                if info.file_size > _MAX_BYTES or info.compress_type not in _METHODS:
                    continue
                with archive.open(info) as file:
                    text = file.read(_MAX_BYTES + 1)
                if len(text) <= _MAX_BYTES:
                    return text
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OSError,
            RuntimeError):  # fmt: skip
        pass  # RuntimeError: the archive is encrypted, or of an unknown version
    return None


def archived_labels(data, metadata):
    """Return the labels (bytes of text) of the archive in a .tflite, or None.

    data: the bytes of the .tflite. metadata: TfliteModel.metadata(); if it has labels, they take
    precedence, and the result is None.
    """
    if labels.find(metadata) is not None:
        return None
    return _archived(data)


def with_labels(tflite, text):
    """Return a .tflite with a text of labels (bytes) in a zip archive, as TFLite Metadata does."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(zipfile.ZipInfo("labels.txt"), text)
    return tflite + archive.getvalue()


def labels_of(data, metadata):
    """Return the labels of a .tflite or .tflm (bytes) as a list of str, [] without labels."""
    found = archived_labels(data, metadata)
    return labels.labels_of(metadata) if found is None else labels.lines(found)


def labels_of_model(model):
    """Return the names of the classes in a ModelFile, [] if it has none."""
    graph = TfliteModel(model.data) if model.kind == "tflite" else FlatModel(model.data)
    return labels_of(model.data, graph.metadata())
