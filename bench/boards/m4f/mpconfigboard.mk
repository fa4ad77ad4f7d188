# A Cortex-M4 with an FPU: qemu's board mps2-an386. bench/qemu_arm.py turns the FPU on.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/MPS2_AN385/mpconfigboard.mk

QEMU_MACHINE = mps2-an386
CFLAGS += -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16
