# tflm: tensor types: codes of the TFLite schema, their names, typecodes and sizes
# MIT license; Copyright (c) 2026 the tflm authors


# `_NAME = const(1)` is no variable for MicroPython's compiler, but the number wherever the name
# stands: it takes neither flash nor heap. Anywhere else this is what it says.
def const(number):
    return number


FLOAT32 = 0
FLOAT16 = 1
INT32 = 2
UINT8 = 3
INT64 = 4
STRING = 5
BOOL = 6
INT16 = 7
INT8 = 9
FLOAT64 = 10
UINT64 = 12
RESOURCE = 13
VARIANT = 14
UINT32 = 15
UINT16 = 16
INT4 = 17

# By code: (name, typecode of array and memoryview, bytes of an element). Frozen, a tuple takes no
# heap.
_TYPES = (
    ("float32", "f", 4),
    ("float16", "H", 2),
    ("int32", "i", 4),
    ("uint8", "B", 1),
    ("int64", "q", 8),
    ("string", "", 0),
    ("bool", "B", 1),
    ("int16", "h", 2),
    ("complex64", "", 8),
    ("int8", "b", 1),
    ("float64", "d", 8),
    ("complex128", "", 16),
    ("uint64", "Q", 8),
    ("resource", "i", 4),
    ("variant", "", 0),
    ("uint32", "I", 4),
    ("uint16", "H", 2),
    ("int4", "", 0),
)


# True for the types of the schema that have a name here.
def is_known(code):
    return 0 <= code < len(_TYPES)


# The name of a type, as numpy spells it.
def name(code):
    return _TYPES[code][0] if is_known(code) else "type %d" % code


# The array typecode of a type, or "" where elements cannot be viewed one by one.
def typecode(code):
    return _TYPES[code][1] if is_known(code) else ""


# Bytes of one element; 0 for types without a fixed size of whole bytes.
def itemsize(code):
    return _TYPES[code][2] if is_known(code) else 0


# Bytes of `elements` elements; int4 packs two in a byte.
def nbytes(code, elements):
    if code == INT4:
        return (elements + 1) // 2
    return itemsize(code) * elements
