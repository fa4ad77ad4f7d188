# Writes files whole or not at all, and appends labels to a model.
# MIT license; Copyright (c) 2026 the tflm authors

import io
import os
import zipfile


def save(path, data):
    """Writes bytes to `path` through a temporary name, so that a reader never sees half a file."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def with_labels(model, labels):
    """`model` (.tflite bytes) with a labels.txt, one label a line, that zipfile can read.

    TFLite Metadata keeps associated files so: a zip archive behind the FlatBuffer, which readers
    of the model never look at. The date inside is fixed: the same labels give the same bytes.
    """
    buffer = io.BytesIO(model)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(zipfile.ZipInfo("labels.txt"), "".join(f"{name}\n" for name in labels))
    return buffer.getvalue()


def with_metadata(model, name, data):
    """`model` (.tflite bytes) with one more metadata entry, which boards read, too."""
    from tflm_tools.transform import schema

    changed = schema.read_model(model)
    schema.add_metadata(changed, name, data)
    return schema.write_model(changed)
