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

# By code: names; typecodes of array and memoryview, "" where elements cannot be viewed one by one;
# bytes of an element, 0 where they are not whole ones. Frozen, tuples take no heap, and three of
# them less flash than one of rows.
_NAMES = (
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64",
    "int8", "float64", "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4",
)  # fmt: skip
_TYPECODES = "f", "H", "i", "B", "q", "", "B", "h", "", "b", "d", "", "Q", "i", "", "I", "H", ""
_BYTES = 4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 8, 16, 8, 4, 0, 4, 2, 0


# True for the types of the schema that have a name here.
def is_known(code):
    return 0 <= code < len(_NAMES)


# The name of a type, as numpy spells it.
def name(code):
    return _NAMES[code] if is_known(code) else "type %d" % code


# The array typecode of a type, or "" where elements cannot be viewed one by one.
def typecode(code):
    return _TYPECODES[code] if is_known(code) else ""


# Bytes of one element; 0 for types without a fixed size of whole bytes.
def itemsize(code):
    return _BYTES[code] if is_known(code) else 0


# Bytes of `elements` elements; int4 packs two in a byte.
def nbytes(code, elements):
    if code == INT4:
        return (elements + 1) // 2
    return itemsize(code) * elements
