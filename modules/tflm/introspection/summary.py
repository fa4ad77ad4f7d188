# tflm: The text of print(interp) and interp.summary(), in 80 columns.
# MIT license; Copyright (c) 2026 the tflm authors

from .profiler import tag

_COLUMNS = 79  # a terminal of 80 columns wraps a line of 80
_TENSOR = "%-10s %-13s %-7s %8s  %-9s %4s  %s"


# Return a number in groups of three digits, as in the tables of the command tflm.
def _grouped(number):
    return "{:,}".format(number).replace(",", " ")


# Return the lines with those that are too long cut; ".." marks a cut.
def _fitting(lines):
    return [line if len(line) <= _COLUMNS else line[: _COLUMNS - 2] + ".." for line in lines]


# Return the text of print(interp): inputs, outputs and operators.
def described(program):
    lines = ["<Interpreter %d ops, arena %d bytes" % (len(program.ops), program.used_bytes)]
    for what, tensors in (("input", program.inputs), ("output", program.outputs)):
        for i, tensor in enumerate(tensors):
            cells = what, i, tensor.dtype, list(tensor.shape), tensor.name
            lines.append("  %s %d: %s %s %s" % cells)
    for op in program.ops:
        lines.append("  op %d: %s (%s)" % (op.node_index, tag(op), op.kernel))
    return "\n".join(_fitting(lines)) + ">"


# Return the row of a tensor: label, shape, type, bytes, scale, zero point, name.
def _tensor_line(what, tensor):
    shape = "x".join([str(n) for n in tensor.shape]) or "scalar"
    scale, zero = "-", "-"
    if tensor.scale:
        scale, zero = "%.5g" % tensor.scale, tensor.zero_point
    return _TENSOR % (
        what, shape, tensor.dtype, _grouped(len(tensor.raw)), scale, zero, tensor.name
    )  # fmt: skip


# Return the lines of summary() for a Program and its allocations (allocations.py).
def lines_of(program, allocations):
    lines = [_TENSOR % ("tensor", "shape", "type", "bytes", "scale", "zero", "name")]
    for what, tensors in (("input", program.inputs), ("output", program.outputs)):
        for i, tensor in enumerate(tensors):
            lines.append(_tensor_line("%s %d" % (what, i), tensor))
    for number in sorted(program.tensors):
        lines.append(_tensor_line("tensor %d" % number, program.tensors[number]))
    lines += ["", "%4s  %-28s %-28s %7s %7s" % ("op", "operator", "kernel", "units", "a slice")]
    steps = [step for graph in program.graphs for step in graph]
    for op, (_, _, units, slice_units) in zip(program.ops, steps):
        units = max(units, 0)  # < 0: each band computes its units
        at_once = min(abs(slice_units) or units, units)  # 0: one slice
        short = op.kernel if len(op.kernel) <= 28 else ""
        cells = op.node_index, tag(op)[:28], short, units or "-", at_once or "-"
        lines.append("%4d  %-28s %-28s %7s %7s" % cells)
        if not short:
            lines.append("      " + op.kernel)
    lines += ["", "arena %s bytes" % _grouped(program.used_bytes)]
    for section, what, _, size in allocations:
        lines.append("  %-6s %-48s %9s" % (section, what[:48], _grouped(size)))
    return _fitting(lines)
