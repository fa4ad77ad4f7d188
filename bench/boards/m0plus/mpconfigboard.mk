# The Cortex-M0+ of core.py: the core of an RP2040, flash at 0, 4 MB of RAM, the UART of an nRF51.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/MICROBIT/mpconfigboard.mk

# Viper and the inline assembler for ARMv6-M, as ports/rp2 has them for the RP2040.
CFLAGS += -DMICROPY_EMIT_THUMB=1 -DMICROPY_EMIT_THUMB_ARMV7M=0 -DMICROPY_EMIT_INLINE_THUMB=1
CFLAGS += -mcpu=cortex-m0plus
LDSCRIPT = $(BOARD_DIR)/../arm.ld
