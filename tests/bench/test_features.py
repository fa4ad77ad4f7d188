# Tests of the power spectra and filters of tflm.features in assembler, on the emulated Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from packed_cases import BUILD, emulated, firmware_of, require_firmware
from tflm_tools.board import romfs_image

require_firmware("m0plus")
# Computes the FFT and the powers of numbers of each kind with the assembler, then without it, and
# compares all words. Then it filters numbers in both ways. A second import of the modules finds
# no function in the assembler's module.
_SCRIPT = """
import cycles_device, sys
from array import array
from tflm import features
from tflm.features import fft as assembler, filters, tables

stage = sys.modules["tflm.features.armv6m.stage"]
run_stage = stage.run_stage
run_section = stage.run_section
del sys.modules["tflm.features.fft"], features.fft, stage.run_stage
del sys.modules["tflm.features.filters"], features.filters, stage.run_section
from tflm.features import fft as portable, filters as portable_filters
stage.run_stage, stage.run_section = run_stage, run_section
assert assembler.run_stage and portable.run_stage is None
assert filters.run_section and portable_filters.run_section is None

LIMIT = (1 << 28) - 1
seed = 1


# Return a number of 28 bits with a sign.
def random():
    global seed
    seed = (seed * 1103515 + 12345) & 0xFFFFFF
    return (seed << 5) - LIMIT


# Return the FFT and powers; the second powers are the larger ones of two exponents.
def spectra(module, numbers, size):
    work = array("i", numbers + [0] * (4 * size - len(numbers)))
    pairs, table = size // 2, tables.fft_table(size)
    cycles_device.count(1)  # which looks at the alignment of loads and stores
    module.transform(work, 0, len(numbers), size, pairs, table)
    for target, exponents in ((2 * size, (156, 150, 157)), (3 * size, (60, 40))):
        for i, exponent in enumerate(exponents):
            module.power(work, size, pairs, table, target, exponent, int(i > 0))
    cycles_device.count(0)
    return work[size:]


for size in (8, 16, 64):
    noise = [random() for _ in range(size)]
    faint = [number >> 16 for number in noise]
    for numbers in noise, noise[: size - 3], faint, [LIMIT, -LIMIT] * (size // 2), [-LIMIT] * size:
        found = spectra(assembler, numbers, size)
        assert found == spectra(portable, numbers, size), (size, numbers[:4])
        assert any(found[:size]) and any(found[size : 2 * size]) and any(found[2 * size :])


# Return numbers after all sections of a filter.
def filtered(module, numbers, kind, order, cutoff):
    work = array("i", [5] + numbers + [7])
    table = tables.butterworth_table(kind, order, cutoff, 100)
    cycles_device.count(1)
    for section in range(len(table) // 8):
        module.filter_section(work, 1, len(numbers), table, section)
    cycles_device.count(0)
    return work


for case in (("low", 6, 8), ("high", 4, 3), ("low", 2, 1), ("high", 8, 40)):
    for numbers in [random() >> 2 for _ in range(40)], [LIMIT >> 2] * 20, [-LIMIT >> 3, 0, 0, 9]:
        found = filtered(filters, numbers, *case)
        assert found == filtered(portable_filters, numbers, *case), case
        assert found[0] == 5 and found[-1] == 7 and any(found[1:-1])
print("equal")
"""


def test_assembler_equals_portable():
    modules = emulated.modules(BUILD, emulated.ARCHS["m0plus"])
    wanted = "tflm/features/", "tflm/kernels/float", "tflm/kernels/armv6m/float"
    wanted += "tflm/kernels/machine_code", "tflm/kernels/armv6m/__init__"
    wanted += ("tflm/kernels/armv6m/gen/float32",)
    names = [name for name in modules if name.startswith(wanted) or name.count("/") < 2]
    files = romfs_image.image({name: modules[name] for name in names})
    said = emulated.run("m0plus", firmware_of("m0plus"), files, _SCRIPT, alignment=True)
    assert said["error"] == "" and said["text"].strip() == "equal"
