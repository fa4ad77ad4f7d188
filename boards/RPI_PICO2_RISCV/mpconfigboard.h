// Raspberry Pi Pico 2 on its RISC-V cores: the board and the flash of the Arm cores.
// MIT license; Copyright (c) 2026 the tflm authors

#include "../RPI_PICO2/mpconfigboard.h"
