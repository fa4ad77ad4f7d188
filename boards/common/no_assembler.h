// The configuration of the qemu port, without the inline assembler that it has for RV32.
// MIT license; Copyright (c) 2026 the tflm authors

#include <mpconfigport.h>
#undef MICROPY_EMIT_INLINE_RV32
#define MICROPY_EMIT_INLINE_RV32 (0)
