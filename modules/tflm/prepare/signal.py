# tflm: checks that the operators of TFLM's signal library share in Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_dtype


# Return the values of the options called `names`, which must be in alphabetical order: TFLM reads
# them by position, so that a vector is allowed as well as a map.
def options(node, *names):
    values = node.custom_values()
    if isinstance(values, list):
        values = dict(zip(names, values))
    check(isinstance(values, dict), node, "the options are not a map")
    found = []
    for name in names:
        value = values.get(name)
        # MicroPython's bool is not an int.
        check(isinstance(value, (bool, int)), node, "the option '%s' is missing" % name)
        found.append(int(value))
    return found


# Refuse an option outside low..high.
def check_option(node, name, value, low, high):
    check(low <= value <= high, node, "the option '%s' is %d" % (name, value))


# Refuse a tensor that is not of this type and rank.
def check_tensor(node, tensor, dtype, rank):
    check_dtype(node, tensor, dtype)
    check(len(tensor.shape) == rank, node, "%s must have the rank %d" % (tensor, rank))
