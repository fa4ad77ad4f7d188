# Raspberry Pi Pico with tflm frozen in: the port's own board, and our manifest.
# MIT license; Copyright (c) 2026 the tflm authors

include(${MICROPY_PORT_DIR}/boards/RPI_PICO/mpconfigboard.cmake)
set(MICROPY_BOARD_PINS ${MICROPY_PORT_DIR}/boards/RPI_PICO/pins.csv)
set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)
include(${MICROPY_BOARD_DIR}/../common/hot_code.cmake)
