# The Cortex-M33 of core.py: the core of an RP2350 with its FPU; all else as in m0plus.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/MICROBIT/mpconfigboard.mk

# Compiled for the Cortex-M4, whose instructions (DSP included) the M33 has: MicroPython's
# gchelper_thumb2.s says .cpu cortex-m4, and the linker does not take that for an M33.
CFLAGS += -DMICROPY_EMIT_THUMB=1 -DMICROPY_EMIT_INLINE_THUMB=1
CFLAGS += -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16
SRC_BOARD_O = shared/runtime/gchelper_native.o shared/runtime/gchelper_thumb2.o
LDSCRIPT = $(BOARD_DIR)/../arm.ld
