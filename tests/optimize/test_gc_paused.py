# Tests of gc_paused(): Python's garbage collector does not run while plans are searched for
# MIT license; Copyright (c) 2026 the tflm authors

import gc

import pytest
from tflm_tools.optimize.memory.levels import gc_paused


# Nested use and exceptions enable the collector again at the end.
def test_collector_is_paused_inside():
    assert gc.isenabled()
    with gc_paused():
        with gc_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no plan"), gc_paused():
        raise ValueError("no plan")
    assert gc.isenabled()


def test_disabled_collector_stays_disabled():
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
