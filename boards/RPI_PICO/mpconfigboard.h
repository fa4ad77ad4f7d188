// Raspberry Pi Pico with tflm: the port's own board, the REPL on UART 0 too, and flash for models.
// MIT license; Copyright (c) 2026 the tflm authors

#include "boards/RPI_PICO/mpconfigboard.h"

// tools/tflm_tools/board/profile_files/RPI_PICO.toml has the same numbers: 1088 KB of firmware, 448 KB of models,
// 512 KB of files.
#undef MICROPY_HW_FLASH_STORAGE_BYTES
#define MICROPY_HW_FLASH_STORAGE_BYTES (512 * 1024)
// `make firmware FLASH_MB=` adds the rest of a larger flash to the models.
#ifndef TFLM_MORE_FLASH_BYTES
#define TFLM_MORE_FLASH_BYTES (0)
#endif
#define MICROPY_HW_ROMFS_BYTES (448 * 1024 + TFLM_MORE_FLASH_BYTES)

#define MICROPY_HW_ENABLE_UART_REPL (1)

// Flash at 100 MHz when machine.freq() makes the core faster: its limit is 133. Without this the port
// slows it down to 50 MHz for a core of 200, as it keeps to what flash has at 125.
#define MICROPY_HW_FLASH_MAX_FREQ (100 * 1000 * 1000)
