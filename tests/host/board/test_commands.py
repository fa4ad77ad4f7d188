# Tests of the commands boards, doctor, deploy and of --on, and of packages for mip
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from host.check.test_verify import _BROKEN, _word
from host.conftest import build_layers
from support.standin import Board
from tflm_tools.board import link as link_file
from tflm_tools.board import ports, profiles
from tflm_tools.board.link import Link
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.kernel_files import kernel_files
from tflm_tools.packages import dist, mpy_compiler, runtime_files
from tflm_tools.packages.machine_code.mpy_file import ASM, MpyFile
from tflm_tools.targets import PACKAGED


# A stand-in for a board whose firmware has this tflm and ROMFS.
@pytest.fixture
def board(tmp_path, repository):
    with Board(tmp_path / "board", library=repository / "modules", rom=1 << 17) as board:
        yield board


def test_boards(tflm, monkeypatch):
    port = ports.Port("/dev/ttyACM0", "e660583883724a32", "2e8a:0005", "")
    monkeypatch.setattr("tflm_tools.board.listing.connected", lambda: [port])
    found = tflm("boards")
    assert (found.code, found.err) == (0, "")
    for word in ("RPI_PICO", "armv6m", "emulated", "/dev/ttyACM0", "Raspberry Pi"):
        assert word in found.out
    known = tflm("boards", "--json").json()["known"]
    assert {entry["id"] for entry in known} == {profile.id for profile in profiles.load_all()}
    assert {entry["method"] for entry in known} == {"esptool", "qemu", "uf2"}


# Deploying to several boards continues with the others when one port does not exist.
def test_deploy_to_several_boards(tflm, tmp_path, monkeypatch):
    model = tmp_path / "net.tflite"
    model.write_bytes(build_layers(8, 40, 6, 5))
    with Board(tmp_path / "a") as one, Board(tmp_path / "b") as two:
        absent = str(tmp_path / "absent")
        found = tflm("deploy", model, one.port, absent, two.port)
        assert found.code == 1 and len(found.out.splitlines()) == 3
        lines = dict(line.split(": ", 1) for line in found.out.splitlines())
        assert "there is no port" in lines[absent]
        assert all("bytes sent" in lines[board.port] for board in (one, two))
        names = [ports.Port(board.port, "", "2e8a:0005", "") for board in (one, two)]
        monkeypatch.setattr("tflm_tools.board.deploy_all.connected", lambda: names)
        found = tflm("deploy", model, "--all", "--json")
        assert found.code == 0
        assert {board["port"] for board in found.json()} == {one.port, two.port}
        assert [board["deployment"]["sent"] for board in found.json()] == [0, 0]
        with Link(two.port) as link:
            link.exec("import tflm\ni = tflm.Interpreter(tflm.load('net.tflm', trusted=True))")
            assert link.eval("i.output(0).shape") == (1, 5)
    monkeypatch.setattr("tflm_tools.board.deploy_all.connected", list)
    found = tflm("deploy", model, "--all")
    assert found.code == 1 and "no board is connected" in found.err


# `tflm boards` lists the supported boards also without the package pyserial.
def test_boards_without_pyserial(tflm, monkeypatch):
    monkeypatch.setitem(sys.modules, "serial.tools", None)
    found = tflm("boards")
    assert (found.code, found.err) == (0, "")
    assert "RPI_PICO" in found.out and "pyserial is missing" in found.out


def test_doctor(tflm, board, layers, tmp_path):
    (tmp_path / "text.tflite").write_text("no model")
    found = tflm("doctor", board.port, "--model", layers, "--model", tmp_path / "text.tflite")
    assert (found.code, found.err) == (0, "")
    for word in ("ROMFS       128.0 KB", "in the firmware", "yes", "read in place", "neither"):
        assert word.split()[0] in found.out and word.split()[-1] in found.out
    report = tflm("doctor", board.port, "--json").json()
    assert {line["state"] for line in report["lines"]} <= {"ok", "note"}


def test_doctor_finds_problems(tflm, tmp_path, layers):
    with Board(tmp_path / "bare", heap="300k", special=_NO_FILES) as board:
        found = tflm("doctor", board.port, "--model", layers, "--json")
        lines = {line["what"]: line for line in found.json()["lines"]}
        assert lines["tflm"]["step"] and lines["files"]["found"] == "no file system"
        assert found.json()["models"][0]["fits"] is False


_NO_FILES = (
    "import sys, os\n"
    "class Os:\n"
    "    listdir, stat, getcwd, rename = os.listdir, os.stat, os.getcwd, os.rename\n"
    "sys.modules['os'] = Os\n"
)


def test_deploy_prints_how_to_use_it(tflm, board, layers):
    found = tflm("deploy", layers, board.port, "--name", "net")
    assert (found.code, found.err) == (0, "")
    assert "model = tflm.load('/rom/net.tflm')" in found.out
    assert "ROMFS" in found.out and "was already there" not in found.out
    assert "model = tflm.load('/rom/net.tflm', copy=True)" in found.out
    assert "was already there" in tflm("deploy", layers, board.port, "--name", "net").out
    report = tflm("deploy", layers, board.port, "--json").json()
    assert report["place"] == "romfs" and report["use"][0] == "import tflm"


# With --on, run, verify, bench and eval give the results of the unix port.
def test_commands_on_a_board(tflm, board, layers, tmp_path, monkeypatch):
    values = np.random.default_rng(1).integers(-128, 128, (1, 8)).astype(np.int8)
    np.save(tmp_path / "values.npy", values)
    arrays = []
    for where in ([], ["--on", board.port]):
        folder = tmp_path / f"out{len(where)}"
        found = tflm("run", layers, "--input", tmp_path / "values.npy", "--output-dir", folder,
                     "--repeat", 2, *where, "--json")  # fmt: skip
        assert (found.code, found.err) == (0, "")
        assert found.json()["invokes"] == 2
        arrays.append(np.load(folder / "output_0.npy"))
    np.testing.assert_array_equal(*arrays)
    found = tflm("verify", layers, "--runs", 1, "--on", board.port)
    assert (found.code, found.err) == (0, "")
    assert "all outputs are equal to TFLM's" in found.out
    monkeypatch.setenv("TFLM_CACHE", str(tmp_path / "cache"))
    found = tflm("bench", layers, "--invokes", 3, "--on", board.port, "--json")
    rows = found.json()
    assert [op["op"] for op in rows[0]["ops"]] == ["FULLY_CONNECTED"] * 3
    assert sum(op["share"] for op in rows[0]["ops"]) == pytest.approx(1, abs=0.01)
    table = tmp_path / "bench.csv"
    assert "FULLY_CONNECTED" in tflm("bench", layers, "--on", board.port, "--csv", table).out
    assert len(table.read_text().splitlines()) == 4
    np.savez(tmp_path / "data.npz", x=values, y=[1])
    data = ["--data", tmp_path / "data.npz", "--json"]
    here, there = (tflm("eval", layers, *data, *on) for on in ([], ["--on", board.port]))
    assert (there.code, there.err) == (0, "")
    assert there.json()["score"] == here.json()["score"]


# verify names the operator whose kernel on the board is wrong.
def test_verify_finds_the_wrong_kernel(tflm, tmp_path, layers, changed_modules):
    offset = f"(record[{_word('output')}] >> 2) + 4"
    code = _BROKEN.format(depth_word=_word("depth"), depth=40, offset=offset)
    changed_modules("kernels/fully_connected.py", code)
    library = Path(os.environ["TFLM_MODULES"])
    for override in (library / "tflm" / "kernels").glob("*/fully_connected.py"):
        override.unlink()
    with Board(tmp_path / "board", library=library) as board:
        found = tflm("verify", layers, "--runs", 1, "--on", board.port)
    assert found.code == 1, found.err
    assert "First differing op: 1 FULLY_CONNECTED" in found.out


def test_errors_are_one_line(tflm, board, layers, tmp_path, monkeypatch):
    monkeypatch.setattr(link_file, "_ENTER_SECONDS", 1)
    for arguments, words in [
        (("doctor", tmp_path / "none"), "there is no port"),
        (("deploy", tmp_path / "none.tflite", board.port), "cannot read"),
        (("deploy", layers, board.port, "--name", "a b"), "is not a valid model name"),
        (("verify", layers, "--on", board.port, "--heap", "1M"), "--heap is for the unix port"),
        (("flash", "NO_BOARD"), "there is no board NO_BOARD"),
    ]:
        found = tflm(*arguments)
        assert found.code in (1, 2) and words in found.err
        assert found.err.count("\n") == 1 and found.out == ""
    with Board(tmp_path / "plain") as plain:
        found = tflm("verify", layers, "--on", plain.port)
        assert "has no tflm" in found.err and "tflm deploy" in found.err


# A stock ESP32 gets no file with inline assembler, which its firmware cannot load.
def test_files_for_firmware_without_inline_assembler(repository):
    flat = flatten(build_layers(8, 40, 6, 5))
    packed = flatten(build_layers(8, 40, 6, 5), target="rv32imc")
    for arch in PACKAGED:
        files = runtime_files.files_for(flat, arch, assembler=False)
        for name, data in mpy_compiler.compile_runtime_files(files, arch).items():
            assert ASM not in {code.kind for code in MpyFile(data).module.functions()}, name
    assert "kernels/rv32imc/gen/fully_connected_lanes" in runtime_files.files_for(
        packed, "rv32imc", assembler=False
    )


def test_packages_of_mip(repository):
    names = {package: dist.package_files(package, "armv6m", True) for package in dist.PACKAGES}
    assert "kernels/armv6m/gen/conv_lanes" in names["cnn"]
    assert "kernels/armv6m/gen/svdf" in names["rnn"]
    assert "kernels/conv" not in names["core"] and "prepare/conv_2d" not in names["cnn"]
    assert "kernels/conv_float" in names["types"] and "kernels/conv_float" not in names["cnn"]
    for package, files in names.items():
        assert set(names["core"]) <= set(files) or package == "types", package
        assert set(files) <= set(names["all"]), package
    smaller = set().union(*(names[package] for package in dist.PACKAGES if package != "all"))
    in_smaller, in_all = (
        {path.rpartition("/")[2] for path in paths if path.startswith("kernels/")}
        for paths in (smaller, names["all"])
    )
    assert in_all & set(kernel_files()) <= in_smaller, "kernels that only the package all has"
    with pytest.raises(ToolError, match="no arch z80"):
        dist.make_dist("/nowhere", ["z80"])


def test_root_package_is_up_to_date(repository):
    path = repository / "package.json"
    assert path.read_bytes() == dist.root_package(), "run: make dist"
    for target, source in json.loads(path.read_text())["urls"]:
        assert (repository / source).is_file() and source == f"modules/{target}"


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


# mpremote installs a package from a local server, and the board runs a model with it.
def test_mip_install(tmp_path, monkeypatch):
    kernels = {"copy", "fully_connected"}  # fewer than the package has, to save time
    monkeypatch.setattr(dist, "package_kernels", lambda package, arch: kernels)
    dist.make_dist(tmp_path / "dist", ["x64"], report=lambda line: None)
    handler = functools.partial(_QuietHandler, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with Board(tmp_path / "board") as board:
            url = f"http://127.0.0.1:{server.server_port}/dist/x64_6.3/core.json"
            done = subprocess.run(
                [sys.executable, "-m", "mpremote", "connect", board.port, "mip", "install",
                 "--target", "lib", url],
                capture_output=True, text=True, timeout=120,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            (tmp_path / "board" / "net.tflm").write_bytes(flatten(build_layers(8, 40, 6, 5)))
            with Link(board.port) as link:
                link.exec("import tflm\ni = tflm.Interpreter('net.tflm')\ni.invoke()")
                assert link.eval("i.output(0).shape") == (1, 5)
    finally:
        server.shutdown()
        server.server_close()


# The Python files of custom operators also run on the board.
def test_custom_operator_on_a_board(tflm, board, repository, tmp_path):
    folder = repository / "examples" / "atan"
    model, custom = folder / "atan.tflite", ("--custom", folder / "atan.py")
    found = tflm("deploy", model, board.port, *custom)
    assert (found.code, found.err) == (0, "")
    assert "tflm.Interpreter(model, resolver=resolver)" in found.out
    values = np.array([0.0, 1.0, -2.0, 3.0], np.float32)
    info = tflm("inspect", model, *custom, "--json").json()["inputs"][0]
    np.save(tmp_path / "x.npy", np.resize(values, info["shape"]))
    found = tflm("run", model, "--input", tmp_path / "x.npy", "--output-dir", tmp_path,
                 *custom, "--on", board.port)  # fmt: skip
    assert (found.code, found.err) == (0, "")
    got = np.load(tmp_path / "output_0.npy")
    np.testing.assert_allclose(got, np.arctan(np.resize(values, info["shape"]) + 0.5), rtol=1e-5)
