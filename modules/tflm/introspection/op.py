# tflm: Op: what tables, the profiler and delegates are told of a step
# MIT license; Copyright (c) 2026 the tflm authors


# One op of a program, for tables and the profiler; delegates are shown the rest, too.
class Op:
    is_ordered = False  # units must run in ascending order, on one core
    operands = 0
    record_bytes = 0
    scratch = ()  # (operand number, bytes) of scratch buffers that no other op has

    def __init__(self, node_index, builtin_code, kernel):
        self.node_index = node_index
        self.builtin_code = builtin_code
        self.kernel = kernel

    # What only delegates want to know.
    def describe(self, operands, record_bytes, scratch):
        self.operands = operands
        self.record_bytes = record_bytes
        self.scratch = scratch
        return self


# An Op for each step of all lists of a flat model. `describe`: as delegates are shown them.
def describe_ops(model, describe=True):
    scratch = model.scratch() if describe else {}
    ops = []
    for number in range(model.subgraphs_length()):
        first, count, _, _, _ = model.subgraph(number)
        for i in range(first, first + count):
            kernel, code, node, record, operands, _ = model.op(i)
            op = Op(node, code, kernel)
            op.is_ordered = model.is_ordered(i) or i in model.alone
            ops.append(op.describe(operands, len(record), scratch.get(i, ())))
    return ops
