# tflm_tools: locked_ast: the parsers of Python's module ast, with a lock for threads
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import threading

# Some versions of CPython, such as 3.11.7, count the recursion depth of the parser for all threads
# together, and raise SystemError if two threads parse at once (python/cpython#106905).
_LOCK = threading.RLock()


def parse(source):
    """Return ast.parse() of a module's source."""
    with _LOCK:
        return ast.parse(source)


def literal_eval(text):
    """Return ast.literal_eval() of a text; raises the same errors."""
    with _LOCK:
        return ast.literal_eval(text)
