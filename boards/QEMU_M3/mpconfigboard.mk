# A Cortex-M3 in qemu (the Arm MPS2 with AN385), with tflm frozen in.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/MPS2_AN385/mpconfigboard.mk
QEMU_DIR := $(abspath $(BOARD_DIR)/../common)
include $(QEMU_DIR)/qemu.mk

MICROPY_HEAP_SIZE ?= 1048576
