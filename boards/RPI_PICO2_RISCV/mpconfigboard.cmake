# Raspberry Pi Pico 2 with tflm frozen in, on its RISC-V cores (Hazard3): the port's variant RISCV.
# MIT license; Copyright (c) 2026 the tflm authors

include(${MICROPY_PORT_DIR}/boards/RPI_PICO2/mpconfigboard.cmake)
include(${MICROPY_PORT_DIR}/boards/RPI_PICO2/mpconfigvariant_RISCV.cmake)
set(MICROPY_BOARD_PINS ${MICROPY_PORT_DIR}/boards/RPI_PICO2/pins.csv)
set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)
