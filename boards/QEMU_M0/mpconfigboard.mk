# A Cortex-M0 in qemu (the nRF51 of a micro:bit with more memory), with tflm frozen in.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/MICROBIT/mpconfigboard.mk
QEMU_DIR := $(abspath $(BOARD_DIR)/../common)
include $(QEMU_DIR)/qemu.mk

# Viper and the inline assembler for ARMv6-M, as ports/rp2 has them for the RP2040.
CFLAGS += -DMICROPY_EMIT_THUMB=1 -DMICROPY_EMIT_THUMB_ARMV7M=0 -DMICROPY_EMIT_INLINE_THUMB=1
MPY_CROSS_FLAGS := -march=armv6m
MICROPY_HEAP_SIZE ?= 229376
