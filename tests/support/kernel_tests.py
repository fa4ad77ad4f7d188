# Test support: imports modules of tests/kernels, so that other tests can use their cases
# MIT license; Copyright (c) 2026 the tflm authors

import importlib
import sys
from pathlib import Path

_REPOSITORY = str(Path(__file__).resolve().parents[2])


def module_of(name):
    """Return the module tests/kernels/<name>.py under the name that pytest uses.

    Another name would import it again, and build all models of its cases again.
    """
    if _REPOSITORY not in sys.path:
        sys.path.append(_REPOSITORY)
    return importlib.import_module(f"tests.kernels.{name}")
