# The machines of the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from .rv32 import Rv32Machine
from .thumb import ThumbMachine
from .thumb_dsp import ThumbDspMachine
from .thumb_fpu import ThumbFpuMachine
from .xtensa import XtensaMachine

# {folder in modules/tflm/kernels: the class}
MACHINES = {
    machine.name: machine
    for machine in (ThumbMachine, ThumbDspMachine, ThumbFpuMachine, Rv32Machine, XtensaMachine)
}
