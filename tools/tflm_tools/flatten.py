# tflm_tools: flatten: from a .tflite to the flat model that boards read in place
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import hashlib
import struct

from tflm import dtypes, labels, signature
from tflm import format as layout
from tflm.arena import MAX_BYTES, align_up
from tflm.custom_op import KERNEL as CUSTOM_KERNEL
from tflm.errors import ModelError, UnsupportedError
from tflm.prepare_model import prepare_model
from tflm.tflite import TfliteModel

from .custom import CheckingResolver, HostResolver, RecordingContext, complete
from .labels import archived_labels
from .optimize.graph import Graph, is_in_order
from .optimize.memory.levels import BALANCED, OFF, Levels
from .optimize.savings import apply_savings, chosen
from .packing import fit, steps
from .rom import RomStorage
from .scratch import pack_scratch

_MAX_RECORDS = 65535
_MOST_OPERATORS = 512  # of a model that is made cheaper; larger ones stay as they are


def prepare(
    tflite,
    resolver=None,
    keep_tensors=False,
    target=None,
    packing=None,
    savings=(),
    optimize=OFF,
):
    """Prepare a .tflite (bytes) on the host: (model, RomStorage) with plan and records.

    savings: names of passes of optimize/savings.py; without any, the model is as it is written.
    optimize: a level of optimize/memory/levels.py; OFF leaves memory as TFLM plans it.
    """
    model, _ = saved_model(tflite, resolver, savings)
    model = at_level(model, optimize, resolver, target, packing)
    return model, prepare_graph(model, resolver, keep_tensors, target, packing)


def saved_model(tflite, resolver=None, savings=(), input_shapes=None):
    """The model of a .tflite (bytes), changed by `savings`, and what these saved.

    input_shapes: {number of an input: shape} for other ones than those of the file.
    Returns (TfliteModel or Graph, list of Saving). Raises tflm.TflmError as Prepare of the model
    as it is written does: passes may rely on what is checked there.
    """
    model = TfliteModel(tflite, input_shapes)
    resolver = resolver or HostResolver()
    if not savings or resolver._builtin:  # what a user's operators do is not known
        return model, []
    prepare_graph(model, CheckingResolver(resolver))
    if not _may_change(model):
        return model, []
    graph = Graph(model)
    return graph, apply_savings(graph, savings)


# Passes and searches compare each operator with each other one.
def _may_change(model):
    return sum(s.nodes_length() for s in model.subgraphs) <= _MOST_OPERATORS and is_in_order(model)


def prepare_graph(model, resolver=None, keep_tensors=False, target=None, packing=None):
    """Prepare a TfliteModel or Graph: a RomStorage with plan and records."""
    storage = RomStorage()
    storage.start_model_allocation(model)
    context = RecordingContext(storage, target=target, packing=packing)
    custom = prepare_model(model, context, resolver or HostResolver(), keep_tensors)
    for record in storage.records:
        if record.kernel.startswith(CUSTOM_KERNEL):
            complete(record, record.node, context)
    for node in custom.values():
        node.free()
    return storage


def at_level(model, level, resolver=None, target=None, packing=None):
    """What saved_model() returned, as a level of optimize/memory/levels.py makes it."""
    levels = None if level == OFF else levels_of(model, resolver, target, packing)
    return model if levels is None else levels.model(level)[0]


def levels_of(model, resolver=None, target=None, packing=None):
    """The Levels of what saved_model() returned; None where a user's operators are in the way.

    The same for a model that is not in order (see optimize.graph.is_in_order) or very large.
    """
    resolver = resolver or HostResolver()
    if resolver._builtin or not _may_change(model):
        return None
    tries = CheckingResolver(resolver)

    def prepare(model):
        return prepare_graph(model, tries, target=target, packing=packing)

    return Levels(model, prepare, target, packing)


def flatten(
    tflite,
    resolver=None,
    keep_tensors=False,
    target=None,
    flash_budget=None,
    without=(),
    optimize=BALANCED,
    input_shapes=None,
):
    """The flat model (bytes) of a .tflite (bytes).

    keep_tensors: every tensor gets a place and a table entry of its own, for debugging; nothing
    is saved then.
    target: one of prepare.lanes.TARGETS packs weights for that instruction set, which costs flash.
    flash_budget: bytes that the flat model may have; layers that gain least get smaller.
    without: savings to leave out, as docs/optimizer.md names them; "all" leaves out all.
    optimize: "ram", "balanced" or "speed": what RAM may cost, see docs/memory.md; "off" leaves
    memory as TFLM plans it.
    input_shapes: {number of an input: shape} for other ones than those of the file.
    Raises tflm.TflmError for what is damaged or not supported.
    """
    savings = chosen(("all",) if keep_tensors else without)
    model, _ = saved_model(tflite, resolver, savings, input_shapes)
    if not keep_tensors:
        model = at_level(model, optimize, resolver, target)
    return image_within(tflite, model, resolver, keep_tensors, target, flash_budget)


def image_within(tflite, model, resolver=None, keep_tensors=False, target=None, flash_budget=None):
    """The bytes of a .tflm from what saved_model() returned, with at most `flash_budget` bytes."""
    return packed_within(tflite, model, resolver, keep_tensors, target, flash_budget)[0]


def packed_within(
    tflite, model, resolver=None, keep_tensors=False, target=None, flash_budget=None
):
    """image_within(), and how weights are stored where that is not as fast as can be.

    Returns (bytes, {operator's number: a constant of prepare.lanes}).
    """
    storage = prepare_graph(model, resolver, keep_tensors, target)
    image = image_of(tflite, model, storage, keep_tensors)
    if flash_budget is None or len(image) <= flash_budget:
        return image, {}

    def build(packing):
        storage = prepare_graph(model, resolver, keep_tensors, target, packing)
        return image_of(tflite, model, storage, keep_tensors)

    image, packing = fit(build, steps(storage), flash_budget)
    if image is None:
        raise UnsupportedError(
            f"the .tflm does not fit {flash_budget} bytes of flash, however it is packed; "
            "use a smaller model"
        )
    return image, packing


def image_of(tflite, model, storage, keep_tensors=False):
    """The bytes of a .tflm from what prepare() returned."""
    _check_records(storage.records)
    storage.records.sort(key=lambda record: record.step_list)
    names = _Names()
    subgraph = model.subgraphs[0]
    kernels = sorted({record.kernel for record in storage.records})
    tensors = _listed_tensors(model, storage, subgraph, keep_tensors)
    # Constants that are outputs, and metadata, join the constants before these are placed.
    constant_words = [storage.constant_tensor(t) if t.is_constant() else 0 for t, _, _ in tensors]
    metadata = [
        (names.add(name), storage.constant(data, 1) >> 2, len(data))
        for name, data in _metadata(tflite, model, storage).items()
        if len(data)
    ]
    kernel_names = [names.add(kernel) for kernel in kernels]
    tensor_names = [names.add(name) for _, _, name in tensors]
    no_name = names.add("") if storage.states else 0

    sizes = [
        len(kernels) * layout.KERNEL_BYTES,
        storage.step_lists * layout.SUBGRAPH_BYTES,
        len(storage.records) * layout.OP_BYTES,
        (len(tensors) + len(storage.states)) * layout.TENSOR_BYTES,
        len(names.data),
        len(metadata) * layout.METADATA_BYTES,
        sum(4 * len(r.words) + len(r.table) for r in storage.records),
        len(storage.constants),
    ]
    starts = []
    at = layout.HEADER_BYTES
    for size in sizes:
        starts.append(at)
        at = align_up(at + size)
    if at > MAX_BYTES:
        raise UnsupportedError(
            f"the .tflm would have {at} bytes, at most {MAX_BYTES} can be addressed; "
            "use a smaller model"
        )
    constants_at = starts[layout.CONSTANTS]

    sections = [b""] * layout.SECTIONS
    sections[layout.KERNELS] = _table(layout.KERNEL, [(name,) for name in kernel_names])
    sections[layout.SUBGRAPHS] = _table(layout.SUBGRAPH, _step_lists(storage, subgraph))
    sections[layout.OPS], sections[layout.RECORDS] = _ops_and_records(
        storage, kernels, starts[layout.RECORDS], constants_at
    )
    entries = []
    for (tensor, flags, _), name, word in zip(tensors, tensor_names, constant_words, strict=True):
        if tensor.is_constant():
            word = storage.operand_word(word, constants_at)
        elif tensor.nbytes():
            word = storage.tensor_word(tensor.index)
        entries.append(_tensor_entry(tensor, word, name, flags))
    entries += [_state_entry(storage, *state, no_name) for state in storage.states]
    sections[layout.TENSORS] = _table(layout.TENSOR, entries)
    sections[layout.NAMES] = names.data
    sections[layout.METADATA] = _table(
        layout.METADATA_ENTRY, [(name, at + constants_at, size) for name, at, size in metadata]
    )
    sections[layout.CONSTANTS] = storage.constants
    counts = [
        len(kernels),
        storage.step_lists,
        len(storage.records),
        len(entries),
        sizes[layout.NAMES],
    ]
    counts += [len(metadata), sizes[layout.RECORDS], sizes[layout.CONSTANTS]]
    return _assemble(tflite, storage, sections, starts, counts, at)


# Refuse what a flat model has no room for.
def _check_records(records):
    if len(records) > _MAX_RECORDS:
        raise UnsupportedError(
            f"the model makes {len(records)} kernel calls, a .tflm holds {_MAX_RECORDS}; "
            "use a smaller model"
        )


# Metadata of the .tflite, its labels that lie in an archive, its signatures, and what delegates
# have to know of scratch buffers.
def _metadata(tflite, model, storage):
    found = model.metadata()
    text = archived_labels(tflite, found)
    if text is not None:
        found[labels.NAME] = text
    found.pop(layout.SIGNATURES, None)
    found[layout.SCRATCH] = pack_scratch(storage)
    try:
        table = signature.table_of(model)
        if table:
            found[layout.SIGNATURES] = signature.pack(table)
    except (ModelError, struct.error):
        pass  # the model runs without them, as in TFLM
    return found


class _Names:
    """The names section: each string once, behind a byte with its length."""

    def __init__(self):
        self.data = bytearray()
        self._known = {}

    def add(self, text):
        if text not in self._known:
            # Cut to 255 bytes, at a character.
            raw = text.encode()[:255].decode(errors="ignore").encode()
            self._known[text] = len(self.data)
            self.data.append(len(raw))
            self.data += raw
        return self._known[text]


# Packed entries of one section.
def _table(kind, entries):
    return b"".join(struct.pack(kind, *entry) for entry in entries)


# Inputs, then outputs, then variables, then (kept) all others: (tensor, flags, name).
def _listed_tensors(model, storage, subgraph, keep_tensors):
    found = []
    for i in list(subgraph.inputs) + list(subgraph.outputs):
        tensor = subgraph.tensor(i)
        found.append((tensor, 0, tensor.name))
    for index in sorted(storage.variables):
        found.append((model.tensor(index), layout.TENSOR_VARIABLE, ""))
    if keep_tensors:
        for index in sorted(storage.tensors):
            tensor = model.tensor(index)
            found.append((tensor, index << 1, tensor.name))
    return found


def _tensor_entry(tensor, word, name, flags):
    rank = len(tensor.shape)
    shape = tuple(tensor.shape) + (0,) * (layout.MAX_RANK - rank)
    quantization = (tensor.zero_point(), tensor.scale_bits())
    return (word, tensor.nbytes(), name, tensor.dtype, rank, flags, *quantization, *shape)


# An entry for each sub-graph and for each list of copies; only sub-graph 0 has its inputs and
# outputs listed.
def _step_lists(storage, main):
    counts = [0] * storage.step_lists
    for record in storage.records:
        counts[record.step_list] += 1
    entries, first = [], 0
    for number, count in enumerate(counts):
        io = (0, 0) if number else (len(main.inputs), len(main.outputs))
        entries.append((first, count, 0, *io))
        first += count
    return entries


# What an operator keeps besides variable tensors, as a variable of bytes; the zero point says
# which byte reset() writes.
def _state_entry(storage, at, size, value, name):
    word = (storage.head_bytes + at) << 2 | layout.IN_TAIL
    shape = (size,) + (0,) * (layout.MAX_RANK - 1)
    return (word, size, name, dtypes.INT8, 1, layout.TENSOR_VARIABLE, value, 0, *shape)


# The op table and the records it leads to, their operands made final.
def _ops_and_records(storage, kernels, records_at, constants_at):
    ops, records = [], bytearray()
    for record in storage.records:
        words = list(record.words)
        for k in range(1, record.operands + 1):
            words[k] = storage.operand_word(words[k], constants_at)
        data = struct.pack(f"<{len(words)}I", *words) + record.table
        ops.append(
            (
                kernels.index(record.kernel),
                record.node.builtin_code,
                record.node.index,
                record.operands | (layout.ORDERED if record.ordered else 0),
                record.slice_units,
                records_at + len(records),
                len(data),
            )
        )
        records += data
    return _table(layout.OP, ops), records


# Sections at their places, then the header, whose CRC comes last.
def _assemble(tflite, storage, sections, starts, counts, size):
    image = bytearray(size)
    for start, section in zip(starts, sections, strict=True):
        image[start : start + len(section)] = section
    for i, entry in enumerate(zip(starts, counts, strict=True)):
        struct.pack_into(layout.SECTION, image, layout.SECTIONS_OFFSET + 8 * i, *entry)
    digest = hashlib.sha256(tflite).digest()[: layout.HASH_BYTES]
    image[layout.HASH_OFFSET : layout.HASH_OFFSET + layout.HASH_BYTES] = digest
    sizes = (layout.HEADER_BYTES, size, 0, storage.arena_bytes, storage.head_bytes, 0)
    struct.pack_into(layout.HEADER, image, 0, layout.MAGIC, layout.VERSION, *sizes)
    crc = binascii.crc32(memoryview(image)[layout.CRC_START :])
    struct.pack_into("<I", image, layout.CRC_OFFSET, crc)
    return bytes(image)
