# Kernel language: functions that the resolver finds: eval_...(op, arena, rom, start, stop)
# MIT license; Copyright (c) 2026 the tflm authors

# MicroPython's inline assembler has functions of up to four arguments. There, the machine code is
# a function run_...(op, arena, rom, units), and a viper function eval_... calls it. `units` is a
# small integer, because a larger one would take heap: first unit << 10 | number of units, or, for
# a first unit beyond 2 ** 20, its complement for one unit. short_steps.py also calls run_....
#
# Other functions run_...(arguments) get the address of words, one for each argument.

import ast

from .kernel import Kernel

_COUNT_BITS = 10
_WRAPPER = """\
@micropython.viper
def {name}(op, arena, rom, start: int, stop: int):
    while start < stop:
        n = stop - start
        if n > 1023:
            n = 1023
        units = start << 10 | n
        if start >= 1 << 20:
            n = 1
            units = start ^ -1
        {call}
        start += n
"""
# Any number of units, which are words of the output: its first word has `stop`. The machine code
# is outputs_..., which short_steps.py does not call.
_OUTPUTS_WRAPPER = """\
@micropython.viper
def {name}(op, arena, rom, start: int, stop: int):
    ptr32(int(ptr8(arena)) + (ptr32(op)[{output}] >> 2))[start] = stop
    {run}(op, arena, rom, start)
"""
_CALL = "{run}(op, arena, rom, units)"
# If the first function, try_..., returns 1, the other one runs.
_CALLS = "if int({run}(op, arena, rom, units)):\n            {other}(op, arena, rom, units)"


def code_name(name, machine):
    """Return the name of the function with the machine code of a function eval_..."""
    return name if machine.max_arguments > 4 else f"run{name[4:]}"


def first_name(name):
    """Return the name of the first one of two functions with the machine code of eval_..."""
    return f"try{name[4:]}"


def begin_eval(name, about, machine):
    """Return (Kernel, first unit, end of the units); its arguments are op, arena, rom and others.

    name: of the function, eval_...
    """
    if machine.max_arguments > 4:
        k = Kernel(name, about, ("op", "arena", "rom", "start", "stop"), machine)
        return k, *k.arguments[3:]
    k = Kernel(code_name(name, machine), about, ("op", "arena", "rom", "units"), machine)
    units = k.arguments[3]
    start = k.var("start", units.lsr(_COUNT_BITS))
    stop = k.var("stop", start + units.field(0, _COUNT_BITS))
    with k.If(units < 0, rare=True):
        start.set(units ^ -1)
        stop.set(start + 1)
    return k, start, stop


def begin_outputs(name, about, machine, layout):
    """Return what begin_eval() does for a kernel whose units are words of its output.

    layout: of its record. Where it has at most four arguments, the first output has `stop`, so
    that a call may have any number of units.
    """
    if machine.max_arguments > 4:
        return begin_eval(name, about, machine)
    k = Kernel(f"outputs{name[4:]}", about, ("op", "arena", "rom", "start"), machine)
    op, arena, _, start = k.arguments
    k.output = 1 + layout.index("output")
    output = (op[4 * k.output] >> 2) + arena
    return k, start, k.var("stop", output.get("w", start, scale=2))


def begin_units(name, about, machine):
    """Return what begin_eval() does for a function that a kernel file calls.

    Its last arguments are start and stop where it may have five arguments, and otherwise `units`:
    first unit << 10 | number of units.
    """
    if machine.max_arguments > 4:
        return begin_eval(name, about, machine)
    k = Kernel(name, about, ("op", "arena", "rom", "units"), machine)
    start = k.var("start", k.arguments[3].lsr(_COUNT_BITS))
    return k, start, k.var("stop", start + k.arguments[3].field(0, _COUNT_BITS))


def wrapper(name, machine, other=None, output=None):
    """Return the source of the viper function eval_... that calls the machine code, or "".

    other: name of a second function with machine code, which runs if the first one returns 1.
    output: Kernel.output.
    """
    if output:
        run = f"outputs{name[4:]}"
        return _OUTPUTS_WRAPPER.format(name=name, run=run, output=output)
    run = first_name(name) if other else code_name(name, machine)
    call = (_CALLS if other else _CALL).format(run=run, other=other)
    return "" if run == name else _WRAPPER.format(name=name, call=call)


def begin_function(name, about, names, machine):
    """Return (Kernel, registers of the arguments `names`) of a function that is no kernel.

    A machine with words of 64 bits passes the arguments themselves.
    """
    if machine.word_bits == 64:
        k = Kernel(name, about, names, machine)
        return k, k.arguments
    k = Kernel(f"run_{name.strip('_')}", about, ("arguments",), machine)
    return k, k.words(k.arguments[0], 0, *names)


def in_lines(begin, items, end):
    """Return begin + items + end as lines of at most 99 characters, as ruff formats them."""
    for inner in (", ".join(items), "\n    " + ", ".join(items) + "\n"):
        if all(len(line) < 100 for line in f"{begin}{inner}{end}".split("\n")):
            return f"{begin}{inner}{end}"
    return begin + "".join(f"\n    {item}," for item in items) + f"\n{end}"


def function_wrapper(node):
    """Return the source of the viper function (ast.FunctionDef) that calls the machine code."""
    names = [argument.arg for argument in node.args.args]
    arguments = [ast.unparse(argument) for argument in node.args.args]
    end = f") -> {ast.unparse(node.returns)}:" if node.returns else "):"
    lines = ["@micropython.viper", in_lines(f"def {node.name}(", arguments, end)]
    lines.append("    words = ptr32(_ARGUMENTS)")
    lines += [f"    words[{i}] = int({name})" for i, name in enumerate(names)]
    call = f"run_{node.name.strip('_')}(_ARGUMENTS)"
    lines.append(f"    return int({call})" if node.returns else f"    {call}")
    return "\n".join(lines) + "\n"
