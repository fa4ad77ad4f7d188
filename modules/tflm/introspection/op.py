# tflm: Op: the description of a step for tables, the profiler and delegates.
# MIT license; Copyright (c) 2026 the tflm authors


# A step of a Program. The attributes with defaults are for delegates.
class Op:
    is_ordered = False  # units must run in ascending order, on one core
    operands = 0
    record_bytes = 0
    scratch = ()  # (operand number, bytes) of scratch buffers that no other op has

    def __init__(self, node_index, builtin_code, kernel):
        self.node_index = node_index
        self.builtin_code = builtin_code
        self.kernel = kernel

    # Set what only delegates need; return self.
    def describe(self, operands, record_bytes, scratch):
        self.operands = operands
        self.record_bytes = record_bytes
        self.scratch = scratch
        return self


# Return an Op for each step of all lists of a flat model.
def describe_ops(model):
    scratch = model.scratch()
    kernels = model.kernels()
    ops = []
    for number in range(model.subgraphs_length()):
        first, count, _, _, _ = model.subgraph(number)
        for i in range(first, first + count):
            kernel, code, node, record, operands, _ = model.op(i, kernels)
            op = Op(node, code, kernel)
            op.is_ordered = model.is_ordered(i) or i in model.single_core_ops
            ops.append(op.describe(operands, len(record), scratch.get(i, ())))
    return ops
