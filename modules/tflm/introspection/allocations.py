# tflm: what takes the bytes of an arena, in the sections of TFLM's RecordingMicroAllocator
# MIT license; Copyright (c) 2026 the tflm authors

from .. import format as layout
from ..arena import align_up
from ..dtypes import INT8

# A part is (section, what, how many, bytes); how many is None where nobody counted.
HEAD = "head"
TAIL = "tail"
REST = "rest"

ACTIVATIONS = "Activations and scratch buffers"
PERSISTENT = "Persistent buffer data"
VARIABLES = "TfLiteTensor variable buffer data"
RECORDS = "Operator runtime data"
TABLES = "Operator tables"


# The parts of a .tflite, from the counts of its MicroAllocator.
def parts_of_uses(uses):
    whats = (ACTIVATIONS, PERSISTENT, VARIABLES, RECORDS, TABLES)
    parts = [(TAIL, what, count, size) for what, (count, size) in zip(whats, uses)]
    return [(HEAD,) + parts[0][1:]] + [part for part in parts[1:] if part[2]]


# True for a variable of the model: what operators keep is listed among them, as plain bytes.
def _is_tensor(name, dtype, scale_bits):
    return bool(name) or scale_bits != 0 or dtype != INT8


# The parts of a FlatModel; `moved` are bytes of records that are copied into a shared arena.
def parts_of_flat(model, moved=0):
    parts = [(HEAD, ACTIVATIONS, None, model.head_bytes)]
    persistent = model.arena_bytes - model.head_bytes
    count = variables = 0
    for i in range(model.tensors_length()):
        _, size, name, dtype, _, flags, _, scale_bits = model.tensor(i)
        if flags & layout.TENSOR_VARIABLE and _is_tensor(name, dtype, scale_bits):
            count += 1
            variables += align_up(size)
    if persistent > variables:
        parts.append((TAIL, PERSISTENT, None, persistent - variables))
    if variables:
        parts.append((TAIL, VARIABLES, count, variables))
    if moved:
        parts.append((TAIL, RECORDS, None, moved))
    return parts


# The parts, and the bytes that none of them accounts for, so that all together are `used_bytes`.
def with_rest(parts, used_bytes, why):
    rest = used_bytes - sum([part[3] for part in parts])
    return parts + [(REST, why, None, rest)] if rest else parts


# Lines of text in the order of TFLM's PrintAllocations.
def lines_of(parts):
    total = sum([part[3] for part in parts])
    lines = ["%-40s %8d bytes" % ("Arena allocation total", total)]
    for section in (HEAD, TAIL, REST):
        own = [part for part in parts if part[0] == section]
        if section != REST:
            size = sum([part[3] for part in own])
            lines.append("%-40s %8d bytes" % ("Arena allocation " + section, size))
        for _, what, count, size in own:
            many = "" if count is None else " in %d" % count
            lines.append("  %-38s %8d bytes%s" % (what, size, many))
    return lines


# The parts of a Program in its arena, which it may share; `tail`: bytes of the tail that a
# FlatModel takes there, None where it lies as the file says.
def parts_of(program, model, shared, tail, delegates):
    if program.uses is not None:
        parts = parts_of_uses(program.uses)
    else:
        persistent = model.arena_bytes - model.head_bytes
        parts = parts_of_flat(model, 0 if tail is None else tail - persistent)
    why = "Delegates, alignment" if delegates else "Alignment"
    return with_rest(
        parts, program.used_bytes, "Others in this arena, alignment" if shared else why
    )
