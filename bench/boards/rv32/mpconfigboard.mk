# The RV32 of core.py: RV32IMC as in an ESP32-C3, memory and UART as in m0plus.
# MIT license; Copyright (c) 2026 the tflm authors

QEMU_ARCH = riscv32
QEMU_MACHINE = cycles
RV32_ARCH = rv32imac
AFLAGS += -misa-spec=2.2
CFLAGS += -DQEMU_SOC_NRF51 -DMICROPY_HW_MCU_NAME='"RV32"'
LDFLAGS += -nostdlib
LIBS = $(shell $(CC) $(AFLAGS) -print-libgcc-file-name)
LDSCRIPT = $(BOARD_DIR)/../rv32.ld
SRC_BOARD_O += shared/runtime/gchelper_native.o shared/runtime/gchelper_rv32i.o
