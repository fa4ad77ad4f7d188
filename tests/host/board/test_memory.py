# Tests of the memory checks of `tflm deploy` and doctor on boards with separate executable memory
# MIT license; Copyright (c) 2026 the tflm authors

import shutil
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest
from host.conftest import build_layers
from support.esp32_board import LIKE_ESP32
from support.standin import Board
from tflm_tools.board import board_device as board_device_file
from tflm_tools.board import deploy as deploy_file
from tflm_tools.board import esp_chips
from tflm_tools.board.board_device import BoardDevice
from tflm_tools.board.checks import check_memory
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.esp_heap import (
    KERNELS_FIRST,
    MODEL_FIRST,
    loading_order,
    missing_memory,
)
from tflm_tools.board.facts import Facts
from tflm_tools.board.flatten_for_board import BYTES, Candidate, candidates_for_board
from tflm_tools.board.link import Link
from tflm_tools.board.loading import load_on_board, loading_orders
from tflm_tools.board.memory_need import MemoryNeed, memory_need
from tflm_tools.check.cases import make_cases
from tflm_tools.errors import DeviceError, ToolError
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle, mpy_compiler, runtime_files
from tflm_tools.port import unix_port

_IMPORTED = """
import sys, tflm
tflm.Interpreter(tflm.load("model.tflm", trusted=True)).invoke()
print(" ".join([name for name in sys.modules if name.startswith("tflm")]))
"""

# An ESP32 without PSRAM under stock firmware 1.26.1: free heap, regions of executable memory and
# of other memory.
_OWN, _SMALL, _SHARED = (13912, 13472, 13472), (15072, 14656, 14592), (113840, 112968, 110592)
_ESP32 = Facts(
    port="port", version=(1, 26, 1), machine="Generic ESP32 module with ESP32", mpy=10 << 10,
    platform="esp32", free=156384, used=10000, block=110592, root="/",
    file_system=(2 << 20, 2 << 20), romfs=None, storage=None, tflm=None, assembler=False,
    frequency=160_000_000, flash_divider=None, path=[],
    regions=[[_SMALL, _SHARED, _OWN], [(20000, 17580, 17000), _SMALL, _SHARED]],
    core="mac16",
)  # fmt: skip


@pytest.mark.parametrize(
    "model",
    ["digits/digits_int8", "keywords/keywords_int8", "hello_world/hello_world_float"],
)
def test_imported_files_are_what_a_board_imports(model, repository, tmp_path):
    flat = flatten((repository / "models" / f"{model}.tflite").read_bytes())
    folder = tmp_path / "lib" / "tflm"
    folder.mkdir(parents=True)
    files = bundle.files(runtime_files.files_for(flat, "x64", False), "x64")
    (folder / "all.bundle").write_bytes(bundle.pack(files))
    for path, data in bundle.init_files("x64").items():
        (tmp_path / "lib" / path).write_bytes(data)
    (tmp_path / "model.tflm").write_bytes(flat)
    command = [unix_port.executable(), "-X", "heapsize=32M", "-c", _IMPORTED]
    run = subprocess.run(
        command, cwd=tmp_path, env={"MICROPYPATH": "lib"}, capture_output=True, check=True
    )
    # A folder gen/ has no file of its own.
    imported = {name for name in run.stdout.decode().split() if not name.endswith(".gen")}
    names = runtime_files.imported_files(flat, "x64", False)
    expected = {f"tflm/{name}".removesuffix("/__init__").replace("/", ".") for name in names}
    assert imported - expected == {"tflm.loader"}
    # OpResolver imports these only if the heap is large enough for them.
    assert all(".x64" in name for name in expected - imported)


# The estimate for models that ran on this chip under MicroPython 1.26.1.
@pytest.mark.parametrize("model", ["digits/digits_int8", "hey_pico/hey_pico"])
def test_esp32_runs_packed_models(model, repository):
    flat = next(
        candidates_for_board(open_model(repository / "models" / f"{model}.tflite"), _ESP32)
    ).flat
    need = memory_need([flat], _ESP32, in_ram=True)
    check_memory(_ESP32, need, len(flat))
    assert 45_000 <= need.code <= 58_000  # tflm 1.0 needed 48 to 52 KB on the chip
    sent = bundle.files(runtime_files.files_for(flat, "xtensawin", False), "xtensawin")
    assert need.machine_code < 22_000 < sum(map(len, sent.values()))


def test_code_memory_is_a_budget_of_its_own(repository):
    assert _ESP32.code_memory == (13472 + 14656, 112968)
    assert _ESP32.whole_heap == 156384 + 17580 + 14656
    flat = flatten((repository / "models/digits/digits_int8.tflite").read_bytes(), target="mac16")
    need = memory_need([flat], _ESP32, in_ram=True)
    no_shared = replace(_ESP32, regions=[[(9000, 9000, 9000)], _ESP32.regions[1]])
    with pytest.raises(DeviceError, match="bytes of executable memory, but .* has 9000") as caught:
        check_memory(no_shared, need, len(flat))
    assert caught.value.kind == "code" and "fewer kinds of operators" in str(caught.value)


# (models, arenas, bytes of bytecode and machine code, the order that fits, what is missing
# without it). The first row has the sizes of a float32 LeNet, which an emulated ESP32 loads only
# in the second order.
@pytest.mark.parametrize(
    "models, arenas, code, machine_code, order, cause",
    [
        ([45776], [19000], 50_000, 29_000, KERNELS_FIRST, "code"),
        ([45776], [19000], 50_000, 26_000, MODEL_FIRST, None),
        ([9000], [2000], 46_000, 60_000, MODEL_FIRST, None),
        ([270_000], [3000], 46_000, 9_000, None, "model"),
        ([20_000], [120_000], 46_000, 9_000, None, "arena"),
        ([20_000], [20_000], 46_000, 160_000, None, "code"),
    ],
)
def test_order_by_simulated_heap(models, arenas, code, machine_code, order, cause):
    need = MemoryNeed(arenas, models, code, machine_code, program=0)
    assert loading_order(_ESP32, need) == order
    assert missing_memory(_ESP32, need, MODEL_FIRST) == cause
    if order is None:
        remedy = {
            "model": "model with fewer weights",
            "arena": "--optimize ram",
            "code": "fewer kinds of operators",
        }[cause]
        with pytest.raises(DeviceError, match=remedy):
            check_memory(_ESP32, need, models[0])
    else:
        check_memory(_ESP32, need, models[0])
        assert loading_orders(_ESP32, need)[0] == order


# The lines of the second order load a model. A load without memory for machine code tries them.
def test_second_order(tmp_path, repository, monkeypatch):
    path = repository / "models" / "digits" / "digits_int8.tflite"
    monkeypatch.setattr(deploy_file, "loading_orders", lambda *_: [KERNELS_FIRST])
    with Board(tmp_path / "board", special=LIKE_ESP32.format(1 << 20)) as board:
        done = deploy(path, board.port)
        assert done.use[0] == "import tflm" and "resolver.kernel(kernel)" in done.use[3]
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))

    class FullLink:
        tried = []

        def reset(self):
            pass

        def exec(self, code, seconds):
            self.tried.append(code)
            if "kernels first" not in code:
                text = "not enough memory; the memory for machine code is used up"
                raise DeviceError(text, "ArenaError")

        def eval(self, code, schema):
            return 1234

    assert load_on_board(FullLink(), [["model first"], ["kernels first"]]) == (
        ["kernels first"],
        1234,
    )
    with pytest.raises(DeviceError, match="used up\\); use a model with fewer kinds") as caught:
        load_on_board(FullLink(), [["model first"], ["again"]])
    assert caught.value.kind == "code" and len(FullLink.tried) == 4


@pytest.mark.parametrize("machine", ["ESP32C6 module with ESP32C6", "Raspberry Pi Pico"])
def test_other_chips_store_code_in_the_heap(machine):
    assert replace(_ESP32, machine=machine).code_memory is None


def test_candidates_get_smaller(repository):
    model = open_model(repository / "models" / "keywords" / "keywords_int8.tflite")
    found = list(candidates_for_board(model, SimpleNamespace(target="mac16")))
    assert [candidate.weights for candidate in found] == ["packed", "bytes", "in place"]
    sizes = [len(candidate.flat) for candidate in found]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 1.3 * sizes[1]
    kernels = [runtime_files.kernels_of(candidate.flat) for candidate in found]
    assert kernels[0] == kernels[1] != kernels[2]
    budget = sizes[0] - 1000
    (only,) = candidates_for_board(model, SimpleNamespace(target="mac16"), flash_budget=budget)
    assert sizes[1] <= len(only.flat) <= budget


def test_flash_budget_of_a_flat_model(tmp_path):
    path = tmp_path / "net.tflm"
    path.write_bytes(flatten(build_layers(8, 40, 6)))
    with pytest.raises(ToolError, match="--flash-budget is 100; deploy the .tflite"):
        next(candidates_for_board(open_model(path), None, flash_budget=100))


# The first candidate does not fit the board: not by the estimate, or, with --force, in a trial.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("force", [False, True])
def test_deploy_takes_the_first_candidate_that_fits(tmp_path, repository, monkeypatch, force):
    large, small = (flatten(build_layers(64, width, 64)) for width in (7000, 20))
    candidates = [Candidate(large, "packed"), Candidate(small, BYTES)]
    monkeypatch.setattr(deploy_file, "candidates_for_board", lambda *_: iter(candidates))
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(8, 4))
    with Board(tmp_path / "board", library=repository / "modules", heap="800k") as board:
        done = deploy(path, board.port, force=force)
        assert (done.flat_bytes, done.weights, done.model) == (len(small), BYTES, str(path))
        assert (tmp_path / "board" / "net.tflm").read_bytes() == small
        assert done.sent == len(small) + (len(large) if force else 0)
        candidates.pop()
        words = "cannot load the model: not enough heap" if force else "--force tries it"
        with pytest.raises(DeviceError, match=words):
            deploy(path, board.port, force=force)


# A .tflm for another core runs, slowly; the board has no target.
def test_deploy_notes_weights_for_another_core(tmp_path, repository):
    data = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    path = tmp_path / "net.tflm"
    with Board(tmp_path / "board") as board:
        for target, hints in ((None, 0), ("armv6m", 1)):
            path.write_bytes(flatten(data, target=target))
            found = deploy(path, board.port, replace=True).hints
            assert len(found) == hints and all("(lanes)" in hint for hint in found), found


# An ESP32 with much or little executable memory, simulated.
def test_deploy_and_doctor_show_both_budgets(tflm, tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(64, 300, 64))
    with Board(tmp_path / "board", special=LIKE_ESP32.format(1 << 20)) as board:
        printed = tflm("doctor", board.port, "--model", path).out
        assert "code      1.00 MB free for machine code\n" in printed
        assert "of machine code" in printed
        assert "models are stored in files, loaded into RAM" in printed
        done = deploy(path, board.port)
        assert done.code_free == 1 << 20
        assert done.hints == ["machine.freq(240_000_000) is 1.5 times as fast"]
        assert "clock     note: 160 MHz" in printed
        # The largest objects come first.
        assert [line.partition("(")[0] for line in done.use] == [
            "import os", "data = bytearray", "open", "import tflm", "model = tflm.load",
            "interpreter = tflm.Interpreter",
        ]  # fmt: skip
        assert "1.00 MB for machine code" in tflm("deploy", path, board.port).out
    with Board(tmp_path / "other", special=LIKE_ESP32.format(1000)) as board:
        fit = doctor(board.port, [path]).models[0]
        assert not fit.fits and "bytes of executable memory" in fit.how
        with pytest.raises(DeviceError, match="has 1000, .* use a model with fewer kinds"):
            deploy(path, board.port)
        assert tflm("deploy", path, board.port, "--force").code == 0


# After deploy has stored a smaller form of a model, verify and bench run it there.
def test_verify_runs_the_deployed_packing(tmp_path, repository, monkeypatch):
    path = repository / "models" / "digits" / "digits_int8.tflite"
    model = open_model(path)
    small = flatten(model.data, optimize="ram")
    monkeypatch.setattr(deploy_file, "candidates_for_board", lambda *_: [Candidate(small)])
    monkeypatch.setattr(
        board_device_file,
        "candidates_for_board",
        lambda *_: [Candidate(flatten(model.data)), Candidate(small, BYTES)],
    )
    with Board(tmp_path / "board", library=repository / "modules") as board:
        deploy(path, board.port)
        with Link(board.port) as link:
            device = BoardDevice(link)
            inputs = make_cases(model.inputs, 1, 0)[0].inputs
            received = board.received
            assert device.invoke(model, [inputs]).arena == FlatFile(small).arena_bytes
            assert board.received - received < len(small)


_PSRAM = (4 << 20, 4 << 20, 4 << 20)


# What the bits of an old ESP32, of a newer one and of another chip say.
@pytest.mark.parametrize("revision, warns", [(0, True), (1, True), (2, False), (3, False)])
def test_revision_with_psram(revision, warns):
    facts = replace(_ESP32, revision=revision)
    assert esp_chips.revision_warning(facts) is None and not esp_chips.has_psram(facts)
    facts = replace(facts, free=4 << 20, regions=[[_OWN], [_PSRAM, *_ESP32.regions[1]]])
    assert esp_chips.has_psram(facts)
    warning = esp_chips.revision_warning(facts)
    assert (warning is not None) == warns
    assert not warns or "CPU-3.9" in warning[0]


def test_faster_clock():
    assert "1.5 times" in esp_chips.faster_clock(_ESP32)
    assert esp_chips.faster_clock(replace(_ESP32, frequency=240_000_000)) is None
    assert esp_chips.faster_clock(replace(_ESP32, machine="ESP32C3 module with ESP32C3")) is None


_SECOND_CORE = """
import tflm
interp = tflm.Interpreter(tflm.load("net.tflm", trusted=True), cores=2)
interp.invoke()
"""


# What tflm says on an ESP32 whose executable memory is used up, and about its second core.
def test_tflm_on_an_esp32(tmp_path, repository):
    library = tmp_path / "library"
    shutil.copytree(repository / "modules" / "tflm", library / "tflm")
    for file in ("micropython_port", "run/cores"):
        source = mpy_compiler.runtime_source(file, "xtensawin")
        assert len(source) > len(mpy_compiler.runtime_source(file, "armv6m"))
        (library / "tflm" / f"{file}.py").write_text(source)
    special = LIKE_ESP32.format(1000)
    with Board(tmp_path / "board", library=library, special=special) as board:
        (tmp_path / "board" / "net.tflm").write_bytes(flatten(build_layers(8, 4)))
        with Link(board.port) as link:
            printed = link.exec(_SECOND_CORE)
            assert "threads share one core of an ESP32; leave cores=2 out" in printed
            assert (
                link.eval("interp.delegate_error is not None and len(interp.output(0).raw)") == 4
            )
            with pytest.raises(DeviceError, match="not enough heap .* machine code is used up"):
                link.exec("tflm.Interpreter('net.tflm', arena=1 << 40).invoke()")
            link.exec("import esp32; esp32.idf_heap_info = lambda kind: [(9000,) * 4]")
            with pytest.raises(DeviceError) as caught:
                link.exec("tflm.Interpreter('net.tflm', arena=1 << 40).invoke()")
            assert "machine code" not in str(caught.value)


# A pipeline with another packing shares the plan, and its model computes the same results.
def test_packings_share_the_plan(repository):
    data = (repository / "models" / "keywords" / "keywords_int8.tflite").read_bytes()
    pipeline = FlattenPipeline(data, FlattenOptions("xtensawin"))
    packed = pipeline.flat
    smaller = pipeline.with_packing(pipeline.bytes_packing)
    assert smaller.planned is pipeline.planned and len(smaller.flat) < len(packed)
    assert pipeline.flat == packed
