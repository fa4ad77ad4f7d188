# Offsets of the words of records, which Prepare writes, for the generators of all machines
# MIT license; Copyright (c) 2026 the tflm authors


def word_of(layout, name):
    """Return the offset of a word of a record in bytes. The word before `layout` is the units."""
    return 4 * (1 + layout.index(name))
