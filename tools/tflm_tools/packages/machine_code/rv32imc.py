# tflm_tools: packages: wraps machine code in a viper function on RV32 (ESP32-C3, C6, H2)
# MIT license; Copyright (c) 2026 the tflm authors

from .viper_abi import CHECK_ARGUMENTS, FROM_OBJECT, POINTER, signature

_NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7"
_REGISTERS = {name: number for number, name in enumerate(_NAMES.split())}
_MAX_ARGUMENTS = 4  # the frame has this number of words for them
_FRAME = 32


# The following functions return instructions of four bytes, in the formats I, S, B, U and J of the
# ISA manual.
def _i(opcode, function, to, one, value):
    word = (value & 0xFFF) << 20 | _REGISTERS[one] << 15 | function << 12
    return word | _REGISTERS[to] << 7 | opcode


def _lw(to, base, offset):
    return _i(0x03, 2, to, base, offset)


def _addi(to, one, value):
    return _i(0x13, 0, to, one, value)


def _slli(to, one, bits):
    return _i(0x13, 1, to, one, bits)


def _jalr(to, one):
    return _i(0x67, 0, to, one, 0)


def _sw(value, base, offset):
    word = offset >> 5 << 25 | _REGISTERS[value] << 20 | _REGISTERS[base] << 15
    return word | 2 << 12 | (offset & 31) << 7 | 0x23


# A branch forward by less than 2048 bytes; function: 0 for beq, 1 for bne.
def _branch(function, one, other, distance):
    word = (distance >> 5 & 63) << 25 | _REGISTERS[other] << 20 | _REGISTERS[one] << 15
    return word | function << 12 | (distance >> 1 & 15) << 8 | distance >> 11 << 7 | 0x63


def _lui(to, value):
    return value << 12 | _REGISTERS[to] << 7 | 0x37


# A call forward by less than 2048 bytes.
def _jal(to, distance):
    return (distance >> 1 & 0x3FF) << 21 | _REGISTERS[to] << 7 | 0x6F


# A call of a function of the runtime's function table, whose address is in s0.
def _call(index):
    return [_lw("t0", "s0", 4 * index), _jalr("ra", "t0")]


# Registers at entry: a0 function object, a1 number of arguments, a2 number of keyword arguments,
# a3 pointer to the arguments.
def wrap(code, arguments, table):
    """Return machine code that converts arguments, calls `code` and converts its result to int.

    code: a function of the C ABI with its arguments in a0, a1 ... arguments: their number. table:
    number of the constant for the runtime's function table.
    """
    assert arguments <= _MAX_ARGUMENTS and table < 512
    sig = signature(arguments)
    wrong = [
        _addi("a0", "a1", 0),
        _addi("a1", "a2", 0),
        _lui("a2", sig + 0x800 >> 12),
        _addi("a2", "a2", sig & 0xFFF),
        *_call(CHECK_ARGUMENTS),  # raises TypeError
    ]
    begin = [
        _addi("sp", "sp", -_FRAME),
        _sw("ra", "sp", 28),
        _sw("s0", "sp", 24),
        _sw("s1", "sp", 20),
        _lw("s0", "a0", 4),  # the module's context
        _lw("s0", "s0", 12),  # its constants
        _lw("s0", "s0", 4 * table),
        _addi("t0", "zero", arguments),
        _branch(1, "a2", "zero", 8),
        _branch(0, "a1", "t0", 4 + 4 * len(wrong)),
        *wrong,
        _addi("s1", "a3", 0),
    ]
    for i in range(arguments):
        begin += [_lw("a0", "s1", 4 * i), _addi("a1", "zero", POINTER), *_call(FROM_OBJECT)]
        begin.append(_sw("a0", "sp", 4 * i))
    begin += [_lw(f"a{i}", "sp", 4 * i) for i in range(arguments)]
    end = [
        _slli("a0", "a0", 1),
        _addi("a0", "a0", 1),
        _lw("ra", "sp", 28),
        _lw("s0", "sp", 24),
        _lw("s1", "sp", 20),
        _addi("sp", "sp", _FRAME),
        _jalr("zero", "ra"),
    ]
    words = [*begin, _jal("ra", 4 + 4 * len(end)), *end]
    return b"".join(word.to_bytes(4, "little") for word in words) + code
