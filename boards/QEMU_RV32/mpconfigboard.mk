# An RV32 in qemu (its virt machine), with tflm frozen in: the instructions of an ESP32-C3.
# MIT license; Copyright (c) 2026 the tflm authors

include boards/VIRT_RV32/mpconfigboard.mk
QEMU_DIR := $(abspath $(BOARD_DIR)/../common)
include $(QEMU_DIR)/qemu.mk

# Debian 12's GCC has libraries for plain rv32imac only; Zicsr comes with the older ISA version.
RV32_ARCH = rv32imac
AFLAGS += -misa-spec=2.2
# As on a stock ESP32-C3: no inline assembler.
ifeq ($(TFLM_STOCK),1)
CFLAGS += -DMP_CONFIGFILE='"$(QEMU_DIR)/no_assembler.h"'
endif
MICROPY_HEAP_SIZE ?= 1048576
