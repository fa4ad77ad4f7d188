# tflm_tools: packages: constants of the calling convention of MicroPython's viper functions
# MIT license; Copyright (c) 2026 the tflm authors

# A viper function is called with its own object, the number of arguments, the number of keyword
# arguments, and a pointer to the arguments. It returns an object; the int n is 2 * n + 1. The
# second word of the function's object is the context of its module. The fourth word of the context
# points to the module's constants. A constant may be the runtime's function table (mp_fun_table in
# py/nativeglue.h), which is the same since MicroPython 1.23.

# Indices in that table: mp_native_from_obj(object, type), mp_arg_check_num_sig(arguments,
# keywords, signature).
FROM_OBJECT, CHECK_ARGUMENTS = 3, 44
# The type of viper's ptr8: the address of an object with a buffer, or the value of an int.
POINTER = 5


def signature(arguments):
    """Return the signature that mp_arg_check_num_sig() expects for this number of arguments."""
    return arguments << 17 | arguments << 1
