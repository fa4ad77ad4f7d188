# The RV32 of core.py with a firmware as an ESP32-C3 has it: without an inline assembler.
# MIT license; Copyright (c) 2026 the tflm authors

include $(BOARD_DIR)/../rv32/mpconfigboard.mk
CFLAGS += -DMP_CONFIGFILE='"$(abspath $(BOARD_DIR)/../../../boards/common)/no_assembler.h"'
