# tflm_tools: sent to a board: which kernels its tflm does not have
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.op_resolver import OpResolver


# Those of these names that cannot be found; custom and control-flow records are no files.
def lacking(names):
    resolver = OpResolver()
    found = []
    for name in names:
        if name[:7] == "custom." or name[:8] == "control.":
            continue
        try:
            resolver.kernel(name)
        except Exception:
            found.append(name)
    return found
