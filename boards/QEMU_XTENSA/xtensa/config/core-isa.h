// What MicroPython 1.29 asks of an Xtensa core: its numbers, as firmware/xtensa.py has them.
// MIT license; Copyright (c) 2026 the tflm authors
#include "xtensa-config.h"
