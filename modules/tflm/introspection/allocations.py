# tflm: What uses the bytes of an arena, in the sections of TFLM's RecordingMicroAllocator.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import format as layout
from ..arena import align_up
from ..dtypes import INT8

# An allocation is (section, what, count, bytes); the count is None if unknown.
HEAD = "head"
TAIL = "tail"
REST = "rest"

ACTIVATIONS = "Activations and scratch buffers"
PERSISTENT = "Persistent buffer data"
VARIABLES = "TfLiteTensor variable buffer data"
RECORDS = "Operator runtime data"
TABLES = "Operator tables"


# Return the allocations of a .tflite, from MicroAllocator.counts.
def allocations_of_counts(counts):
    whats = (ACTIVATIONS, PERSISTENT, VARIABLES, RECORDS, TABLES)
    items = [(TAIL, what, count, size) for what, (count, size) in zip(whats, counts)]
    return [(HEAD,) + items[0][1:]] + [item for item in items[1:] if item[2]]


# Return True for a variable tensor of the model. The table also lists the state of operators, as
# int8 tensors without name and scale.
def _is_tensor(name, dtype, scale_bits):
    return bool(name) or scale_bits != 0 or dtype != INT8


# Return the allocations of a FlatModel. `copied`: bytes of records copied to a shared arena.
def allocations_of_flat(model, copied=0):
    items = [(HEAD, ACTIVATIONS, None, model.head_bytes)]
    persistent = model.arena_bytes - model.head_bytes
    count = variables = 0
    for i in range(model.tensors_length()):
        _, size, name, dtype, _, flags, _, scale_bits = model.tensor(i)
        if flags & layout.TENSOR_VARIABLE and _is_tensor(name, dtype, scale_bits):
            count += 1
            variables += align_up(size)
    if persistent > variables:
        items.append((TAIL, PERSISTENT, None, persistent - variables))
    if variables:
        items.append((TAIL, VARIABLES, count, variables))
    if copied:
        items.append((TAIL, RECORDS, None, copied))
    return items


# Return the bytes of allocations.
def _total(items):
    return sum([item[3] for item in items])


# Return allocations plus the bytes that they leave unexplained, so that the sum is `used_bytes`.
def with_rest(items, used_bytes, why):
    rest = used_bytes - _total(items)
    return items + [(REST, why, None, rest)] if rest else items


# Return lines of text in the order of TFLM's PrintAllocations.
def lines_of(items):
    lines = ["%-40s %8d bytes" % ("Arena allocation total", _total(items))]
    for section in (HEAD, TAIL, REST):
        own = [item for item in items if item[0] == section]
        if section != REST:
            lines.append("%-40s %8d bytes" % ("Arena allocation " + section, _total(own)))
        for _, what, count, size in own:
            many = "" if count is None else " in %d" % count
            lines.append("  %-38s %8d bytes%s" % (what, size, many))
    return lines


# Return the allocations of a Program in its arena. `shared`: others use the arena, too. `tail`:
# bytes that a FlatModel uses in the tail of a shared arena, else None.
def allocations_of(program, model, shared, tail, delegates):
    if program.allocation_counts is not None:
        items = allocations_of_counts(program.allocation_counts)
    else:
        persistent = model.arena_bytes - model.head_bytes
        items = allocations_of_flat(model, 0 if tail is None else tail - persistent)
    why = "Delegates, alignment" if delegates else "Alignment"
    return with_rest(
        items, program.used_bytes, "Others in this arena, alignment" if shared else why
    )
