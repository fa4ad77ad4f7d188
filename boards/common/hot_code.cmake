# A Pico's linker script with what is hot in RAM: flash has wait states, and its cache is small
# MIT license; Copyright (c) 2026 the tflm authors

# The port's own script leaves out of flash what it takes for hot, by names of objects that end in
# .obj. The SDK calls them .o, so nothing fits, and all lies in flash. Here the virtual machine and
# the collector go to RAM as the script means it (not parse.c: no model needs it while it runs), and
# with them what firmware/sources.py lets mpy-tool.py put into sections .text.kernels, tflm's kernels
# for a Cortex-M and what hands units to core 1: some 23 KB of the heap.
if(PICO_PLATFORM MATCHES "rp2350")
    set(hot_code_script memmap_mp_rp2350.ld)
else()
    set(hot_code_script memmap_mp_rp2040.ld)
endif()
set(hot_code_before "*gc.c.obj *vm.c.obj *parse.c.obj) .text*)")
set(hot_code_after "*py/gc.c.o* *py/vm.c.o* *frozen_content.c.o*) .text*)
        *frozen_content.c.o*(.text)")
file(READ ${MICROPY_PORT_DIR}/${hot_code_script} hot_code_text)
string(FIND "${hot_code_text}" "${hot_code_before}" hot_code_found)
if(hot_code_found EQUAL -1)
    message(WARNING "${hot_code_script} is not as this board knows it: hot code stays in flash")
else()
    string(REPLACE "${hot_code_before}" "${hot_code_after}" hot_code_text "${hot_code_text}")
    set(MICROPY_BOARD_LINKER_SCRIPT ${CMAKE_BINARY_DIR}/memmap.ld)
    file(WRITE ${MICROPY_BOARD_LINKER_SCRIPT} "${hot_code_text}")
endif()
