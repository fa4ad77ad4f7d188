# tflm_tools: board: runs on a board: finds the kernels that its tflm lacks
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.op_resolver import OpResolver


# Return the names that the board does not have. Records of custom operators and control flow have
# no kernels; of the latter, only the code for input by rows may be missing.
def missing_kernels(names):
    resolver = OpResolver()
    missing = []
    for name in names:
        if name[:7] == "custom." or name[:8] == "control." and name != "control.rows":
            continue
        try:
            if name == "control.rows":
                __import__("tflm.run.rows")
            else:
                resolver.kernel(name)
        except Exception:
            missing.append(name)
    return missing
