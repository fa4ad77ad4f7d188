# Raspberry Pi Pico 2 with tflm frozen in: the port's own board for its Arm cores, and our manifest.
# MIT license; Copyright (c) 2026 the tflm authors

include(${MICROPY_PORT_DIR}/boards/RPI_PICO2/mpconfigboard.cmake)
set(PICO_PLATFORM "rp2350")
set(MICROPY_BOARD_PINS ${MICROPY_PORT_DIR}/boards/RPI_PICO2/pins.csv)
set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)
include(${MICROPY_BOARD_DIR}/../common/hot_code.cmake)
