# tflm_tools: sent to a board: which kernels its tflm does not have
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.op_resolver import OpResolver


# Those of these names that cannot be found; custom and control-flow records are no kernels, but
# not each firmware has what takes an input by rows.
def lacking(names):
    resolver = OpResolver()
    found = []
    for name in names:
        if name[:7] == "custom." or name[:8] == "control." and name != "control.rows":
            continue
        try:
            if name == "control.rows":
                __import__("tflm.run.rows")
            else:
                resolver.kernel(name)
        except Exception:
            found.append(name)
    return found
