# tflm: tensor types: codes of the TFLite schema, their names, typecodes and sizes
# MIT license; Copyright (c) 2026 the tflm authors

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
UINT32 = 15
UINT16 = 16
INT4 = 17

# code: (name, typecode of array and memoryview, bytes of an element)
_TYPES = {
    FLOAT32: ("float32", "f", 4),
    FLOAT16: ("float16", "H", 2),
    INT32: ("int32", "i", 4),
    UINT8: ("uint8", "B", 1),
    INT64: ("int64", "q", 8),
    STRING: ("string", "", 0),
    BOOL: ("bool", "B", 1),
    INT16: ("int16", "h", 2),
    8: ("complex64", "", 8),
    INT8: ("int8", "b", 1),
    FLOAT64: ("float64", "d", 8),
    11: ("complex128", "", 16),
    UINT64: ("uint64", "Q", 8),
    RESOURCE: ("resource", "i", 4),
    14: ("variant", "", 0),
    UINT32: ("uint32", "I", 4),
    UINT16: ("uint16", "H", 2),
    INT4: ("int4", "", 0),
}


# True for the types of the schema that have a name here.
def is_known(code):
    return code in _TYPES


# The name of a type, as numpy spells it.
def name(code):
    return _TYPES[code][0] if code in _TYPES else "type %d" % code


# The array typecode of a type, or "" where elements cannot be viewed one by one.
def typecode(code):
    return _TYPES[code][1] if code in _TYPES else ""


# Bytes of one element; 0 for types without a fixed size of whole bytes.
def itemsize(code):
    return _TYPES[code][2] if code in _TYPES else 0


# Bytes of `elements` elements; int4 packs two in a byte.
def nbytes(code, elements):
    if code == INT4:
        return (elements + 1) // 2
    return itemsize(code) * elements
