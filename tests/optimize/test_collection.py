# Tests of what Python's garbage collector does while plans are searched for
# MIT license; Copyright (c) 2026 the tflm authors

import gc

import pytest
from tflm_tools.optimize.memory.collection import uncollected


# It waits inside, also where one is in another, and is there again behind, whatever happens.
def test_collector_waits():
    assert gc.isenabled()
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no plan"), uncollected():
        raise ValueError("no plan")
    assert gc.isenabled()


# Who keeps it off finds it so.
def test_collector_stays_off():
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
