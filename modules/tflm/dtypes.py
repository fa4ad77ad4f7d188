# tflm: Tensor types: codes of the TFLite schema, names, typecodes and sizes.
# MIT license; Copyright (c) 2026 the tflm authors


# MicroPython's compiler replaces a `_NAME = const(1)` by its number: the name uses neither flash
# nor heap. This function is for all other Python implementations.
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

# By code: names; typecodes of array and memoryview, "" if a view of the elements is impossible;
# bytes of an element, 0 if that is no whole number. Frozen tuples use no heap; three tuples use
# less flash than one tuple of rows.
_NAMES = (
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64",
    "int8", "float64", "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4",
)  # fmt: skip
_TYPECODES = "f", "H", "i", "B", "q", "", "B", "h", "", "b", "d", "", "Q", "i", "", "I", "H", ""
_BYTES = 4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 8, 16, 8, 4, 0, 4, 2, 0


# Return True if a type of the schema has a name here.
def is_known(code):
    return 0 <= code < len(_NAMES)


# Return the name of a type, as in numpy.
def name(code):
    return _NAMES[code] if is_known(code) else "type %d" % code


# Return the array typecode of a type; "" if a view of its elements is impossible.
def typecode(code):
    return _TYPECODES[code] if is_known(code) else ""


# Return the bytes of one element; 0 for types without a fixed size in whole bytes.
def itemsize(code):
    return _BYTES[code] if is_known(code) else 0


# Return the bytes of `elements` elements; int4 packs two into a byte.
def nbytes(code, elements):
    if code == INT4:
        return (elements + 1) // 2
    return itemsize(code) * elements
