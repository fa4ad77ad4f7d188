# Write files atomically, and append labels to a model
# MIT license; Copyright (c) 2026 the tflm authors

import io
import os
import zipfile


def save(path, data):
    """Write bytes to `path` through a temporary file, so that no reader sees half a file."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def with_labels(model, labels):
    """Return `model` (.tflite bytes) with a labels.txt, one label per line.

    TFLite Metadata stores associated files in a zip archive after the FlatBuffer. Its date is
    fixed, so that the same labels give the same bytes.
    """
    buffer = io.BytesIO(model)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(zipfile.ZipInfo("labels.txt"), "".join(f"{name}\n" for name in labels))
    return buffer.getvalue()


def with_metadata(model, name, data):
    """Return `model` (.tflite bytes) with one more metadata entry."""
    from tflm_tools.transform import schema

    changed = schema.read_model(model)
    schema.add_metadata(changed, name, data)
    return schema.write_model(changed)
