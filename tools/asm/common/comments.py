# The comment above a generated function
# MIT license; Copyright (c) 2026 the tflm authors

import textwrap


def comment(text):
    """Return a paragraph as lines of a comment that are at most 99 characters long."""
    words = " ".join(text.split())
    return [f"# {line}" for line in textwrap.wrap(words, 97, break_on_hyphens=False)]
