# tflm: Arrays for litert and ml: nested lists on a board, numpy's arrays on a computer.
# MIT license; Copyright (c) 2026 the tflm authors

import sys

if sys.implementation.name == "micropython":
    from ..interpreter import Interpreter
    from .nested import dtype, elements, floats, real, shaped, store, typecode, vector, view
else:  # kernels need MicroPython, so the host tools run the model in the unix port
    _host = __import__("tflm_tools.execution.numpy_arrays", None, None, ("Interpreter",))
    Interpreter, dtype, elements, floats = (
        _host.Interpreter,
        _host.dtype,
        _host.elements,
        _host.floats,
    )
    real, shaped, store, typecode = _host.real, _host.shaped, _host.store, _host.typecode
    vector, view = _host.vector, _host.view

__all__ = (
    "Interpreter", "dtype", "elements", "floats", "real", "shaped", "store", "typecode", "vector",
    "view",
)  # fmt: skip
