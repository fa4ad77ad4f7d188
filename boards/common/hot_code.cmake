# A Pico's linker script with what is hot in RAM: flash has wait states, and its cache is small
# MIT license; Copyright (c) 2026 the tflm authors

# What runs again and again while a model does, copied to RAM with .data as the board starts, some
# 40 KB of the heap: the virtual machine, as the port's own script means it (that names objects
# *.obj, the SDK *.o, so all of it lies in flash; the collector may stay there, as no model runs
# it); what firmware/sources.py lets mpy-tool.py put into sections .text.kernels, tflm's kernels for
# a Cortex-M but for cold ones and what hands units to core 1; and the functions of MicroPython that
# a step of a model calls, which weights push out of the cache before the next one.
set(hot_code_functions
    # The loop over steps, in bytecode.
    mp_binary_op mp_obj_equal_not_equal mp_obj_is_true mp_obj_get_type mp_map_lookup mp_load_global
    mp_unpack_sequence mp_iternext_allow_raise type_get_iternext polymorph_it_iternext
    list_it_iternext mp_obj_tuple_get mp_cstack_check mp_cstack_usage mp_thread_get_state
    # Calls of kernels, and what these are given.
    fun_viper_call fun_asm_call convert_obj_for_inline_asm fun_builtin_0_call mp_call_function_n_kw
    mp_native_call_function_n_kw mp_native_swap_globals mp_native_from_obj mp_native_to_obj
    mp_arg_check_num_sig mp_obj_get_int_truncated mp_obj_int_get_truncated mp_obj_new_int
    mp_get_buffer array_get_buffer mp_binary_get_size mp_small_int_floor_divide
    # What hands units to core 1.
    list_subscr mp_obj_subscr mp_get_index mp_obj_list_store mp_obj_get_array nlr_push nlr_push_tail
    nlr_pop time_ticks_us
)

# A script of its own, which the linker reads before the port's: of two that name a section the first
# gets it. The port's script stays as it is but for the regions of memory, which the first one needs
# already, and on an RP2040 for the end of what is copied.
if(PICO_PLATFORM MATCHES "rp2350")
    set(hot_code_script memmap_mp_rp2350.ld)
    set(hot_code_end "")
else()
    set(hot_code_script memmap_mp_rp2040.ld)
    set(hot_code_end "__data_end__ = .;")
endif()
file(READ ${MICROPY_PORT_DIR}/${hot_code_script} hot_code_text)
string(REGEX MATCH "MEMORY[^{]*{[^}]*}" hot_code_memory "${hot_code_text}")
string(FIND "${hot_code_text}" "${hot_code_end}" hot_code_found)
if(NOT hot_code_memory OR hot_code_found EQUAL -1)
    message(WARNING "${hot_code_script} is not as this board knows it: hot code stays in flash")
else()
    string(REPLACE "${hot_code_memory}" "" hot_code_text "${hot_code_text}")
    if(hot_code_end)
        string(REPLACE "${hot_code_end}" "" hot_code_text "${hot_code_text}")
    endif()
    list(TRANSFORM hot_code_functions PREPEND "*(.text." OUTPUT_VARIABLE hot_code_sections)
    list(TRANSFORM hot_code_sections APPEND ")")
    list(JOIN hot_code_sections "\n        " hot_code_sections)
    file(WRITE ${CMAKE_BINARY_DIR}/hot.ld "${hot_code_memory}
SECTIONS
{
    .hot : ALIGN_WITH_INPUT {
        *py/vm.c.o*(.text*)
        *(.text.kernels)
        ${hot_code_sections}
        . = ALIGN(4);
        ${hot_code_end}
    } > RAM AT> FLASH
} INSERT AFTER .data;
ASSERT(ADDR(.hot) - LOADADDR(.hot) == ADDR(.data) - LOADADDR(.data), \".hot is not copied with .data\")
")
    file(WRITE ${CMAKE_BINARY_DIR}/memmap.ld "${hot_code_text}")
    set(MICROPY_BOARD_LINKER_SCRIPT ${CMAKE_BINARY_DIR}/memmap.ld)
    # Options of the target itself come before those of the libraries that it is linked with.
    cmake_language(DEFER CALL target_link_options ${MICROPY_TARGET} PRIVATE
        "LINKER:--script=${CMAKE_BINARY_DIR}/hot.ld")
endif()
