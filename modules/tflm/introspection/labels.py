# tflm: The labels of a classifier, from a text file in the model's metadata.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import printable

NAME = "labels.txt"  # the name that `tflm flatten` gives the label file of a .tflite


# Return the name of the metadata entry with the labels; None if there is none.
def find(metadata):
    if NAME in metadata:
        return NAME
    names = [name for name in sorted(metadata) if "label" in name.lower()]
    return names[0] if names else None


# Return the lines of a text (bytes), without empty lines at its end.
def lines(data):
    try:
        text = bytes(data).decode()
    except UnicodeError:
        return []  # labels that are not valid UTF-8 are ignored
    if not text.strip():
        return []
    return [printable(line.strip("\r").encode()) for line in text.rstrip().split("\n")]


# Return the labels in a model's metadata; [] if there are none.
def labels_of(metadata):
    name = find(metadata)
    return [] if name is None else lines(metadata[name])
