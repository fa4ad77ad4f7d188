# tflm: Write a .tflm with a network and a Learner's head.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .. import format as layout
from ..arena import align_up
from ..introspection.labels import NAME as LABELS
from ..micropython_port import crc32, struct
from .store import write

_CUSTOM = 32  # BuiltinOperator: the builtin code of the added operator
_SCORES = "scores"

# The words of the records of kernels/learnt.py after the units.
LAYOUTS = {
    "eval_prototypes": ("input", "output", "means", "size"),
    "eval_neighbours": (
        "input", "output", "examples", "numbers", "found", "size", "count", "classes", "k",
    ),
    "eval_sgd": ("input", "output", "means", "weights", "size"),
}  # fmt: skip


# The network's bytes keep their positions, because its records refer to them. Tables that get one
# more entry are written again after them, then the record and what the head has learnt. The scores
# are in the arena after all that the network uses, so its plan does not change.
class _Image:
    def __init__(self, model):
        self.model = model
        self.start = self.at = align_up(len(model.buffer))
        self.added = []
        self.sections = [model._section(i) for i in range(layout.SECTIONS)]

    # Append bytes at a multiple of 16; return their position.
    def add(self, data):
        at = self.at
        self.added.append(data)
        self.at = align_up(at + len(data))
        return at

    # Return the entries of a table as bytes.
    def entries(self, section, entry_bytes):
        start, count = self.sections[section]
        return bytearray(self.model.buffer[start : start + count * entry_bytes])

    # Replace a section by data with `count` entries.
    def replace(self, section, data, count):
        self.sections[section] = self.add(data), count

    # Return the header and the bytes after it, as a list of buffers.
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
        for data in self.added:
            rest += [data, bytes(align_up(len(data)) - len(data))]
        struct.pack_into(layout.HEADER, header, 0, *fields)
        crc = crc32(header[layout.CRC_START :])
        for data in rest:
            crc = crc32(data, crc)
        struct.pack_into("<I", header, layout.CRC_OFFSET, crc & 0xFFFFFFFF)
        return [header] + rest


def save_model(path, model, feature, head, count, labels):
    """Write a .tflm whose output 0 is the scores of `head` (heads.py): int32, one for each class.

    model: the FlatModel of the network. feature: number of the kept tensor with the features;
    None: output 0. count: number of examples. labels: of the classes. The network's outputs
    follow the scores. Its signatures are left out.
    """
    image = _Image(model)
    names = image.entries(layout.NAMES, 1)
    scores_at = model.arena_bytes
    record = list(head.record)
    record[1] = _word_of(model, feature)
    record[2] = scores_at << 2 | layout.IN_TAIL
    arena_bytes = align_up(scores_at + 4 * head.classes)
    sizes = head.learnt_bytes(count)
    for name in sizes:
        operand = LAYOUTS[head.kernel].index(name) + 1
        if name == "found":
            record[operand] = arena_bytes << 2 | layout.IN_TAIL
            arena_bytes = align_up(arena_bytes + sizes[name])
        else:
            at = head.record[operand] >> 2
            record[operand] = image.add(head.memory[at : at + sizes[name]]) << 2 | 1
    operands = 2 + len(sizes)
    data = struct.pack("<%dI" % len(record), *record)
    record_at = image.add(data)
    records, _ = image.sections[layout.RECORDS]
    image.sections[layout.RECORDS] = records, record_at + len(data) - records

    kernels = image.entries(layout.KERNELS, layout.KERNEL_BYTES)
    kernel = len(kernels) // layout.KERNEL_BYTES
    kernels.extend(struct.pack(layout.KERNEL, _name(names, "learnt." + head.kernel)))
    image.replace(layout.KERNELS, kernels, kernel + 1)
    _add_op(image, (kernel, _CUSTOM), (operands, record[0], record_at, len(data)))
    entry = (scores_at << 2 | layout.IN_TAIL, 4 * head.classes, _name(names, _SCORES))
    _add_output(image, entry + (dtypes.INT32, 2, 0, 0, 0, 1, head.classes, 0, 0, 0, 0, 0, 0))
    _add_metadata(image, names, labels)
    image.replace(layout.NAMES, names, len(names))
    write(path, image.finish(arena_bytes))


# Return the operand word of a kept tensor, or of output 0.
def _word_of(model, number):
    *_, inputs, outputs = model.subgraph()
    for i in range(inputs + outputs, model.tensors_length()):
        word, _, _, _, _, flags, _, _ = model.tensor(i)
        if not flags & layout.TENSOR_VARIABLE and flags >> 1 == number:
            return word
    return model.tensor(inputs)[0]


# Append a text to the names; return its offset there.
def _name(names, text):
    data = text.encode()
    names.append(len(data))
    names.extend(data)
    return len(names) - len(data) - 1


# Append an operator to the main list; all later lists start one operator later.
def _add_op(image, kernel, rest):
    model = image.model
    _, count, _, inputs, outputs = model.subgraph()
    ops = image.entries(layout.OPS, layout.OP_BYTES)
    node = 1 + max([model.op(i)[2] for i in range(len(ops) // layout.OP_BYTES)])
    at = count * layout.OP_BYTES
    ops = ops[:at] + struct.pack(layout.OP, *kernel, node, *rest) + ops[at:]
    image.replace(layout.OPS, ops, len(ops) // layout.OP_BYTES)
    lists = image.entries(layout.SUBGRAPHS, layout.SUBGRAPH_BYTES)
    struct.pack_into(layout.SUBGRAPH, lists, 0, 0, count + 1, 0, inputs, outputs + 1)
    for i in range(1, model.subgraphs_length()):
        first, *others = model.subgraph(i)
        struct.pack_into(layout.SUBGRAPH, lists, i * layout.SUBGRAPH_BYTES, first + 1, *others)
    image.replace(layout.SUBGRAPHS, lists, model.subgraphs_length())


# Insert an entry of a tensor as output 0.
def _add_output(image, entry):
    tensors = image.entries(layout.TENSORS, layout.TENSOR_BYTES)
    at = image.model.subgraph()[3] * layout.TENSOR_BYTES
    tensors = tensors[:at] + struct.pack(layout.TENSOR, *entry) + tensors[at:]
    image.replace(layout.TENSORS, tensors, len(tensors) // layout.TENSOR_BYTES)


# Write the metadata with other labels, and without signatures, whose outputs would be wrong.
def _add_metadata(image, names, labels):
    model = image.model
    text = "\n".join([str(label).replace("\n", " ") for label in labels]).encode()
    table = struct.pack(layout.METADATA_ENTRY, _name(names, LABELS), image.add(text), len(text))
    for i in range(image.sections[layout.METADATA][1]):
        entry = model.entry(layout.METADATA, layout.METADATA_ENTRY, layout.METADATA_BYTES, i)
        name = model.name(entry[0])
        if name == layout.SCRATCH:
            data = _renumbered_scratch(model, bytes(model.buffer[entry[1] : entry[1] + entry[2]]))
            entry = entry[0], image.add(data), len(data)
        if name not in (LABELS, layout.SIGNATURES):
            table += struct.pack(layout.METADATA_ENTRY, *entry)
    image.replace(layout.METADATA, table, len(table) // layout.METADATA_BYTES)


# Return the description of scratch buffers; operators of later lists have higher numbers now.
def _renumbered_scratch(model, data):
    found = b""
    size = struct.calcsize(layout.SCRATCH_ENTRY)
    for at in range(0, len(data) - size + 1, size):
        op, *others = struct.unpack_from(layout.SCRATCH_ENTRY, data, at)
        found += struct.pack(layout.SCRATCH_ENTRY, op + (op >= model.subgraph()[1]), *others)
    return found
