# The linker script of a Pico with hot code in RAM: flash has wait states and a small cache
# MIT license; Copyright (c) 2026 the tflm authors

# Code that a model runs repeatedly is copied to RAM with .data at boot. It takes 40 KB of the heap:
# 1. The virtual machine. The script of the port intends this, but it names objects *.obj where the
#    SDK has *.o. The garbage collector stays in flash, as no model runs it.
# 2. The sections .text.kernels, in which firmware/sources.py lets mpy-tool.py store the kernels for
#    Cortex-M, except cold ones, and the code that hands units to core 1.
# 3. The functions of MicroPython that each step of a model calls. The weights of a step would
#    remove them from the cache.
set(hot_code_functions
    # The loop over steps, in bytecode.
    mp_binary_op mp_obj_equal_not_equal mp_obj_is_true mp_obj_get_type mp_map_lookup mp_load_global
    mp_unpack_sequence mp_iternext_allow_raise type_get_iternext polymorph_it_iternext
    list_it_iternext mp_obj_tuple_get mp_cstack_check mp_cstack_usage mp_thread_get_state
    # Calls of kernels and their arguments.
    fun_viper_call fun_asm_call convert_obj_for_inline_asm fun_builtin_0_call mp_call_function_n_kw
    mp_native_call_function_n_kw mp_native_swap_globals mp_native_from_obj mp_native_to_obj
    mp_arg_check_num_sig mp_obj_get_int_truncated mp_obj_int_get_truncated mp_obj_new_int
    mp_get_buffer array_get_buffer mp_binary_get_size mp_small_int_floor_divide
    # Hand-over of units to core 1.
    list_subscr mp_obj_subscr mp_get_index mp_obj_list_store mp_obj_get_array nlr_push nlr_push_tail
    nlr_pop time_ticks_us
)

# The linker reads hot.ld before the script of the port; the first script that names a section gets
# it. From the script of the port, the memory regions move to hot.ld, and on an RP2040 also the end of
# the copied data.
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
    message(WARNING "${hot_code_script} has an unknown layout: hot code stays in flash")
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
    # Options of the target come before the options of the linked libraries.
    cmake_language(DEFER CALL target_link_options ${MICROPY_TARGET} PRIVATE
        "LINKER:--script=${CMAKE_BINARY_DIR}/hot.ld")
endif()
