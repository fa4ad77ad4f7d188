# tflm: layout of the flat model (.tflm): the only place that knows it
# MIT license; Copyright (c) 2026 the tflm authors

# Little-endian; every section begins at a multiple of 16; offsets count from the first byte.
#
#   header | kernels | sub-graphs | op table | tensors | names | metadata | records | constants
#
# All strings lie in one section `names`, each as a length byte and UTF-8.

MAGIC = b"TFLM"
VERSION = 1
ALIGNMENT = 16

# Header: (magic, version, header bytes, file bytes, CRC32 of all behind the CRC,
#          arena bytes, head bytes, flags), then (offset, count) of each section, then 16 bytes
#          of the SHA-256 of the .tflite it was made from.
HEADER = "<4sHHIIIII"
CRC_OFFSET = 12
CRC_START = 16
SECTIONS_OFFSET = 28
SECTION = "<II"
KERNELS, SUBGRAPHS, OPS, TENSORS, NAMES, METADATA, RECORDS, CONSTANTS = range(8)
SECTIONS = 8
HASH_OFFSET = SECTIONS_OFFSET + 8 * SECTIONS
HASH_BYTES = 16
HEADER_BYTES = 112

# Kernel: offset of its name "file.function" in names.
KERNEL = "<I"
KERNEL_BYTES = 4

# Sub-graph: first op, ops, first io, inputs, outputs. Inputs and outputs are tensor entries:
# those of sub-graph 0 stand first in the tensor table, inputs before outputs. Behind the
# sub-graphs stand lists of the copies that IF and WHILE make; only sub-graph 0 has its inputs and
# outputs listed.
SUBGRAPH = "<HHHHH"
SUBGRAPH_BYTES = 10

# Op: kernel, builtin code, node, operands, units a slice, offset of its record, record bytes.
# ORDERED is a bit of `operands`: the output lies over an input, so the units must run one after
# the other.
OP = "<HHHHIII"
OP_BYTES = 20
ORDERED = 0x8000

# Tensor: operand word, bytes, name, type, rank, flags, zero point, scale bits, 6 dimensions.
TENSOR = "<IIIBBHiI8I"
TENSOR_BYTES = 56
TENSOR_VARIABLE = 1
TENSOR_FLOAT = 2  # an input or output that the model has as float32
IN_TAIL = 2  # low bits of an operand word: the bytes lie in the tail, behind the head
MAX_RANK = 8

# Lists in lists, as sub-graphs in sub-graphs: each takes some of the C stack.
MAX_DEPTH = 16

# Metadata: name, offset of the bytes, bytes.
METADATA_ENTRY = "<III"
METADATA_BYTES = 12

# Signatures are metadata of this name: their number ("H"), then for each sub-graph, inputs,
# outputs, its key, and for each input and output its place among them ("H") and its name.
# Strings have their bytes ("H") in front.
SIGNATURES = "tflm.signatures"
SIGNATURE = "<HHH"

# Scratch buffers that one op alone has are metadata of this name: its number, the number of the
# operand word, and its bytes, for each; a delegate may let the op run with others.
SCRATCH = "tflm.scratch"
SCRATCH_ENTRY = "<HHI"

# Record of a custom operator: units, then the words of its inputs, outputs and requested buffers.
# Its table: numbers of inputs, outputs, buffers and bytes of options; for each buffer
# bytes << 1 | is persistent; a CUSTOM_TENSOR for each input and output; the options.
CUSTOM = "<HHHI"

# Type, rank, flags, scales, zero points, bytes of the name, quantized dimension; then the
# dimensions ("I"), the scales (bits, "I"), the zero points ("q"), and the name.
CUSTOM_TENSOR = "<BBBHHHi"
CUSTOM_PRESENT = 1
CUSTOM_VARIABLE = 2

# Kernel names that begin so are no files: custom operators, and IF, WHILE and CALL_ONCE.
CUSTOM_KERNEL = "custom."
CONTROL_KERNEL = "control."
ROWS_KERNEL = CONTROL_KERNEL + "rows"  # takes rows of an input that is not in the arena
