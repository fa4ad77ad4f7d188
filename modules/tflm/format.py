# tflm: The layout of a .tflm; all other files get it from here.
# MIT license; Copyright (c) 2026 the tflm authors

# Little-endian. Every section starts at a multiple of 16. Offsets count from the first byte.
#
#   header | kernels | sub-graphs | op table | tensors | names | metadata | records | constants
#
# The section `names` holds all strings, each as a length byte and UTF-8.

MAGIC = b"TFLM"
VERSION = 1
ALIGNMENT = 16

# Header: (magic, version, header bytes, file bytes, CRC32 of all bytes after the CRC, arena bytes,
# head bytes, bits of arena.KEEP_INPUTS and KEEP_ALL), then (offset, count) of each section, then
# the first 16 bytes of the SHA-256 of the .tflite that the model was made from. KEEP_ALL: the
# table of tensors lists tensors that are neither inputs nor outputs.
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

# Kernel: offset of its name "file.function" in `names`.
KERNEL = "<I"
KERNEL_BYTES = 4

# Sub-graph: first op, number of ops, first io, inputs, outputs. Inputs and outputs are entries of
# the table of tensors, whose first entries are the inputs of sub-graph 0, then its outputs. After
# the sub-graphs come lists of the copies that IF and WHILE make. Only sub-graph 0 has its inputs
# and outputs in the table.
SUBGRAPH = "<HHHHH"
SUBGRAPH_BYTES = 10

# Op: kernel, builtin code, node, operands, units of a slice, offset of its record, record bytes.
# ORDERED is a bit of `operands`: the output overlaps an input, so the units must run in ascending
# order.
OP = "<HHHHIII"
OP_BYTES = 20
ORDERED = 0x8000

# Tensor: operand word, bytes, name, type, rank, flags, zero point, scale bits, 8 dimensions.
TENSOR = "<IIIBBHiI8I"
TENSOR_BYTES = 56
TENSOR_VARIABLE = 1
TENSOR_FLOAT = 2  # an input or output that was float32 in the .tflite
IN_TAIL = 2  # low bits of an operand word: the bytes are in the tail, after the head
MAX_RANK = 8

# The deepest nesting of lists and sub-graphs: each level needs some of the C stack.
MAX_DEPTH = 16

# Metadata: name, offset, bytes.
METADATA_ENTRY = "<III"
METADATA_BYTES = 12

# Metadata of signatures: their number ("H"); then for each its sub-graph, inputs and outputs, its
# key, and for each input and output its position ("H") and its name. A string is its length ("H")
# and its bytes.
SIGNATURES = "tflm.signatures"
SIGNATURE = "<HHH"

# Metadata of scratch buffers that only one op uses: (op, operand, bytes) of each. A delegate may
# give the op other scratch buffers.
SCRATCH = "tflm.scratch"
SCRATCH_ENTRY = "<HHI"

# Record of a custom operator: units, then the words of its inputs, outputs and requested buffers.
# Its table: numbers of inputs, outputs, buffers, and bytes of options; for each buffer
# bytes << 1 | is persistent; a CUSTOM_TENSOR for each input and output; the options.
CUSTOM = "<HHHI"

# Type, rank, flags, scales, zero points, bytes of the name, quantized dimension. After it: the
# dimensions ("I"), the scales (bits, "I"), the zero points ("q"), and the name.
CUSTOM_TENSOR = "<BBBHHHi"
CUSTOM_PRESENT = 1
CUSTOM_VARIABLE = 2

# Prefixes of kernel names that name no file: custom operators; IF, WHILE, CALL_ONCE, bands, rows.
CUSTOM_KERNEL = "custom."
CONTROL_KERNEL = "control."
ROWS_KERNEL = CONTROL_KERNEL + "rows"  # fetches rows of an input that is not in the arena
BANDS_KERNEL = CONTROL_KERNEL + "banded"  # runs a chain of operators band by band
