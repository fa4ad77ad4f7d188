# tflm_tools: wheel_worker: the child process of bench.py that times TFLM's wheel on one model
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys
import time
from pathlib import Path

import numpy as np
from tflite_micro.python.tflite_micro import runtime


# Arguments: model, .npz of inputs named 0, 1, ..., number of invokes, bytes of the arena, and the
# JSON file to write, a list of microseconds.
def main(model, inputs, invokes, arena_bytes, report):
    interpreter = runtime.Interpreter.from_bytes(
        Path(model).read_bytes(), arena_size=int(arena_bytes)
    )
    with np.load(inputs) as file:
        arrays = [file[str(i)] for i in range(len(file.files))]
    times = []
    for _ in range(int(invokes)):
        for i, array in enumerate(arrays):
            interpreter.set_input(array, i)
        begin = time.perf_counter_ns()
        interpreter.invoke()
        times.append((time.perf_counter_ns() - begin) / 1000)
    Path(report).write_text(json.dumps(times))


if __name__ == "__main__":
    main(*sys.argv[1:])
