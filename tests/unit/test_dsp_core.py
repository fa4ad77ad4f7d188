# Tests of micropython_port.py: kernels with the DSP extension run only on cores that have it
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit.on_device import device


# Return the folders of kernels of a board whose core.has_dsp() returns `answer`; None: no file.
def folders(arch, answer):
    script = """
        from tflm import micropython_port

        class System:
            platform = "rp2"
            modules = sys.modules

        class Core:
            def has_dsp():
                return ANSWER

        micropython_port.sys = System
        micropython_port.native_arch = lambda: ARCH
        micropython_port._has_assembler = lambda: True
        micropython_port.import_module = lambda name: None if ANSWER is None else Core
        print(" ".join(micropython_port.override_folders()))
        """
    return device(script, ARCH=arch, ANSWER=answer)[-1].split()


# MicroPython uses the same arch for a Cortex-M3 and a Cortex-M4 without FPU.
@pytest.mark.parametrize(
    ("arch", "answer", "wanted"),
    [
        ("armv7em", 1, ["armv7em", "armv7em", "armv6m"]),
        ("armv7emsp", 1, ["armv7emsp", "armv7em", "armv6m"]),
        ("armv7emdp", 1, ["armv7emsp", "armv7em", "armv6m"]),
        ("armv7em", 0, ["armv6m"]),
        ("armv7emdp", 0, ["armv6m"]),
        ("armv7em", None, ["armv6m"]),
        ("armv7m", 0, ["armv6m"]),
    ],
)
def test_folders(arch, answer, wanted):
    assert folders(arch, answer) == wanted
