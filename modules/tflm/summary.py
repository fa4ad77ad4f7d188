# tflm: what Interpreter.summary() prints: tensors, operators and arena in 80 columns
# MIT license; Copyright (c) 2026 the tflm authors

from .profiler import tag

_COLUMNS = 79  # a terminal of 80 columns would break a line of 80


# A number of bytes in groups of three digits, as the host's tables have it.
def _grouped(number):
    text = str(number)
    first = len(text) % 3 or 3
    return " ".join([text[:first]] + [text[i : i + 3] for i in range(first, len(text), 3)])


# A tensor: what it is, its shape, type, bytes, scale and name.
def _tensor_line(what, tensor):
    shape = "x".join([str(n) for n in tensor.shape]) or "scalar"
    line = "%-10s %-15s %-8s %9s  " % (what, shape, tensor.dtype, _grouped(len(tensor.raw)))
    if tensor.scale:
        line += "%-11s %5d  " % ("%.5g" % tensor.scale, tensor.zero_point)
    else:
        line += "%-11s %5s  " % ("-", "-")
    return line + tensor.name


# Lines of text about a Program whose arena has `parts` (allocations.py).
def lines_of(program, parts):
    lines = ["%-10s %-15s %-8s %9s  %-11s %5s  %s" % (
        "tensor", "shape", "type", "bytes", "scale", "zero", "name"
    )]  # fmt: skip
    for what, tensors in (("input", program.inputs), ("output", program.outputs)):
        for i, tensor in enumerate(tensors):
            lines.append(_tensor_line("%s %d" % (what, i), tensor))
    for number in sorted(program.tensors):
        lines.append(_tensor_line("tensor %d" % number, program.tensors[number]))
    lines += ["", "%4s  %-28s %-28s %7s %7s" % ("op", "operator", "kernel", "units", "a slice")]
    steps = [step for graph in program.graphs for step in graph]
    for op, (_, _, units, slice_units) in zip(program.ops, steps):
        cells = (
            op.node_index,
            tag(op)[:28],
            op.kernel[:28],
            units or "-",
            min(slice_units, units),
        )
        lines.append("%4d  %-28s %-28s %7s %7s" % (cells[:4] + (cells[4] or "-",)))
    lines += ["", "arena %s bytes" % _grouped(program.used_bytes)]
    for section, what, _, size in parts:
        lines.append("  %-6s %-48s %9s" % (section, what[:48], _grouped(size)))
    return [line[:_COLUMNS] for line in lines]
