# tflm: tail: a .tflm with a Learner's head behind its network, for plain tflm.load
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .. import format as layout
from ..arena import align_up
from ..introspection.labels import NAME as LABELS
from ..micropython_port import crc32, struct
from .store import write

_CUSTOM = 32  # BuiltinOperator, the code that the operator is told with
_SCORES = "scores"

# The words of the records of kernels/learnt.py, behind the units.
LAYOUTS = {
    "eval_prototypes": ("input", "output", "means", "size"),
    "eval_neighbours": (
        "input", "output", "examples", "numbers", "found", "size", "count", "classes", "k",
    ),
    "eval_sgd": ("input", "output", "means", "weights", "size"),
}  # fmt: skip


# The bytes of the network stay where they are, as its records point into them. The tables that
# get an entry more are written again behind them, then come the record and what was learnt; the
# scores lie behind all that the network has of an arena, so that nothing of its plan moves.
class _Tail:
    def __init__(self, model):
        self.model = model
        self.start = self.at = align_up(len(model.buffer))
        self.parts = []
        self.sections = [model._section(i) for i in range(layout.SECTIONS)]

    # Append bytes, the next ones at a multiple of 16; returns where they lie.
    def add(self, data):
        at = self.at
        self.parts.append(data)
        self.at = align_up(at + len(data))
        return at

    # The entries of a section of tables, as bytes.
    def entries(self, section, entry_bytes):
        start, count = self.sections[section]
        return bytearray(self.model.buffer[start : start + count * entry_bytes])

    # Put a section of so many entries in place of the old one.
    def replace(self, section, data, count):
        self.sections[section] = self.add(data), count

    # (header, then the bytes behind it, part by part).
    def finish(self, arena_bytes):
        model = self.model
        header = bytearray(model.buffer[: layout.HEADER_BYTES])
        for i in range(layout.SECTIONS):
            struct.pack_into(
                layout.SECTION, header, layout.SECTIONS_OFFSET + 8 * i, *self.sections[i]
            )
        fields = list(struct.unpack_from(layout.HEADER, header, 0))
        fields[3], fields[4], fields[5] = self.at, 0, arena_bytes
        rest = [model.buffer[layout.HEADER_BYTES :], bytes(self.start - len(model.buffer))]
        for part in self.parts:
            rest += [part, bytes(align_up(len(part)) - len(part))]
        struct.pack_into(layout.HEADER, header, 0, *fields)
        crc = crc32(header[layout.CRC_START :])
        for part in rest:
            crc = crc32(part, crc)
        struct.pack_into("<I", header, layout.CRC_OFFSET, crc & 0xFFFFFFFF)
        return [header] + rest


def save_model(path, model, feature, head, count, labels):
    """Write a .tflm whose output 0 are the scores of `head` (heads.py), int32, one for each class.

    model: the FlatModel. feature: the number of the kept tensor with the features; None: output
    0. count: of the examples. The network's own outputs come behind, its signatures are left out.
    """
    tail = _Tail(model)
    names = tail.entries(layout.NAMES, 1)
    scores_at = model.arena_bytes
    record = list(head.record)
    record[1] = _word_of(model, feature)
    record[2] = scores_at << 2 | layout.IN_TAIL
    arena_bytes = align_up(scores_at + 4 * head.classes)
    sizes = head.parts(count)
    for name in sizes:
        operand = LAYOUTS[head.kernel].index(name) + 1
        if name == "found":
            record[operand] = arena_bytes << 2 | layout.IN_TAIL
            arena_bytes = align_up(arena_bytes + sizes[name])
        else:
            at = head.record[operand] >> 2
            record[operand] = tail.add(head.memory[at : at + sizes[name]]) << 2 | 1
    operands = 2 + len(sizes)
    data = struct.pack("<%dI" % len(record), *record)
    record_at = tail.add(data)
    records, _ = tail.sections[layout.RECORDS]
    tail.sections[layout.RECORDS] = records, record_at + len(data) - records

    kernels = tail.entries(layout.KERNELS, layout.KERNEL_BYTES)
    kernel = len(kernels) // layout.KERNEL_BYTES
    kernels.extend(struct.pack(layout.KERNEL, _name(names, "learnt." + head.kernel)))
    tail.replace(layout.KERNELS, kernels, kernel + 1)
    _add_op(tail, (kernel, _CUSTOM), (operands, record[0], record_at, len(data)))
    entry = (scores_at << 2 | layout.IN_TAIL, 4 * head.classes, _name(names, _SCORES))
    _add_output(tail, entry + (dtypes.INT32, 2, 0, 0, 0, 1, head.classes, 0, 0, 0, 0, 0, 0))
    _add_metadata(tail, names, labels)
    tail.replace(layout.NAMES, names, len(names))
    write(path, tail.finish(arena_bytes))


# The operand word of a kept tensor, or of output 0.
def _word_of(model, number):
    *_, inputs, outputs = model.subgraph()
    for i in range(inputs + outputs, model.tensors_length()):
        word, _, _, _, _, flags, _, _ = model.tensor(i)
        if not flags & layout.TENSOR_VARIABLE and flags >> 1 == number:
            return word
    return model.tensor(inputs)[0]


# Where a text lies in the names, which it is appended to.
def _name(names, text):
    data = text.encode()
    names.append(len(data))
    names.extend(data)
    return len(names) - len(data) - 1


# Append an operator to the main list; the lists behind it begin one later.
def _add_op(tail, kernel, rest):
    model = tail.model
    _, count, _, inputs, outputs = model.subgraph()
    ops = tail.entries(layout.OPS, layout.OP_BYTES)
    node = 1 + max([model.op(i)[2] for i in range(len(ops) // layout.OP_BYTES)])
    at = count * layout.OP_BYTES
    ops = ops[:at] + struct.pack(layout.OP, *kernel, node, *rest) + ops[at:]
    tail.replace(layout.OPS, ops, len(ops) // layout.OP_BYTES)
    lists = tail.entries(layout.SUBGRAPHS, layout.SUBGRAPH_BYTES)
    struct.pack_into(layout.SUBGRAPH, lists, 0, 0, count + 1, 0, inputs, outputs + 1)
    for i in range(1, model.subgraphs_length()):
        first, *others = model.subgraph(i)
        struct.pack_into(layout.SUBGRAPH, lists, i * layout.SUBGRAPH_BYTES, first + 1, *others)
    tail.replace(layout.SUBGRAPHS, lists, model.subgraphs_length())


# Insert a tensor entry as output 0.
def _add_output(tail, entry):
    tensors = tail.entries(layout.TENSORS, layout.TENSOR_BYTES)
    at = tail.model.subgraph()[3] * layout.TENSOR_BYTES
    tensors = tensors[:at] + struct.pack(layout.TENSOR, *entry) + tensors[at:]
    tail.replace(layout.TENSORS, tensors, len(tensors) // layout.TENSOR_BYTES)


# The metadata with other labels, and without signatures, which would name outputs wrongly.
def _add_metadata(tail, names, labels):
    model = tail.model
    text = "\n".join([str(label).replace("\n", " ") for label in labels]).encode()
    table = struct.pack(layout.METADATA_ENTRY, _name(names, LABELS), tail.add(text), len(text))
    for i in range(tail.sections[layout.METADATA][1]):
        entry = model.entry(layout.METADATA, layout.METADATA_ENTRY, layout.METADATA_BYTES, i)
        name = model.name(entry[0])
        if name == layout.SCRATCH:
            data = _moved(model, bytes(model.buffer[entry[1] : entry[1] + entry[2]]))
            entry = entry[0], tail.add(data), len(data)
        if name not in (LABELS, layout.SIGNATURES):
            table += struct.pack(layout.METADATA_ENTRY, *entry)
    tail.replace(layout.METADATA, table, len(table) // layout.METADATA_BYTES)


# Scratch buffers of ops, whose numbers grow behind the main list.
def _moved(model, data):
    found = b""
    size = struct.calcsize(layout.SCRATCH_ENTRY)
    for at in range(0, len(data) - size + 1, size):
        op, *others = struct.unpack_from(layout.SCRATCH_ENTRY, data, at)
        found += struct.pack(layout.SCRATCH_ENTRY, op + (op >= model.subgraph()[1]), *others)
    return found
