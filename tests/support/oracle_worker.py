# Test support: the child process in which the oracle runs; started by oracle.py only
# MIT license; Copyright (c) 2026 the tflm authors

import ctypes
import sys
import time
from multiprocessing.connection import Connection

from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

_M_PERTURB = -6  # glibc: fill fresh memory with the complement of a byte
_SPARE_ARENA = 4 << 20  # small models may have large tensors


# Fill fresh memory with `fill`, to find bytes that TFLM does not initialize. None fills nothing.
def _perturb(fill):
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # other C libraries lack mallopt
        mallopt(_M_PERTURB, 0 if fill is None else fill ^ 255)


# Run one job: (model, runs, reset between runs, fill, arena size).
def _run(model, runs, reset, fill, arena_size):
    _perturb(fill)
    size = arena_size or 10 * len(model) + _SPARE_ARENA
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=size)
    _perturb(None)
    count = schema.Model.GetRootAsModel(model, 0).Subgraphs(0).OutputsLength()
    outputs, statuses = [], []
    for number, inputs in enumerate(runs):
        if reset and number:
            interpreter.reset()
        for index, values in enumerate(inputs):
            interpreter.set_input(values, index)
        statuses.append(interpreter.invoke())
        outputs.append([interpreter.get_output(index) for index in range(count)])
    return outputs, statuses


def _main():
    connection = Connection(int(sys.argv[1]))
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        if "sleep" in job:  # for the test of the time limit
            time.sleep(job["sleep"])
            connection.send(("ok", ([], [])))
            continue
        try:
            connection.send(("ok", _run(**job)))
        except Exception as error:
            connection.send(("error", f"{type(error).__name__}: {error}"))


if __name__ == "__main__":
    _main()
