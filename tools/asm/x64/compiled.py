# Machine code for x86-64 of viper functions of kernels/ that are no kernels
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from ..language.machines.x64 import X64Machine
from ..language.viper import translate_function
from ..language.viper_file import ViperFile

_KERNELS = Path(__file__).resolve().parents[3] / "modules" / "tflm" / "kernels"


def kernel(file, name, machine):
    """Return the Kernel of a function, whose arguments are passed as they are."""
    return translate_function(_KERNELS / f"{file}.py", name, machine)


def text(file, name):
    """Return the source of the stub with the machine code of a function."""
    machine = X64Machine()
    return machine.compile(kernel(file, name, machine))


def constants(file):
    """Return {name: number} of a kernel file."""
    return ViperFile(_KERNELS / f"{file}.py").constants
