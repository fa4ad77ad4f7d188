# ESP32-C6 (generic module) with tflm frozen in: the port's own board, our partitions and our manifest.
# MIT license; Copyright (c) 2026 the tflm authors

include(${CMAKE_SOURCE_DIR}/boards/ESP32_GENERIC_C6/mpconfigboard.cmake)
set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)

# ESP-IDF wants the path of the partition table in a file.
file(WRITE ${CMAKE_BINARY_DIR}/sdkconfig.tflm
    "CONFIG_PARTITION_TABLE_CUSTOM_FILENAME=\"${MICROPY_BOARD_DIR}/partitions.csv\"\n")
list(APPEND SDKCONFIG_DEFAULTS ${CMAKE_BINARY_DIR}/sdkconfig.tflm)
