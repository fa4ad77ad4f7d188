# Device side of the tests on boards: run_cases.py with models in ROM, and outputs by the port
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

import run_cases


# A file of ROMFS is read in place, as a model on a board is.
def _read(path):
    with open(path, "rb") as file:
        return memoryview(file)


class BoardJob(run_cases.Job):
    # Outputs go to the host as they are: there is no file system to write to.
    def save(self, outputs, result):
        result["outputs"] = [[binascii.hexlify(o).decode() for o in run] for run in outputs]


run_cases.read = _read
run_cases.main("plan.json", BoardJob)
