# tflm: labels: the names of a classifier's outputs, from a text file in the metadata
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import plain

NAME = "labels.txt"  # what `tflm flatten` calls the file that it finds in a .tflite


# The metadata entry that holds the labels; None when there is none.
def find(metadata):
    if NAME in metadata:
        return NAME
    names = [name for name in sorted(metadata) if "label" in name.lower()]
    return names[0] if names else None


# The lines of a text (bytes), without empty ones at the end.
def lines(data):
    try:
        text = bytes(data).decode()
    except UnicodeError:
        return []  # whatever it is, it is no list of labels
    if not text.strip():
        return []
    return [plain(line.strip("\r").encode()) for line in text.rstrip().split("\n")]


# The labels among a model's metadata.
def labels_of(metadata):
    name = find(metadata)
    return [] if name is None else lines(metadata[name])
