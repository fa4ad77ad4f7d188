# tflm_tools: machine code: what a function of kind viper begins with on x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from .viper_abi import CHECK_ARGUMENTS, FROM_OBJECT, POINTER, signature
from .x86 import X86, at

_ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")  # of the System V ABI; others on the stack
_SAVED = ("rbx", "rbp", "r12")


def wrap(code, arguments, table):
    """Machine code that converts arguments, calls `code`, and makes an int of its value.

    code: a function of the System V ABI. table: number of the constant that is the table of the
    runtime's functions.
    """
    t = X86()
    # rdi: function object, rsi: number of arguments, rdx: of those by keyword, rcx: pointer to
    # them. The frame holds the arguments, those for the stack first; with three saved registers it
    # must be a multiple of 16.
    on_stack = max(0, arguments - len(_ARGUMENTS))
    frame_words = [at("rsp", 8 * ((i + on_stack) % arguments)) for i in range(arguments)]
    frame = 8 * (arguments + arguments % 2)
    for register in _SAVED:
        t.push(register)
    if frame:
        t.sub("rsp", frame)
    t.mov("rax", at("rdi", 8))  # the module's context
    t.mov("rax", at("rax", 24))  # its constants
    t.mov("rbp", at("rax", 8 * table))
    t.mov("rbx", "rcx")
    t.test("rdx", "rdx")
    t.jne("wrong")
    t.cmp("rsi", arguments)
    t.je("right")
    t.label("wrong")
    t.mov("rdi", "rsi")
    t.mov("rsi", "rdx")
    t.mov("edx", signature(arguments))
    t.call(at("rbp", 8 * CHECK_ARGUMENTS))  # raises TypeError
    t.label("right")
    for i in range(arguments):
        t.mov("rdi", at("rbx", 8 * i))
        t.mov("esi", POINTER)
        t.call(at("rbp", 8 * FROM_OBJECT))
        t.mov(frame_words[i], "rax")
    for register, frame_word in zip(_ARGUMENTS, frame_words, strict=False):
        t.mov(register, frame_word)
    t.call("function")
    t.add("rax", "rax")
    t.add("rax", 1)
    if frame:
        t.add("rsp", frame)
    for register in reversed(_SAVED):
        t.pop(register)
    t.ret()
    t.label("function")
    return t.code() + code
