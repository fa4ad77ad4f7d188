# tflm: IF, WHILE, CALL_ONCE: choose at run time which lists of steps run.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ABORTED, InputError, ModelError
from ..format import CONTROL_KERNEL, MAX_DEPTH
from ..micropython_port import struct


# The base class. A list holds the steps of a sub-graph, or copies before or after it.
class _Control:
    def __init__(self, program, condition, lists):
        self._program = program
        self._condition = condition  # memoryview of one byte
        self._lists = lists  # numbers of lists

    # Run the lists start..stop; return ABORTED if an operator ended the run.
    def _run(self, start, stop):
        for i in range(start, stop):
            if self._program.run(self._lists[i]) == ABORTED:
                return ABORTED


# IF has three lists for each branch: copies of inputs, the sub-graph, copies of outputs.
class If(_Control):
    lists = 6

    # Eval.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        if self._condition[0]:
            return self._run(0, 3)
        return self._run(3, 6)


# WHILE has six lists: copies of inputs, the condition; copies of inputs, the body, copies of its
# outputs, the condition.
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
                        "a WHILE did not end within max_while_steps=%d; check the inputs or "
                        "raise it" % program.max_while_steps
                    )
                program.while_steps_left -= 1
            status = self._run(2, 6)
        return status


# CALL_ONCE has one list, which runs in the first invoke. reset() does not run it again, as in
# TFLM.
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


# Return the function of a step of control flow in list `number`. The record: units, the operand of
# the condition, and the numbers of its lists.
def bind(program, number, kernel, record):
    kind = _KINDS.get(kernel)
    if kind is None or len(record) < 8 + 4 * kind.lists:
        raise ModelError("there is no kernel '%s'; flatten the model again" % kernel)
    _, word, *lists = struct.unpack_from("<%dI" % (2 + kind.lists), record, 0)
    if max(lists) >= len(program.graphs):
        raise ModelError("%s runs a missing list; flatten the model again" % kernel)
    program.calls.setdefault(number, []).extend(lists)
    condition = (program.rom if word & 1 else program.arena)[word >> 2 :][:1]
    if not len(condition):
        raise ModelError("the condition of %s is outside; flatten the model again" % kernel)
    return kind(program, condition, lists).evaluate


# Raise ModelError for lists that run themselves, as in a damaged .tflm, and for lists nested
# deeper than Prepare allows: each round removes the lists that run none of the remaining ones. A
# list in `bands` must have one caller, because its records exist only while that runs.
def check_loops(calls, bands):
    for number in bands:
        if sum(calls.values(), []).count(number) != 1:
            raise ModelError("the .tflm runs bands twice; flatten the model again")
    left = dict(calls)
    for _ in range(MAX_DEPTH):
        for number in [n for n in left if not any([c in left for c in calls[n]])]:
            del left[number]
    if left:
        raise ModelError("the .tflm has sub-graphs in a cycle; flatten the model again")
