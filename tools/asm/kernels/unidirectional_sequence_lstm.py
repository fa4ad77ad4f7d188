# Kernel of UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from tflm import kernels
from tflm.prepare.lstm_integer import INTEGERS

from ..language.calls import begin_eval
from ..language.macros import ABSENT, Record
from ..language.viper import write_portable
from .lstm_integer import GATES, Lstm

_ABOUT = """
UNIDIRECTIONAL_SEQUENCE_LSTM, int8: four gates at once. int16, and records that differ from
TensorFlow's: the portable kernel, compiled. op: INTEGERS of prepare/lstm_integer.py.
"""
_PORTABLE = Path(kernels.__file__).parent / "unidirectional_sequence_lstm.py"
_SYMMETRIC = 0x80  # in the upper half of offsets: int8 weights without a zero point
_PRODUCTS = "forget_", "update_", "hidden_"


# Yield conditions of a record that lstm_integer.py does not support.
def _unsupported(record):
    yield record.activation == 0
    for gate in GATES:
        yield getattr(record, f"{gate}bias") == ABSENT
        for name in (gate, f"{gate}recurrent_"):
            yield getattr(record, f"{name}offsets").lsr(16) != _SYMMETRIC
            yield getattr(record, f"{name}shift") > 32
    for name in _PRODUCTS:
        yield getattr(record, f"{name}shift") > 32


# Return the kernel, or two for machines whose branches reach 4 KB: the first one returns 1 if the
# second one must compute the units.
def eval_integers(machine):
    k, start, stop = begin_eval("eval_integers", _ABOUT, machine)
    is_split = machine.max_arguments <= 4
    names = "unsupported", "fast", "portable", "end"
    unsupported, fast, portable, end = map(k.new_label, names)
    k.branch(start >= stop, unsupported)
    for condition in _unsupported(Record(k, k.arguments[0], INTEGERS)):
        k.branch(condition, unsupported)
    k.goto(fast)
    k.label(unsupported)
    k.goto(portable)  # branches do not reach it
    k.label(fast)
    result = k.var("result", 0)
    Lstm(k, start, stop).write()
    k.goto(end)
    k.label(portable)
    if is_split:
        result.set(1)
    else:
        _write_portable(k, start, stop)
    k.label(end)
    if not is_split:
        return k.finish()
    other, start, stop = begin_eval("eval_portable", "The portable kernel, compiled.", machine)
    _write_portable(other, start, stop)
    return [k.finish(result), other.finish()]


def _write_portable(k, start, stop):
    arguments = [*k.arguments[:3], start, stop]
    write_portable(k, _PORTABLE, "eval_integers", k.machine, arguments)
