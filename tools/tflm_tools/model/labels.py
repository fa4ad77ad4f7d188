# tflm_tools: the labels of a model: in its metadata, or in an archive behind the .tflite
# MIT license; Copyright (c) 2026 the tflm authors

import io
import struct
import zipfile
import zlib

from tflm.introspection import labels

_MOST_BYTES = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


# The text file of labels in a zip archive behind the model (bytes), where TFLite Metadata puts it,
# or None. A damaged archive, or one that packs far too much, is none.
def _archived(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = [i for i in archive.infolist() if i.filename.lower().endswith(".txt")]
            named = [i for i in texts if "label" in i.filename.lower()]
            for info in named or texts[:1]:
                if info.file_size > _MOST_BYTES or info.compress_type not in _METHODS:
                    continue
                with archive.open(info) as file:
                    text = file.read(_MOST_BYTES + 1)
                if len(text) <= _MOST_BYTES:
                    return text
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OSError,
            RuntimeError):  # fmt: skip
        pass  # RuntimeError: encrypted, or of a newer kind
    return None


def archived_labels(data, metadata):
    """Labels (bytes of text) that `metadata` lacks and an archive in a .tflite has, or None.

    data: the bytes of the .tflite; metadata: those of TfliteModel.metadata().
    """
    if labels.find(metadata) is not None:
        return None
    return _archived(data)


def labels_of(data, metadata):
    """The labels of a .tflite or .tflm (bytes) as a list of str, [] when there are none."""
    found = archived_labels(data, metadata)
    return labels.labels_of(metadata) if found is None else labels.lines(found)
