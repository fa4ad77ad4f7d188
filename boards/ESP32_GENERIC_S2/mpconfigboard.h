// ESP32-S2 (generic module) with tflm: the port's own board, and models that are read in place from ROMFS.
// MIT license; Copyright (c) 2026 the tflm authors

#include "boards/ESP32_GENERIC_S2/mpconfigboard.h"

#define MICROPY_VFS_ROM (1)
#define MICROPY_VFS_ROM_IOCTL (1)
