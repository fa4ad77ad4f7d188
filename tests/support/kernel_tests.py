# Test support: the modules of tests/kernels, whose cases other tests use, too
# MIT license; Copyright (c) 2026 the tflm authors

import importlib
import sys
from pathlib import Path

_REPOSITORY = str(Path(__file__).resolve().parents[2])


def module_of(name):
    """The module tests/kernels/<name>.py, under the name by which pytest collects it.

    Any other name would make a second one, and build all models of its cases again.
    """
    if _REPOSITORY not in sys.path:
        sys.path.append(_REPOSITORY)
    return importlib.import_module(f"tests.kernels.{name}")
