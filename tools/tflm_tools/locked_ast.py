# tflm_tools: Python's own text read: a module's tree, and a literal's value
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import threading

# Threads must not do this at once: some CPythons (3.11.7 is one) count the depth of a tree for all
# threads together, and end with a SystemError where two meet (python/cpython#106905).
_ALONE = threading.RLock()


def parse(source):
    """ast.parse() of a module's source; threads take turns."""
    with _ALONE:
        return ast.parse(source)


def literal_eval(text):
    """ast.literal_eval(), with the errors it raises; threads take turns."""
    with _ALONE:
        return ast.literal_eval(text)
