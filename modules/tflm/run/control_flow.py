# tflm: IF, WHILE and CALL_ONCE while the model runs: which lists of steps, and how often
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ABORTED, InputError, ModelError
from ..format import CONTROL_KERNEL, MAX_DEPTH, ROWS_KERNEL
from ..micropython_port import struct


# What all of them share. A list is the steps of a sub-graph, or the copies before or behind it.
class _Control:
    def __init__(self, program, condition, lists):
        self._program = program
        self._condition = condition  # memoryview of one byte
        self._lists = lists  # their numbers

    # Run the lists from..to; ABORTED when an operator has ended the run.
    def _run(self, start, stop):
        for i in range(start, stop):
            if self._program.run(self._lists[i]) == ABORTED:
                return ABORTED


# Three lists for each branch: inputs, sub-graph, outputs.
class If(_Control):
    lists = 6

    # Eval.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        if self._condition[0]:
            return self._run(0, 3)
        return self._run(3, 6)


# Inputs and the condition's sub-graph, then, as long as that says so, inputs of the body, the
# body, its outputs back, and the condition's sub-graph again.
class While(_Control):
    lists = 6

    # Eval.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        status = self._run(0, 2)
        program = self._program
        while status != ABORTED and self._condition[0]:
            if program.while_steps_left is not None:
                if program.while_steps_left == 0:
                    raise InputError(
                        "a WHILE did not end within max_while_steps=%d; check the inputs, or "
                        "allow more" % program.max_while_steps
                    )
                program.while_steps_left -= 1
            status = self._run(2, 6)
        return status


# One list, run in the first invoke only. reset() does not change that, as in TFLM.
class CallOnce(_Control):
    lists = 1
    _done = False

    # Eval.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        if self._done:
            return None
        status = self._run(0, 1)
        self._done = status != ABORTED
        return status


_KINDS = {
    CONTROL_KERNEL + "if": If,
    CONTROL_KERNEL + "while": While,
    CONTROL_KERNEL + "call_once": CallOnce,
}


# The function that a step of control flow in list `number` calls. Its record: units, the
# condition's operand, and the numbers of its lists.
def bind(program, number, kernel, record):
    if kernel == ROWS_KERNEL:
        from .rows import bind

        return bind(program, number, record)
    kind = _KINDS.get(kernel)
    if kind is None or len(record) < 8 + 4 * kind.lists:
        raise ModelError("the model names the kernel '%s', which is none here" % kernel)
    _, word, *lists = struct.unpack_from("<%dI" % (2 + kind.lists), record, 0)
    if max(lists) >= len(program.graphs):
        raise ModelError("%s leads to steps that are not there; flatten the model again" % kernel)
    program.calls.setdefault(number, []).extend(lists)
    condition = (program.rom if word & 1 else program.arena)[word >> 2 :][:1]
    if not len(condition):
        raise ModelError("the condition of %s lies outside; flatten the model again" % kernel)
    return kind(program, condition, lists).evaluate


# Refuse lists that lead back to themselves, as a damaged .tflm could have, and such that nest
# deeper than Prepare allows: in each round those go that lead to none of the rest. The records of
# lists in `bands` are there only while their Bands runs them: nobody else may.
def check_loops(calls, bands):
    for number in bands:
        if sum([lists.count(number) for lists in calls.values()]) != 1:
            raise ModelError("the .tflm runs bands out of turn; flatten the model again")
    left = dict(calls)
    for _ in range(MAX_DEPTH):
        for number in [n for n in left if not any([c in left for c in calls[n]])]:
            del left[number]
    if left:
        raise ModelError("the .tflm runs sub-graphs within themselves; flatten the model again")
