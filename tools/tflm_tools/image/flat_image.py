# tflm_tools: writes the bytes of a .tflm file, its sections and tables, from a RomStorage
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import hashlib
import struct

from tflm import dtypes
from tflm import format as layout
from tflm.arena import KEEP_ALL, KEEP_INPUTS, MAX_BYTES, align_up
from tflm.errors import ModelError, UnsupportedError
from tflm.introspection import labels, signature

from ..model.graph import feature_count, kept_input_count
from ..model.labels import archived_labels
from .scratch_metadata import pack_scratch

_MAX_RECORDS = 65535


def image_of(tflite, model, storage, keep_tensors=False, more_metadata=None):
    """Return the bytes of a .tflm.

    tflite: the bytes of the source file. model, storage: as flat.flatten.prepare() returns them.
    keep_tensors: list all tensors, for debugging. more_metadata: {name: bytes}.
    Raises UnsupportedError if the file's layout cannot hold the model.
    """
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
        for name, data in (_metadata(tflite, model, storage) | (more_metadata or {})).items()
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
        sum(record.nbytes() for record in storage.records),
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
    sections[layout.SUBGRAPHS] = _table(
        layout.SUBGRAPH, _step_lists(storage, subgraph, len(_outputs(model, subgraph)))
    )
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
    keep = KEEP_INPUTS if keep_tensors or kept_input_count(model) else 0
    keep |= KEEP_ALL if keep_tensors or feature_count(model) else 0
    return _assemble(tflite, storage, sections, starts, counts, at, keep)


# Refuse more records than the op table can count.
def _check_records(records):
    if len(records) > _MAX_RECORDS:
        raise UnsupportedError(
            f"the model makes {len(records)} kernel calls, a .tflm holds {_MAX_RECORDS}; "
            "use a smaller model"
        )


# Metadata of the .tflite, labels from an attached archive, signatures, and scratch buffers for
# delegates.
def _metadata(tflite, model, storage):
    metadata = model.metadata()
    text = archived_labels(tflite, metadata)
    if text is not None:
        metadata[labels.NAME] = text
    metadata.pop(layout.SIGNATURES, None)
    metadata[layout.SCRATCH] = pack_scratch(storage)
    try:
        table = signature.table_of(model)
        if table:
            metadata[layout.SIGNATURES] = pack_signatures(table)
    except (ModelError, struct.error):
        pass  # the model runs without signatures, as in TFLM
    return metadata


class _Names:
    """The names section: each string once, after a byte with its length."""

    def __init__(self):
        self.data = bytearray()
        self._offset_of = {}

    def add(self, text):
        if text not in self._offset_of:
            # Cut to 255 bytes, at the end of a character.
            raw = text.encode()[:255].decode(errors="ignore").encode()
            self._offset_of[text] = len(self.data)
            self.data.append(len(raw))
            self.data += raw
        return self._offset_of[text]


# Packed entries of one section.
def _table(kind, entries):
    return b"".join(struct.pack(kind, *entry) for entry in entries)


# [(tensor, flags, name)]: inputs, outputs, variables, then features or, with keep_tensors, all.
def _listed_tensors(model, storage, subgraph, keep_tensors):
    listed = []
    for i in list(subgraph.inputs) + _outputs(model, subgraph):
        tensor = subgraph.tensor(i)
        flags = layout.TENSOR_FLOAT if tensor.is_float_end else 0
        listed.append((tensor, flags, tensor.name))
    for index in sorted(storage.variables):
        listed.append((model.tensor(index), layout.TENSOR_VARIABLE, ""))
    others = sorted(storage.tensors) if keep_tensors else _features(model, subgraph)
    for index in others:
        tensor = model.tensor(index)
        listed.append((tensor, index << 1, tensor.name))
    return listed


# The outputs of the model, without the features and inputs (flat/features.py) that follow them.
def _outputs(model, main):
    return list(main.outputs[: len(main.outputs) - feature_count(model) - kept_input_count(model)])


def _features(model, main):
    first = len(_outputs(model, main))
    return [main.first_tensor + i for i in main.outputs[first : first + feature_count(model)]]


def _tensor_entry(tensor, word, name, flags):
    shape = tensor.by_rows or tensor.shape
    rank = len(shape)
    shape = tuple(shape) + (0,) * (layout.MAX_RANK - rank)
    quantization = (tensor.zero_point(), tensor.common_scale_bits())
    return (word, tensor.nbytes(), name, tensor.dtype, rank, flags, *quantization, *shape)


# An entry for each sub-graph and each banded chain; only sub-graph 0 lists inputs and outputs.
def _step_lists(storage, main, outputs):
    counts = [0] * storage.step_lists
    for record in storage.records:
        counts[record.step_list] += 1
    entries, first = [], 0
    for number, count in enumerate(counts):
        io = (0, 0) if number else (len(main.inputs), outputs)
        entries.append((first, count, 0, *io))
        first += count
    return entries


# State of an operator besides variable tensors, as a variable of bytes; its zero point is the byte
# that reset() writes.
def _state_entry(storage, at, size, value, name):
    word = (storage.head_bytes + at) << 2 | layout.IN_TAIL
    shape = (size,) + (0,) * (layout.MAX_RANK - 1)
    return (word, size, name, dtypes.INT8, 1, layout.TENSOR_VARIABLE, value, 0, *shape)


# The op table and the records it refers to, with final operand words.
def _ops_and_records(storage, kernels, records_at, constants_at):
    ops, records, tail_at = [], bytearray(), {}
    for record in storage.records:
        tail_at[id(record)] = len(records) + record.bytes_to_tail()
        words = list(record.words)
        for k in range(1, record.operands + 1):
            if k not in record.resolved:
                words[k] = storage.operand_word(words[k], constants_at)
        back = tail_at[id(record)] - tail_at[id(record.shared_tail or record)]
        data = record.file_bytes(words, back // 4)
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
        records += data + record.tail
    return _table(layout.OP, ops), records


# The whole file: the sections, then the header, whose CRC is computed last.
def _assemble(tflite, storage, sections, starts, counts, size, keep):
    image = bytearray(size)
    for start, section in zip(starts, sections, strict=True):
        image[start : start + len(section)] = section
    for i, entry in enumerate(zip(starts, counts, strict=True)):
        struct.pack_into(layout.SECTION, image, layout.SECTIONS_OFFSET + 8 * i, *entry)
    digest = hashlib.sha256(tflite).digest()[: layout.HASH_BYTES]
    image[layout.HASH_OFFSET : layout.HASH_OFFSET + layout.HASH_BYTES] = digest
    sizes = (layout.HEADER_BYTES, size, 0, storage.arena_bytes, storage.head_bytes, keep)
    struct.pack_into(layout.HEADER, image, 0, layout.MAGIC, layout.VERSION, *sizes)
    crc = binascii.crc32(memoryview(image)[layout.CRC_START :])
    struct.pack_into("<I", image, layout.CRC_OFFSET, crc)
    return bytes(image)


def pack_signatures(table):
    """Return the metadata (bytes) that tflm.introspection.signature.parse() reads as `table`.

    table: {key: (sub-graph, inputs, outputs)}; inputs and outputs are lists of (position, name).
    """
    data = struct.pack("<H", len(table))
    for key in sorted(table):
        number, inputs, outputs = table[key]
        data += struct.pack(layout.SIGNATURE, number, len(inputs), len(outputs)) + _string(key)
        for position, name in inputs + outputs:
            data += struct.pack("<H", position) + _string(name)
    return data


# A text with its length in front.
def _string(text):
    raw = text.encode()
    return struct.pack("<H", len(raw)) + raw
