# bench: runs kernels for Xtensa from their sources, with their machine code in an emulator
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

from tflm_tools.packages.machine_code import listing
from xtensa_core import Core

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzz.kernel_tracer import KERNELS, Machine

# Portable files, and the files of Xtensa whose functions stand in for theirs.
STAND_INS = {
    "mac16": (("lanes", "mac16_asm"), ("mac16_multiply", "mac16_asm"),
              ("depthwise_plane", "mac16_depthwise_asm"), ("mac16_rows", "mac16_depthwise_asm")),
    "lanes": (("lanes", "lanes_asm"), ("lanes_multiply", "lanes_asm")),
    "pie": (("pie_multiply", "pie_asm"), ("pie_plane", "pie_depthwise_asm")),
}  # fmt: skip


def packing_of(kernel):
    """Return the key of STAND_INS for a kernel, such as "pie" for "conv_pie.eval_int8"."""
    return kernel.partition(".")[0].rpartition("_")[2]


def code_of(file):
    """Return {function: (machine code, number of arguments)} of a file in xtensawin/gen/."""
    source = (KERNELS / "xtensawin" / "gen" / f"{file}.py").read_text()
    return {name: (code, count) for name, count, code in listing.functions(source)}


class Xtensa(Machine):
    """Kernels in CPython, whose inner functions are machine code in the emulator.

    calls: number of calls of machine code. code_of(file): as above. watch(address, is_write) is
    called before each memory access of machine code.
    """

    def __init__(self, kernel, code_of=code_of, watch=None):
        super().__init__(32)
        self.core = Core(self._read, self._write)
        self.calls = 0
        self._watch = watch
        packing = packing_of(kernel)
        for portable, file in STAND_INS.get(packing, ()):
            functions = {name: self._function(*code) for name, code in code_of(file).items()}
            if "stride_2" in kernel and packing == "mac16" and "rows_3x3" in functions:
                functions["rows_3x3"] = functions["rows_3x3_stride_2"]
            self._files[portable] = functions

    def _read(self, address, size):
        if self._watch:
            self._watch(address, False)
        data, at = self.locate(address, size, False)
        return int.from_bytes(data[at : at + size], "little")

    def _write(self, address, size, value):
        if self._watch:
            self._watch(address, True)
        data, at = self.locate(address, size, True)
        data[at : at + size] = value.to_bytes(size, "little")

    def _function(self, code, count):
        def run(*arguments):
            self.calls += 1
            return self.core.call(code, [int(x) for x in arguments[:count]])

        return run
