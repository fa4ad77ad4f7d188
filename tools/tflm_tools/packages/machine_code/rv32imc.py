# tflm_tools: machine code: what a function of kind viper begins with on RV32 (ESP32-C3, C6, H2)
# MIT license; Copyright (c) 2026 the tflm authors

from .viper_abi import CHECK_ARGUMENTS, FROM_OBJECT, POINTER, signature

_NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7"
_REGISTERS = {name: number for number, name in enumerate(_NAMES.split())}
_MOST = 4  # arguments; the frame has as many words for them
_FRAME = 32


# Instructions of four bytes by their formats in the ISA manual: I, S, B, U and J.
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


# Branches forward, less than 2048 bytes: bne has the function 1, beq 0.
def _branch(function, one, other, distance):
    word = (distance >> 5 & 63) << 25 | _REGISTERS[other] << 20 | _REGISTERS[one] << 15
    return word | function << 12 | (distance >> 1 & 15) << 8 | distance >> 11 << 7 | 0x63


def _lui(to, value):
    return value << 12 | _REGISTERS[to] << 7 | 0x37


# A call forward, less than 2048 bytes.
def _jal(to, distance):
    return (distance >> 1 & 0x3FF) << 21 | _REGISTERS[to] << 7 | 0x6F


# A call of the function that the table of the runtime has at a place; the table is in s0.
def _call(place):
    return [_lw("t0", "s0", 4 * place), _jalr("ra", "t0")]


# a0: function object, a1: number of arguments, a2: of those by keyword, a3: pointer to them.
def around(code, arguments, table):
    """Machine code that converts arguments, calls `code`, and makes an int of its value.

    code: a function of the C ABI, its arguments in a0, a1, ... table: number of the constant that
    is the table of the runtime's functions.
    """
    assert arguments <= _MOST and table < 512
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
