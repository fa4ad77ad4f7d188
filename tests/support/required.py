# Test support: skip tests whose requirements are missing, or fail them
# MIT license; Copyright (c) 2026 the tflm authors

import os

import pytest


def missing(text):
    """Skip a test; fail it if TFLM_BOARDS_REQUIRED is set, as in `make test-boards` and CI."""
    if os.environ.get("TFLM_BOARDS_REQUIRED"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)
