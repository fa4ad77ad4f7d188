# tflm_tools: packages: reads and writes .mpy files, so that their native functions can be changed
# MIT license; Copyright (c) 2026 the tflm authors

# MicroPython's py/persistentcode.c defines the format: a header of four bytes, flags of the
# architecture if the header announces them, names, constants, and the code of the module, which
# contains the code of its functions recursively.

from dataclasses import dataclass, field

from ...errors import ToolError

BYTECODE, NATIVE, VIPER, ASM = range(4)  # kinds of code
KINDS = ("bytecode", "native", "viper", "assembler")
VERSION = 6
_HAS_FLAGS = 0x40  # in the header's third byte
_WITH_DATA = 0x70  # scope flags: rodata, bss or relocations follow the code
# Kinds of constants: the runtime's function table (mp_fun_table), str, bytes, tuple.
_FUNCTION_TABLE, _STR, _BYTES, _TUPLE = 0, 5, 6, 10
_LAST_WITHOUT_VALUE = 4  # constants of the kinds up to this one have no value in the file


def number(value):
    """Return a number in the encoding of the file: seven bits per byte, highest bits first."""
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(value & 0x7F | 0x80)
    return bytes(reversed(out))


@dataclass
class Code:
    """The code of a function or of the module.

    kind: an index of KINDS. data: its bytes. numbers: the numbers after these in the file.
    children: the Code of the functions in it.
    """

    kind: int
    data: bytes
    numbers: list[int] = field(default_factory=list)
    children: list["Code"] = field(default_factory=list)

    def functions(self):
        """Yield the Code of all functions in this one, recursively."""
        for child in self.children:
            yield child
            yield from child.functions()


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise ToolError("a .mpy ends too early; compile it again")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self):
        value = 0
        while True:
            byte = self.take(1)[0]
            value = value << 7 | byte & 0x7F
            if not byte & 0x80:
                return value


class MpyFile:
    """The contents of a .mpy (bytes); `module` is its Code. Raises ToolError if it is invalid."""

    def __init__(self, data):
        reader = _Reader(data)
        self._header = reader.take(4)
        if self._header[:2] != bytes([ord("M"), VERSION]):
            raise ToolError(f"the file is not a .mpy of version {VERSION}; use mpy-cross 1.29")
        self._flags = reader.number() if self._header[2] & _HAS_FLAGS else None
        names, constants = reader.number(), reader.number()
        self._names = [_name(reader) for _ in range(names)]
        self._constants = [_constant(reader) for _ in range(constants)]
        self.module = _code(reader)
        if reader.at != len(data):
            raise ToolError(f"a .mpy has {len(data) - reader.at} bytes too many; compile it again")

    def function_table(self):
        """Return the number of the constant for the runtime's function table.

        The constant is added if it is missing: functions of the inline assembler do not use it.
        """
        table = bytes([_FUNCTION_TABLE])
        if table not in self._constants:
            self._constants.append(table)
        return self._constants.index(table)

    def data(self):
        """Return the bytes of the file."""
        flags = [] if self._flags is None else [number(self._flags)]
        counts = [number(len(self._names)), number(len(self._constants))]
        head = [self._header, *flags, *counts, *self._names, *self._constants]
        return b"".join([*head, _encode(self.module)])


# The bytes of a name in the file: the number of a built-in name, or a text.
def _name(reader):
    at = reader.at
    length = reader.number()
    if not length & 1:
        reader.take((length >> 1) + 1)
    return reader.data[at : reader.at]


# The bytes of a constant in the file.
def _constant(reader):
    at = reader.at
    kind = reader.take(1)[0]
    if kind > _LAST_WITHOUT_VALUE:
        length = reader.number()
        if kind == _TUPLE:
            for _ in range(length):
                _constant(reader)
        else:
            reader.take(length + (kind in (_STR, _BYTES)))  # these two end with a zero
    return reader.data[at : reader.at]


def _code(reader):
    head = reader.number()
    code = Code(head & 3, reader.take(head >> 3))
    if code.kind != BYTECODE:
        code.numbers = [reader.number() for _ in range(3 if code.kind == ASM else 1)]
        if code.kind != NATIVE and code.numbers[0] & _WITH_DATA:
            raise ToolError("a .mpy of natmod has data, which tflm does not support; use a .py")
    if head & 4:
        code.children = [_code(reader) for _ in range(reader.number())]
    return code


def _encode(code):
    head = len(code.data) << 3 | bool(code.children) << 2 | code.kind
    out = number(head) + code.data + b"".join(map(number, code.numbers))
    if code.children:
        out += number(len(code.children)) + b"".join(map(_encode, code.children))
    return out
