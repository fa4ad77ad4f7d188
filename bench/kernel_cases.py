# Writes models/kernels/cases.zip: a model for each kernel, with inputs and the outputs of TFLM
# MIT license; Copyright (c) 2026 the tflm authors

# `tflm measure` runs these models on a board, where TFLM is not at hand. The models are cases of
# tests/kernels, chosen so that they are few and have all kernels of the mip packages.

import io
import sys
import zipfile
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzz.campaign import cases_of, kernel_tests
from support.case import CaseError
from support.oracle import shared_oracle
from tflm.errors import TflmError
from tflm.model import FlatModel
from tflm_tools import files
from tflm_tools.flat.flatten import flatten
from tflm_tools.measure.kernel_check import CASES
from tflm_tools.targets import PACKING_TARGETS

_MAX_MODEL_BYTES = 12_000
_MAX_ARENA_BYTES = 16_000
_MAX_CASES = 60  # of a test file that are looked at; all of _RARE, whose kernels have few cases
_RARE = ("test_dsp", "test_lanes", "test_litert_operators")
_EPOCH = (2026, 1, 1, 0, 0, 0)  # so that the same cases make the same file


# {kernel: the smallest case that has it} over all targets.
def _smallest():
    found = {}
    for name in kernel_tests():
        cases = cases_of(name)
        step = 1 if name in _RARE else max(1, len(cases) // _MAX_CASES)
        for i, case in enumerate(cases[::step]):
            model = case.build()
            if len(model) > _MAX_MODEL_BYTES:
                continue
            for kernel in _kernels(model, PACKING_TARGETS[i % len(PACKING_TARGETS)]):
                if kernel not in found or len(model) < len(found[kernel].build()):
                    found[kernel] = case
    return found


# The kernels of a model without a target and for one target; none if its arena is large.
def _kernels(model, target):
    kernels = set()
    for each in (None, target):
        try:
            flat = FlatModel(flatten(model, target=each, optimize="off"))
        except TflmError:
            continue
        if flat.arena_bytes > _MAX_ARENA_BYTES:
            return set()
        kernels |= set(flat.kernels())
    return kernels


# The inputs of the first run and TFLM's outputs, or None if the case proves nothing.
def _run(case):
    runs = case.input_lists()[:1]
    try:
        wanted = case.wanted(shared_oracle(), runs)
    except CaseError:
        return None
    if wanted.statuses[0] or wanted.undefined and any(m.any() for m in wanted.undefined[0]):
        return None
    return runs[0], wanted.outputs[0]


def main():
    """Write the file and print how many kernels it has."""
    chosen = {}
    for kernel, case in sorted(_smallest().items()):
        chosen.setdefault(id(case), (case, []))[1].append(kernel)
    archive = io.BytesIO()
    kernels = set()
    with zipfile.ZipFile(archive, "w") as target:
        for case, names in sorted(chosen.values(), key=lambda pair: pair[1]):
            ran = _run(case)
            if ran is None:
                print("left out:", ", ".join(names), "by", case.name)
                continue
            arrays = io.BytesIO()
            inputs, outputs = ran
            np.savez(
                arrays,
                tolerance=np.array([case.rtol, case.atol]),
                **{f"input_{i}": array for i, array in enumerate(inputs)},
                **{f"output_{i}": array for i, array in enumerate(outputs)},
            )
            name = names[0]
            for end, data in (("tflite", case.build()), ("npz", arrays.getvalue())):
                entry = zipfile.ZipInfo(f"{name}.{end}", _EPOCH)
                target.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
            kernels.update(names)
    CASES.parent.mkdir(exist_ok=True)
    files.write(CASES, archive.getvalue())
    print(f"{CASES}: {len(kernels)} kernels, {len(archive.getvalue())} bytes")


if __name__ == "__main__":
    main()
