# Device side of the tests on boards: run_cases.py with models in ROM and outputs to the port
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

import run_cases


# Files in ROMFS are used in place, like models on a board.
def _read(path):
    with open(path, "rb") as file:
        return memoryview(file)


class BoardJob(run_cases.Job):
    # Print outputs for the host: the board has no file system for them.
    def save(self, outputs, result):
        result["outputs"] = [[binascii.hexlify(o).decode() for o in run] for run in outputs]


run_cases.read = _read
run_cases.main("plan.json", BoardJob)
