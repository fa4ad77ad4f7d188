# tflm_tools: flatten: from a .tflite to the flat model that boards read in place
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import hashlib
import struct

from tflm import format as layout
from tflm.arena import align_up
from tflm.context import MicroContext
from tflm.op_resolver import OpResolver
from tflm.prepare_model import prepare_model
from tflm.tflite import TfliteModel

from .rom import RomStorage


class _Names:
    """The names section: each string once."""

    def __init__(self):
        self.data = bytearray()
        self._known = {}

    def add(self, text):
        if text not in self._known:
            raw = text.encode()
            while len(raw) > 255:  # whole characters only
                text = text[:-1]
                raw = text.encode()
            self._known[text] = len(self.data)
            self.data.append(len(raw))
            self.data += raw
        return self._known[text]


def prepare(tflite, resolver=None, keep_tensors=False):
    """Prepare a .tflite (bytes) on the host: (TfliteModel, RomStorage) with plan and records."""
    model = TfliteModel(tflite)
    storage = RomStorage()
    storage.start_model_allocation(model)
    context = MicroContext(storage)
    prepare_model(model, context, resolver or OpResolver(), keep_tensors)
    return model, storage


def flatten(tflite, resolver=None, keep_tensors=False):
    """The flat model (bytes) of a .tflite (bytes).

    keep_tensors: every tensor gets a place and a table entry of its own, for debugging.
    Raises tflm.TflmError for what is damaged or not supported.
    """
    model, storage = prepare(tflite, resolver, keep_tensors)
    names = _Names()
    kernels = {}
    for record in storage.records:
        kernels.setdefault(record.kernel, (len(kernels), names.add(record.kernel)))
    subgraph = model.subgraphs[0]
    tensors, flags = _listed_tensors(model, storage, subgraph, keep_tensors)
    metadata = model.metadata()
    metadata_names = {key: names.add(key) for key in metadata}
    tensor_names = [
        names.add(t.name if i < len(subgraph.inputs) + len(subgraph.outputs) or keep_tensors else "")
        for i, t in enumerate(tensors)
    ]

    sizes = [
        len(kernels) * layout.KERNEL_BYTES,
        layout.SUBGRAPH_BYTES,
        len(storage.records) * layout.OP_BYTES,
        len(tensors) * layout.TENSOR_BYTES,
        len(names.data),
        len(metadata) * layout.METADATA_BYTES,
        sum(4 * len(r.words) + len(r.table) for r in storage.records),
    ]
    starts, at = [], layout.HEADER_BYTES
    for size in sizes:
        starts.append(at)
        at = align_up(at + size)
    constants_at = at
    for tensor in tensors:  # constants that are inputs or outputs must be in the image too
        if tensor.is_constant():
            storage.constant_tensor(tensor)
    blobs = {key: storage.constant(data, 1) >> 2 if len(data) else 0 for key, data in metadata.items()}

    image = bytearray(constants_at) + storage.constants
    for offset, (index, name) in zip(range(len(kernels)), kernels.values(), strict=True):
        struct.pack_into(layout.KERNEL, image, starts[0] + index * layout.KERNEL_BYTES, name)
        del offset
    struct.pack_into(
        layout.SUBGRAPH,
        image,
        starts[1],
        0,
        len(storage.records),
        0,
        len(subgraph.inputs),
        len(subgraph.outputs),
    )
    _write_records(image, storage, kernels, starts, constants_at)
    for i, tensor in enumerate(tensors):
        shape = list(tensor.shape) + [0] * (layout.MAX_RANK - len(tensor.shape))
        struct.pack_into(
            layout.TENSOR,
            image,
            starts[3] + i * layout.TENSOR_BYTES,
            _tensor_word(storage, tensor, constants_at),
            tensor.nbytes(),
            tensor_names[i],
            tensor.dtype,
            len(tensor.shape),
            flags[i],
            tensor.zero_point(),
            tensor.scale_bits(),
            *shape,
        )
    image[starts[4] : starts[4] + len(names.data)] = names.data
    for i, (key, data) in enumerate(metadata.items()):
        struct.pack_into(
            layout.METADATA_ENTRY,
            image,
            starts[5] + i * layout.METADATA_BYTES,
            metadata_names[key],
            blobs[key] + constants_at,
            len(data),
        )
    counts = [len(kernels), 1, len(storage.records), len(tensors), len(names.data), len(metadata)]
    counts += [sizes[6], len(storage.constants)]
    starts.append(constants_at)
    for i in range(layout.SECTIONS):
        struct.pack_into(
            layout.SECTION, image, layout.SECTIONS_OFFSET + 8 * i, starts[i], counts[i]
        )
    digest = hashlib.sha256(tflite).digest()[: layout.HASH_BYTES]
    image[layout.HASH_OFFSET : layout.HASH_OFFSET + layout.HASH_BYTES] = digest
    image += bytes((0 - len(image)) % layout.ALIGNMENT)
    return _with_header(image, storage)


# What is fixed only once everything else is written: sizes and the CRC.
def _with_header(image, storage):
    struct.pack_into(
        layout.HEADER,
        image,
        0,
        layout.MAGIC,
        layout.VERSION,
        layout.HEADER_BYTES,
        len(image),
        0,
        storage.arena_bytes,
        storage.head_bytes,
        0,
    )
    crc = binascii.crc32(memoryview(image)[layout.CRC_START :])
    struct.pack_into("<I", image, layout.CRC_OFFSET, crc)
    return bytes(image)


# Inputs, then outputs, then variables, then (kept) all others, each with its flags.
def _listed_tensors(model, storage, subgraph, keep_tensors):
    tensors = [subgraph.tensor(i) for i in list(subgraph.inputs) + list(subgraph.outputs)]
    flags = [0] * len(tensors)
    for index in sorted(storage.variables):
        tensors.append(model.tensor(index))
        flags.append(layout.TENSOR_VARIABLE)
    if keep_tensors:
        for index in sorted(storage.tensors):
            tensors.append(model.tensor(index))
            flags.append(index << 1)
    return tensors, flags


def _tensor_word(storage, tensor, constants_at):
    if tensor.is_constant():
        return storage.operand_word(storage.constant_tensor(tensor), constants_at)
    return storage.tensor_word(tensor.index) if tensor.nbytes() else 0


def _write_records(image, storage, kernels, starts, constants_at):
    at = starts[6]
    for i, record in enumerate(storage.records):
        words = list(record.words)
        for k in range(1, record.operands + 1):
            words[k] = storage.operand_word(words[k], constants_at)
        size = 4 * len(words) + len(record.table)
        struct.pack_into(
            layout.OP,
            image,
            starts[2] + i * layout.OP_BYTES,
            kernels[record.kernel][0],
            record.node.builtin_code,
            record.node.index,
            record.operands,
            record.slice_units,
            at,
            size,
        )
        struct.pack_into(f"<{len(words)}I", image, at, *words)
        image[at + 4 * len(words) : at + size] = record.table
        at += size
