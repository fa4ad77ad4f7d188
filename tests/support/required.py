# Tests: what this machine lacks: a word, or a failure where all has to be there
# MIT license; Copyright (c) 2026 the tflm authors

import os

import pytest


def missing(text):
    """Skip a test that needs what is not here, but fail it where TFLM_BOARDS_REQUIRED is set, as
    `make test-boards` and continuous integration do."""
    if os.environ.get("TFLM_BOARDS_REQUIRED"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)
