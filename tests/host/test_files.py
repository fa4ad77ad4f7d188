# Tests of written files: links stay, pipes get the bytes, inputs are never replaced
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import click
import numpy as np
import pytest
from host.conftest import build_layers
from tflm_tools import files
from tflm_tools.cli import main as cli_main
from tflm_tools.cli.command import cli
from tflm_tools.cli.options import FilePath, OutputPath
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten


def test_link_stays_and_its_target_is_written(tflm, layers, tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "made.tflm", tmp_path / "link.tflm"
    link.symlink_to("real/made.tflm")
    for before in (None, b"old"):
        if before:
            target.write_bytes(before)
        assert tflm("flatten", layers, "-o", link).code == 0
        assert link.is_symlink() and target.read_bytes() == flatten(layers.read_bytes())
        assert [path.name for path in target.parent.iterdir()] == ["made.tflm"]


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "made"
    umask = os.umask(0o027)
    try:
        files.write(path, b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        files.write(path, b"2")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604 and path.read_bytes() == b"2"


def test_pipe_gets_the_bytes(tflm, layers, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert tflm("flatten", layers, "-o", pipe).code == 0
    reader.join(10)
    assert got == [flatten(layers.read_bytes())]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["layers.tflite", "pipe"]


# The output is a link to /dev/null, so that a defect would not replace the device itself.
def test_device_is_not_replaced(tflm, layers, tmp_path):
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    before = os.stat(os.devnull)
    assert tflm("flatten", layers, "-o", link).code == 0
    after = os.stat(os.devnull)
    assert (after.st_mode, after.st_rdev) == (before.st_mode, before.st_rdev)
    assert link.is_symlink()


# Reading an endless device stops at a limit.
def test_endless_device_is_refused(tflm, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MAX_BYTES", 1 << 25)
    found = tflm("flatten", "/dev/zero", "-o", tmp_path / "made.tflm")
    assert (found.code, found.err) == (
        1, "tflm: /dev/zero has more than 32 MB; check the path\n"
    )  # fmt: skip
    (tmp_path / "most").write_bytes(bytes(1 << 25))
    assert files.read(tmp_path / "most") == bytes(1 << 25)


# A pipe to which nothing is written ends after a while; other pipes are read.
def test_pipe_as_input(tflm, layers, tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(files, "_PIPE_SECONDS", 0.1)
    for command in ("inspect", "plan"):
        found = tflm(command, pipe)
        assert (found.code, found.err) == (
            1, f"tflm: cannot read {pipe}: nothing was written to it for 0.1 s; check the path\n"
        )  # fmt: skip
    monkeypatch.setattr(files, "_PIPE_SECONDS", 20)
    writer = threading.Thread(target=lambda: pipe.write_bytes(layers.read_bytes()))
    writer.start()
    assert tflm("inspect", pipe).code == 0
    writer.join(10)


# Each kind of file that a command reads is reported as missing, not as damaged.
@pytest.mark.parametrize(
    "command",
    [
        "inspect gone.tflite",
        "run LAYERS --input gone.npy --output-dir out",
        "run LAYERS --input gone.png --output-dir out",
        "run LAYERS --input gone.csv --output-dir out",
        "run LAYERS --input gone.wav --output-dir out",
        "eval LAYERS --data gone.csv",
        "eval LAYERS --data gone.npz",
        "eval LAYERS --data gone",
        "flatten LAYERS -o x.tflm --custom gone.py",
        "report LAYERS -o x.html --profile gone.csv",
        "search gone.py",
        "bench --compare gone.json",
        "fleet verify gone.tflu --key gone.pub",
        "fleet sign LAYERS --key gone.key --version 1",
        "wake listen gone.json --wav gone.wav",
        "wake listen gone.json --wav SOUND",
    ],
)
def test_missing_files(command, tflm, layers, tmp_path, monkeypatch, repository):
    monkeypatch.chdir(tmp_path)
    sound = str(repository / "tests" / "wake" / "hey_pico.wav")
    (tmp_path / "layers.tflite").write_bytes(build_layers(8 * 8, 5))
    found = tflm(*command.replace("LAYERS", layers.name).replace("SOUND", sound).split())
    assert found.code == 1
    assert "gone" in found.err and ": no such file or directory; check the path" in found.err


# A name with a line break could look like a line of the command's output.
def test_line_break_in_a_name(tflm, layers):
    for name in ("a.tflite\nruns: yes", "a\r.tflite", "a\u2028b"):
        layers.with_name(name).write_bytes(layers.read_bytes())
        for command in (("plan", layers.with_name(name)), ("plan", layers, "-o", name)):
            found = tflm(*command)
            assert found.code == 2 and "must not contain a line break; rename" in found.err
            assert found.out == "" and found.err.count("\n") == 1


_LITTLE_MEMORY = """
import resource
from tflm_tools import files
from tflm_tools.cli import main

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
main(["inspect", "large.tflite"])
"""


def test_file_larger_than_memory(tmp_path):
    with open(tmp_path / "large.tflite", "wb") as file:
        file.truncate(3 << 29)
    done = subprocess.run(
        [sys.executable, "-c", _LITTLE_MEMORY], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]  # on a slow computer, the progress comes before it
    assert last == "tflm: large.tflite does not fit into memory; give a smaller file"


# Where a command reads no file, the memory may end, too.
def test_memory_error(tflm, monkeypatch):
    def operators():
        raise MemoryError

    monkeypatch.setattr("tflm_tools.requirements.needs.operators", operators)
    found = tflm("ops")
    assert (found.code, found.out) == (1, "")
    assert found.err == "tflm: this computer has not enough memory for that; give a smaller file\n"


def test_folder_is_refused_as_output(tflm, layers, tmp_path):
    found = tflm("flatten", layers, "-o", tmp_path)
    assert found.code == 1 and len(found.err.splitlines()) == 1 and "directory" in found.err


# Each command that writes, with an output that is its input: by its path, a symbolic link, and a
# hard link.
@pytest.mark.parametrize(
    "command", ["flatten", "plan", "report", "transform", "requantize", "ops", "bench", "per-op"]
)
def test_input_is_not_replaced(command, tflm, layers, tmp_path):
    (tmp_path / "link").symlink_to(layers)
    os.link(layers, tmp_path / "second")
    before = layers.read_bytes()
    for output in (layers, tmp_path / "link", tmp_path / "second", f"{tmp_path}/./{layers.name}"):
        arguments = {
            "ops": ("ops", layers, "--resolver", output),
            "bench": ("bench", layers, "--csv", output),
            "per-op": ("bench", layers, "--per-op", "--csv", output),
        }.get(command, (command, layers, "-o", output))
        found = tflm(*arguments)
        assert found.code == 1 and "is the same file as the input" in found.err, found
        assert layers.read_bytes() == before
    assert (tmp_path / "link").is_symlink()


def test_input_array_of_run_is_not_replaced(tflm, layers, tmp_path):
    given = tmp_path / "output_0.npy"
    np.save(given, np.zeros((1, 8), np.int8))
    before = given.read_bytes()
    found = tflm("run", layers, "--input", given, "--output-dir", tmp_path)
    assert found.code == 1 and "is the same file as the input" in found.err
    assert given.read_bytes() == before


# Each command with an output that is another of its inputs, or another of its outputs. NEW is
# a file that does not exist.
@pytest.mark.parametrize(
    "command",
    [
        "learn LAYERS --data DATA -o DATA",
        "learn LAYERS --data DATA --examples DATA",
        "learn LAYERS --data OTHER --test DATA -o DATA",
        "learn LAYERS --data OTHER -o NEW --examples ./NEW",
        "convert LAYERS --data DATA -o DATA",
        "convert LAYERS --data OTHER --custom DATA -o DATA",
        "convert LAYERS --data OTHER --features DATA -o DATA",
        "flatten LAYERS --custom DATA -o DATA",
        "flatten LAYERS --features DATA -o DATA",
        "flatten LAYERS#net -o LAYERS",
        "plan LAYERS --custom DATA -o DATA",
        "report LAYERS --custom DATA -o DATA",
        "report LAYERS --profile DATA -o DATA",
        "search OTHER --storage DATA -o DATA.svg",
        "search OTHER --storage NEW.svg -o ./NEW.svg",
        "ops LAYERS --custom DATA --resolver DATA",
        "ops LAYERS --resolver NEW --manifest NEW",
        "bench LAYERS --custom DATA --csv DATA",
        "bench LAYERS --per-op --custom DATA --csv DATA",
        "bench LAYERS --all --on /dev/null --custom DATA -o DATA",
        "bench LAYERS --all --on /dev/null --compare DATA -o DATA",
        "bench LAYERS --all --on /dev/null --cycles DATA -o DATA",
        "fleet sign LAYERS --key OTHER --version 1 --data DATA -o DATA",
        "fleet sign LAYERS --key OTHER --version 1 --custom DATA -o DATA",
    ],
)
def test_other_inputs_are_not_replaced(command, tflm, layers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("DATA", "OTHER"):
        (tmp_path / name).write_bytes(b"register = build = print")
    (tmp_path / "DATA.svg").symlink_to("DATA")
    if command.startswith("fleet"):
        assert tflm("fleet", "keygen", "key").code == 0
        (tmp_path / "OTHER").write_bytes((tmp_path / "key").read_bytes())
    before = {name: (tmp_path / name).read_bytes() for name in ("DATA", "OTHER", layers.name)}
    found = tflm(*command.replace("LAYERS", layers.name).split())
    assert found.code == 1 and " is the same file as the " in found.err, found
    assert before == {name: (tmp_path / name).read_bytes() for name in before}
    assert not (tmp_path / "NEW").exists()


# Every option that names a file is an input or an output of the check above.
def test_each_option_with_a_file_is_checked():
    def options_of(command, path=()):
        for name, each in getattr(command, "commands", {}).items():
            yield from options_of(each, (*path, name))
        yield from ((path, option) for option in command.params)

    paths = [
        (" ".join(path), option.name, option.type)
        for path, option in options_of(cli)
        if isinstance(option.type, click.Path)
    ]
    assert len(paths) > 40
    assert {name for _, name, kind in paths if isinstance(kind, OutputPath)} == {
        "csv_path", "examples", "manifest", "output", "resolver", "storage",
    }  # fmt: skip
    for path, name, kind in paths:
        assert isinstance(kind, FilePath), (path, name)


# A killed conversion leaves no folder: the process of the converter removes it.
def test_killed_converter_leaves_no_folder(tmp_path):
    code = (
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "from tflm_tools.converters.process import LITERT, ConverterProcess\n"
        "with ConverterProcess(LITERT, 'm') as process: print(process.folder, flush=True), input()"
    )
    environment = {**os.environ, "TFLM_LITERT": sys.executable, "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", code, ":".join(sys.path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True,
    )  # fmt: skip
    folder = parent.stdout.readline().strip()
    assert os.path.isdir(folder)
    parent.kill()
    parent.communicate()
    until = time.monotonic() + 30
    while os.path.exists(folder) and time.monotonic() < until:
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())


# The bytes are on the disk before the new name points to them.
def test_bytes_are_synced_before_the_rename(tmp_path, monkeypatch):
    calls = []
    for name in ("fsync", "replace", "link"):
        function = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *given, f=function, n=name: (calls.append(n), f(*given))
        )
    files.write(tmp_path / "a", b"1")
    assert calls == ["fsync", "replace", "fsync"]  # the last one is for the folder
    calls.clear()
    files.create_private(tmp_path / "b", b"2")
    assert calls == ["fsync", "link", "fsync"]
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600
    with pytest.raises(ToolError, match="cannot write .*: file exists; check the folder"):
        files.create_private(tmp_path / "b", b"3")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "b").read_bytes() == b"2"


# FAT has no hard links.
def test_private_file_without_hard_links(tmp_path, monkeypatch):
    def link(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    files.create_private(tmp_path / "a", b"1")
    with pytest.raises(ToolError, match="file exists"):
        files.create_private(tmp_path / "a", b"2")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"1"


_OPS = """
import signal
from tflm_tools.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup ignores it
print(1, flush=True)
main(["ops"])
"""


# Ctrl-C while the command is being imported gives no traceback, and the exit code of an interrupt.
# After the command has printed everything, the signal may end Python itself.
def test_ctrl_c_at_any_time():
    command = [sys.executable, "-c", _OPS]
    whole = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    codes = set()
    for wait in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        begun = process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
        assert "Traceback" not in said, said
        codes.add(process.returncode)
        if process.returncode != 130:
            assert process.returncode in (0, -signal.SIGINT) and begun + out == whole
    assert 130 in codes


_IN_A_CALLBACK = """
import signal, time, weakref
from tflm_tools import cli
import tflm_tools.cli.command

signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup ignores it

class Held:
    pass

def interrupted(_):
    raise KeyboardInterrupt

def command(_arguments):
    held = Held()
    reference = weakref.ref(held, interrupted)
    del held
    for _ in range(1000):
        time.sleep(0.01)

tflm_tools.cli.command.main = command
cli.main([])
"""


# Ctrl-C arrives in a weakref callback, which imports use; its exception cannot be caught.
def test_ctrl_c_in_a_callback():
    command = [sys.executable, "-c", _IN_A_CALLBACK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (130, "tflm: stopped\n")


# Ctrl-C arrives while a class is created, where Python 3.11 raises a RuntimeError.
def test_ctrl_c_while_a_class_is_created(monkeypatch, capsys):
    class Stopping:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    def command(_arguments):
        type("Made", (), {"stopping": Stopping()})

    monkeypatch.setattr("tflm_tools.cli.command.main", command)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # cli_main() replaces it
    handler, threshold = signal.getsignal(signal.SIGTERM), gc.get_threshold()
    try:
        with pytest.raises(SystemExit) as ended:
            cli_main([])
    finally:
        signal.signal(signal.SIGTERM, handler)
        gc.set_threshold(*threshold)
    assert ended.value.code == 130 and capsys.readouterr().err == "tflm: stopped\n"
