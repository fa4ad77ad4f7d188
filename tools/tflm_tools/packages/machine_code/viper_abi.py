# tflm_tools: machine code: how MicroPython calls a function of kind viper, on every architecture
# MIT license; Copyright (c) 2026 the tflm authors

# Such a function is called with its own object, the number of arguments, the number of those by
# keyword, and a pointer to them all; it returns an object, an int being 2 * n + 1. The second word
# of its object is the context of its module, whose fourth word points to the module's constants.
# One of these may be the table of the runtime's functions (mp_fun_table in py/nativeglue.h), the
# same from MicroPython 1.23 on.

# Places in that table: mp_native_from_obj(object, type), mp_arg_check_num_sig(arguments, keywords,
# signature).
FROM_OBJECT, CHECK_ARGUMENTS = 3, 44
# The type of viper's ptr8: the address of an object with a buffer, or the value of an int.
POINTER = 5


def signature(arguments):
    """What mp_arg_check_num_sig() takes for a function of so many arguments."""
    return arguments << 17 | arguments << 1
