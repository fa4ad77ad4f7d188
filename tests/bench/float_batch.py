# Runs the cases of operators in one boot of an emulated core and compares the bits with TFLM's
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import qemu_arm
import qemu_xtensa
from packed_cases import BUILD, emulated, firmware_of
from support.check import flat_model_for
from support.model_info import output_infos
from support.oracle import shared_oracle

_SLICES = 0, 1, 3, 7  # the most units of a slice; 0: as many as the runtime runs at once
_ALIGNMENT = 16
XTENSA_FPU = "xtensa-fpu"  # a core of failures(): the ESP32's kernels in qemu

_SCRIPT = """\
import struct, tflm, uctypes
from binascii import hexlify

words = struct.unpack("<{count}I", uctypes.bytearray_at({jobs}, 4 * {count}))
for i in range(0, {count}, 5):
    model, size, inputs, runs, slice_units = words[i : i + 5]
    model = uctypes.bytearray_at(model, size)
    it = None  # so that the next arena fits the memory of the last one
    it = tflm.Interpreter(model, slice_units=slice_units or None)
    it.allocate_tensors()
    for _ in range(runs):
        for k in range(it.inputs_size()):
            raw = it.input(k).kept.raw
            raw[:] = uctypes.bytearray_at(inputs, len(raw))
            inputs += len(raw)
        it.invoke()
        for k in range(it.outputs_size()):
            print(hexlify(bytes(it.output(k).kept.raw)).decode())
        it.reset()
"""


# True if both arrays have the same bits, where a NaN equals any NaN.
def _same(got, wanted):
    if got.dtype.kind == "f":
        return bool((got.tobytes() == wanted.tobytes()) or (
            (got.view("u4") == wanted.view("u4")) | (np.isnan(got) & np.isnan(wanted))
        ).all())  # fmt: skip
    return got.tobytes() == wanted.tobytes()


# The memory of all jobs: models, inputs and the list of jobs.
class _Memory:
    def __init__(self, address):
        self.address = address
        self.data = bytearray()

    def add(self, data):
        at = self.address + len(self.data)
        self.data += data + bytes(-len(data) % _ALIGNMENT)
        return at


# Return what a script prints on a core with a block of memory.
def _said(core, script, memory, portable):
    if core == XTENSA_FPU:
        files = qemu_xtensa.modules(BUILD, portable, mac16=not portable)
        elf = qemu_xtensa.firmware_with_fpu(BUILD)
        return qemu_xtensa.run(elf, files, script, memory={memory.address: bytes(memory.data)})
    if core == qemu_arm.CORE:
        return qemu_arm.run(BUILD, script, portable, {memory.address: bytes(memory.data)})
    files = emulated.file_system(BUILD, core, portable)
    memories = ((memory.address, bytes(memory.data)),)
    said = emulated.run(core, firmware_of(core), files, script, memories)
    assert not said["error"], said["error"]
    return said["text"]


def outputs(jobs, core, portable=False):
    """Run the jobs of failures() on a core; yield (description, output) of each run.

    portable: without the overrides.
    """
    address = {XTENSA_FPU: qemu_xtensa.FREE, qemu_arm.CORE: qemu_arm.FREE}.get(
        core, emulated.MODEL
    )
    memory, words, names = _Memory(address), [], []
    for name, model, path, runs in jobs:
        infos = output_infos(model)
        flat = flat_model_for(model, path)
        at = memory.add(flat)
        inputs = memory.add(b"".join(array.tobytes() for run in runs for array in run))
        for slice_units in _SLICES:
            words += [at, len(flat), inputs, len(runs), slice_units]
            names += [
                (f"{name} [{path}], slices of {slice_units}, run {i}", info)
                for i in range(len(runs))
                for info in infos
            ]
    list_at = memory.add(struct.pack(f"<{len(words)}I", *words))
    script = _SCRIPT.format(jobs=list_at, count=len(words))
    lines = _said(core, script, memory, portable).split()
    for (name, info), line in zip(names, lines, strict=True):
        yield name, np.frombuffer(bytes.fromhex(line), info.dtype).reshape(info.shape)


# Yield the outputs of TFLM for the jobs of failures().
def _wanted(jobs):
    for _, model, _, runs in jobs:
        expected = shared_oracle().run(model, runs, True)
        for _ in _SLICES:
            for arrays in expected:
                yield from arrays


def failures(jobs, core, with_portable=False):
    """Run (name, .tflite, path, lists of inputs) on a core; return {name: what differs}.

    The outputs must have the bits of TFLM's, or of the portable kernels'.
    """
    if with_portable:
        wanted = [array for _, array in outputs(jobs, core, True)]
    else:
        wanted = list(_wanted(jobs))
    return {
        name: f"{got.ravel()[:8]} instead of {array.ravel()[:8]}"
        for (name, got), array in zip(outputs(jobs, core), wanted, strict=True)
        if not _same(got, array)
    }
