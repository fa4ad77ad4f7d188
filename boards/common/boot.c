// The qemu port goes straight to the REPL; wrapped around mp_init(), this runs _boot.py and main.py first.
// MIT license; Copyright (c) 2026 the tflm authors

#include "py/runtime.h"
#include "shared/runtime/pyexec.h"

void __real_mp_init(void);

void __wrap_mp_init(void) {
    __real_mp_init();
    pyexec_frozen_module("_boot.py", false);
    // As other ports do it: not when a tool has soft-reset the board in the raw REPL.
    if (pyexec_mode_kind == PYEXEC_MODE_FRIENDLY_REPL) {
        pyexec_file_if_exists("main.py");
    }
}
