# Tests of the FFT of tflm.features in assembler, on the emulated Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from packed_cases import BUILD, emulated, firmware_of, needs_firmware
from tflm_tools.board import romfs_image

pytestmark = needs_firmware("m0plus")
# Transforms numbers of each kind with the assembler, then without it, and compares all words. The
# second import of fft.py finds a module of the assembler without run_stage().
_SCRIPT = """
import cycles_device, sys
from array import array
from tflm import features
from tflm.features import fft as assembler, tables

stage = sys.modules["tflm.features.armv6m.stage"]
run_stage = stage.run_stage
del sys.modules["tflm.features.fft"], features.fft, stage.run_stage
from tflm.features import fft as portable
stage.run_stage = run_stage
assert assembler.run_stage and portable.run_stage is None

LIMIT = (1 << 28) - 1
seed = 1


# Return a number of 28 bits with a sign.
def random():
    global seed
    seed = (seed * 1103515 + 12345) & 0xFFFFFF
    return (seed << 5) - LIMIT


def transformed(module, numbers, size):
    work = array("i", numbers + [0] * (2 * size - len(numbers)))
    cycles_device.count(1)  # which looks at the alignment of loads and stores
    module.transform(work, 0, len(numbers), size, size // 2, tables.fft_table(size))
    cycles_device.count(0)
    return work[size:]


for size in (8, 16, 64):
    noise = [random() for _ in range(size)]
    for numbers in noise, noise[: size - 3], [LIMIT, -LIMIT] * (size // 2), [-LIMIT] * size:
        found = transformed(assembler, numbers, size)
        assert found == transformed(portable, numbers, size), (size, numbers[:4])
        assert any(found) == any(numbers)
print("equal")
"""


def test_assembler_equals_portable_fft():
    modules = emulated.modules(BUILD, emulated.ARCHS["m0plus"])
    wanted = "tflm/features/", "tflm/kernels/float", "tflm/kernels/armv6m/float"
    names = [name for name in modules if name.startswith(wanted) or name.count("/") < 2]
    files = romfs_image.image({name: modules[name] for name in names})
    said = emulated.run("m0plus", firmware_of("m0plus"), files, _SCRIPT, alignment=True)
    assert said["error"] == "" and said["text"].strip() == "equal"
