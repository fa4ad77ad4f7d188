# tflm_tools: custom operators that a compiler or another runtime left in a model, by their names
# MIT license; Copyright (c) 2026 the tflm authors


def remedy(name):
    """What to do about a custom operator that nobody can register here; "" for any other one."""
    if name == "edgetpu-custom-op":
        return "it was compiled for an Edge TPU: take the file from before the compiler"
    if name == "ethos-u":
        return "it was compiled for an Ethos-U: take the file from before vela"
    if name.startswith("XC_"):
        return "it was compiled for XMOS: take the file from before the compiler"
    if name.startswith("Flex"):
        return "convert with OpsSet.TFLITE_BUILTINS only, and see what the converter says"
    return ""
