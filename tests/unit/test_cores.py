# Tests of two cores: results are the same bytes for each way to share the units
# MIT license; Copyright (c) 2026 the tflm authors
#
# The unix port without GIL runs threads at the same time, as the cores of an RP2040 run. Speed
# cannot be measured so: tests/boards/test_two_cores.py runs an emulated Pico.

import binascii
import struct

import pytest
from support.check import flat_model_for
from support.script import run_script
from tflm import format as layout
from tflm.errors import ModelError
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.flat_file import FlatFile
from unit import sample_models
from unit.on_device import device, model_files
from unit.shared_network import network

_SCRIPT = """
import sys
import micropython
import tflm
from tflm.run import second_core

seed = 1


def fill(raw):
    global seed
    for i in range(len(raw)):
        seed = (seed * 1103515245 + 12345) & 0x3FFFFFFF
        raw[i] = seed >> 16 & 255


for path in sys.argv[1:]:
    model = tflm.load(path)
    one = tflm.Interpreter(model)
    for units in (None, 1, 2, 3, 7, 50):
        two = tflm.Interpreter(model, cores=2, slice_units=units)
        two.allocate_tensors()
        assert two.delegate_error is None, two.delegate_error
        assert "cores." in repr(two)
        for _ in range(3 if units is None else 1):
            fill(one.input(0).raw)
            two.input(0).raw[:] = one.input(0).raw
            one.invoke()
            micropython.heap_lock()
            two.invoke()
            micropython.heap_unlock()
            assert bytes(one.output(0).raw) == bytes(two.output(0).raw), (path, units)
        two.free()
    assert second_core.worker.users == 0
print("same")
"""


@pytest.fixture(scope="module")
def models():
    return [network(), network(channels=16, height=6, width=5, seed=6)]


# A .tflite, a flat model with outputs over inputs, and a flat model without.
@pytest.mark.parametrize("target", [None, "armv6m"])
@pytest.mark.parametrize("optimize", ["balanced", "off"])
def test_same_bytes(models, target, optimize, tmp_path):
    paths = []
    for number, model in enumerate(models):
        path = tmp_path / f"{number}.tflm"
        path.write_bytes(flatten(model, target=target, optimize=optimize))
        paths.append(path)
        if optimize == "off" and target is None:
            paths.append(tmp_path / f"{number}.tflite")
            paths[-1].write_bytes(model)
    assert run_script(_SCRIPT, *map(str, paths)) == "same\n"


# CONV_2D with many weights: each core computes some of the channels, in groups of four.
@pytest.mark.parametrize("path", ["armv6m", "armv6m bytes"])
def test_sharing_of_channels(path, tmp_path):
    paths = []
    for channels in (10, 16, 19):
        paths.append(tmp_path / f"{channels}.tflm")
        paths[-1].write_bytes(flat_model_for(network(channels, height=4, width=5), path))
    assert run_script(_SCRIPT, *map(str, paths)) == "same\n"
    shared = device(
        """
        for path in PATHS:
            interp = tflm.Interpreter(path, cores=2)
            interp.allocate_tensors()
            jobs = [step[1] for step in interp._program.graphs[0] if isinstance(step[1], list)]
            print(len([1 for job in jobs if job[9] is not job[1]]))
            interp.free()
        """,
        PATHS=[str(p) for p in paths],
    )
    assert all(int(count) >= 2 for count in shared), shared


# Core 1 gets the words of a record that kernels read, without the table after them.
def test_record_of_core_1(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(flat_model_for(network(64, height=4, width=5), "armv6m"))
    copied = device(
        """
        interp = tflm.Interpreter(PATH, cores=2)
        interp.allocate_tensors()
        jobs = [step[1] for step in interp._program.graphs[0] if isinstance(step[1], list)]
        print(*sorted([job[3][4] for job in jobs if job[2] is not job[1]]))
        """,
        PATH=str(path),
    )
    counts = [int(count) for count in copied[0].split()]
    assert counts and counts[-1] <= 28, counts


# Metadata about scratch buffers is checked before use.
def test_damaged_metadata(models, tmp_path):
    model = bytearray(flatten(models[0], optimize="off"))
    names = [name for name, *_ in _scratch_entries(model)]
    assert names == ["tflm.scratch"]
    _, at, size = _scratch_entries(model)[0]
    for change, value in ((0, 0x7FFF), (2, 0), (2, 200), (4, 0x10000000)):
        bad = bytearray(model)
        kind = "<I" if change == 4 else "<H"
        struct.pack_into(kind, bad, at + size - 8 + change, value)
        bad[12:16] = struct.pack("<I", binascii.crc32(bad[16:]))
        path = tmp_path / "bad.tflm"
        path.write_bytes(bad)
        device(
            """
            for cores in (1, 2):
                text = raises(ModelError, tflm.Interpreter(PATH, cores=cores).invoke)
                assert "damaged" in text, text
            """,
            PATH=str(path),
        )


# An op whose scratch buffers the metadata omits runs on one core: both would use the same buffers.
def test_missing_metadata(models, tmp_path):
    model = flatten(models[0], optimize="off")
    less = bytearray(model)
    start, count = FlatModel(model)._section(layout.METADATA)
    for at in range(start, start + count * layout.METADATA_BYTES, layout.METADATA_BYTES):
        name, offset, size = struct.unpack_from(layout.METADATA_ENTRY, less, at)
        if (offset, size) == _scratch_entries(model)[0][1:]:
            struct.pack_into(layout.METADATA_ENTRY, less, at, name, offset, 0)
    less[12:16] = struct.pack("<I", binascii.crc32(less[16:]))
    for data, shared in ((model, True), (less, False)):
        path = tmp_path / "model.tflm"
        path.write_bytes(data)
        device(
            """
            interp = tflm.Interpreter(PATH, cores=2)
            interp.allocate_tensors()
            assert ("cores.conv." in repr(interp)) == SHARED, repr(interp)
            interp.free()
            # After the trial of an update its model is trusted.
            from tflm.fleet.trial import _check_shared_scratch
            from tflm.fleet.update import UpdateError

            if SHARED:
                _check_shared_scratch(interp.model)
            else:
                assert "omits scratch" in raises(UpdateError, _check_shared_scratch, interp.model)
            """,
            PATH=str(path),
            SHARED=shared,
        )
    assert FlatFile(model)
    with pytest.raises(ModelError, match="it omits scratch buffers"):
        FlatFile(bytes(less))  # deployed models are trusted


# Another core uses other memory in place of a described scratch buffer: the kernel must write it,
# and it must be listed once, aligned, and large enough. A trusted model is not checked again.
@pytest.mark.parametrize("target", [None, "armv6m", "xtensawin"])
def test_forged_scratch(models, target):
    model = flatten(models[0], target=target, optimize="off")
    flat = FlatModel(model)
    _, at, size = _scratch_entries(model)[0]
    step = struct.calcsize(layout.SCRATCH_ENTRY)
    entries = [
        struct.unpack_from(layout.SCRATCH_ENTRY, model, at + i) for i in range(0, size, step)
    ]
    changed = [entries[1:] + entries[1:2]]
    for i, (op, operand, needed) in enumerate(entries):
        described = {each for number, each, _ in entries if number == op}
        others = [each for each in range(1, flat.op(op)[4] + 1) if each not in described]
        for entry in [(op, operand, needed // 2)] + [(op, other, 1 << 10) for other in others]:
            changed.append([*entries[:i], entry, *entries[i + 1 :]])
    assert len(changed) > 10
    for each in changed:
        bad = bytearray(model)
        bad[at : at + size] = b"".join(struct.pack(layout.SCRATCH_ENTRY, *entry) for entry in each)
        bad[12:16] = struct.pack("<I", binascii.crc32(bad[16:]))
        with pytest.raises(ModelError, match="damaged"):
            FlatFile(bytes(bad))


# Metadata of a flat model that concerns scratch buffers: (name, offset, bytes).
def _scratch_entries(data):
    model = FlatModel(bytes(data))
    start, count = model._section(layout.METADATA)
    entries = [
        struct.unpack_from(layout.METADATA_ENTRY, data, start + i * layout.METADATA_BYTES)
        for i in range(count)
    ]
    return [
        (model.name(name), at, size)
        for name, at, size in entries
        if model.name(name) == layout.SCRATCH
    ]


# With a GIL, waiting lets another thread run.
def test_waiting_with_a_gil(paths):
    device(
        """
        import time
        from tflm.run import second_core

        sent = []
        second_core._events = lambda: (time.sleep_ms, sent.append)
        plain = tflm.Interpreter(CLASSIFIER)
        interp = tflm.Interpreter(CLASSIFIER, cores=2)
        for i in (plain, interp):
            i.input(0).raw[:] = bytes([(k * 37) & 255 for k in range(12)])
            i.invoke()
        assert bytes(plain.output(0).raw) == bytes(interp.output(0).raw)
        interp.free()
        assert len(sent) >= 4
        """,
        **paths,
    )


# Layers whose output overlaps an input stay on one core.
def test_ordered_ops_are_not_shared(models, tmp_path):
    shared = []
    for optimize in ("balanced", "off"):
        path = tmp_path / f"{optimize}.tflm"
        path.write_bytes(flatten(models[0], optimize=optimize))
        code = "interp = tflm.Interpreter(PATH, cores=2)\ninterp.allocate_tensors()\nprint(interp)"
        shared.append(sum("(cores." in line for line in device(code, PATH=str(path))))
    assert shared[0] < shared[1] and shared[1] >= 5, shared


@pytest.fixture(params=["FLAT", "TFLITE"])
def paths(request, tmp_path):
    files = {
        "CLASSIFIER": model_files(tmp_path, sample_models.classifier(width=99), "classifier"),
        "COUNTER": model_files(tmp_path, sample_models.counter(), "counter"),
    }
    return {name: file_formats[request.param] for name, file_formats in files.items()}
