# Runs compiled kernels in the interpreter, with a record and its memory
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from fuzz.kernel_tracer import ARENA, KERNELS, RECORD, ROM, Machine

from tools.asm import compiled, files
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_MAC16 = "mac16_asm", "mac16_depthwise_asm"  # functions that viper kernels of xtensawin call
_KERNELS = {}  # {(kernel, machine): [Kernel]}


def translated(kernel, like):
    """Return [Kernel] of "file.function" for the interpreter, as the machine class `like`.

    If there are two, the first one returns 1 if the second one must run.
    """
    key = kernel, like.name
    if key not in _KERNELS:
        file, _, function = kernel.partition(".")
        found = compiled.kernel_of(file, function, InterpretedMachine(like))
        _KERNELS[key] = found if isinstance(found, list) else [found]
    return _KERNELS[key]


def run_translated(kernel, like, record, arena, rom, cut):
    """Run all units of a checked Record, first `cut` units; only its operands are in memory."""
    operands = {"record": (RECORD, record.table(0, record.words), False)}
    for number, (start, stop) in record.ranges.items():
        if record[number] & 1:
            operands[f"operand {number}"] = ROM + start, rom[start:stop], False
        else:
            data = memoryview(arena)[start:stop]
            operands[f"operand {number}"] = ARENA + start, data, True
    first, *others = translated(kernel, like)
    for start, stop in ((0, cut), (cut, record.units)):
        if start < stop:
            last = units(like, start, stop, first.output, record, arena)
            arguments = RECORD, ARENA, ROM, *last
            if run(first, Memory(operands), *arguments) == 1 and others:
                run(others[0], Memory(operands), *arguments)


def units(machine, start, stop, output, record, arena):
    """Return the last arguments of a call of compiled code for units start to stop - 1.

    output: Kernel.output; the first output becomes `stop`.
    """
    if machine.max_arguments > 4:
        return start, stop
    if not output:
        return (start << 10 | stop - start,)
    at = (record[output] >> 2) + 4 * start
    arena[at : at + 4] = stop.to_bytes(4, "little")
    return (start,)


def without_scratch(record, arena):
    """Return the arena without scratch buffers: kernels may leave anything there."""
    data = bytearray(arena)
    for number in record.scratch:
        start, stop = record.ranges[number]
        data[start:stop] = bytes(stop - start)
    return data


class Mac16Machine(Machine):
    """Runs kernels of kernels/xtensawin with weights for MAC16: functions in the language run in
    the interpreter.
    """

    def __init__(self):
        super().__init__(32)
        self._functions = {}
        machine = InterpretedMachine(MACHINES["xtensawin"])
        for file in _MAC16:
            kernels = [f(machine) for f in files.called("xtensawin")[f"{file}.py"][1]]
            self._functions[file] = {k.name: partial(self._interpret, k) for k in kernels}

    def _file(self, name):
        if name in self._functions:
            return self._functions[name]
        path = KERNELS / "xtensawin" / f"{name}.py"
        if name.endswith("_mac16") and name not in self._files:
            self._files[name] = self.compiled(path.read_text())
        return super()._file(name)

    def _interpret(self, kernel, *arguments):
        operands = {}
        for number, (base, data, start, stop, is_writable) in enumerate(self._ranges):
            memory = memoryview(data)[start:stop]
            operands[f"range {number}"] = base + start, memory, is_writable
        return run(kernel, Memory(operands), *map(int, arguments))
