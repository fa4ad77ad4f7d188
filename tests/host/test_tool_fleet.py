# Tests of `tflm fleet`, and of all steps of docs/how-to/fleet.md
# MIT license; Copyright (c) 2026 the tflm authors

import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

import pytest

_SIGN = "fleet", "sign", "digits.tflm", "--key", "fleet.key", "--version"


@pytest.fixture
def folder(repository, tmp_path, monkeypatch):
    (tmp_path / "models").symlink_to(repository / "models")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Run desk.py, which stands for a board.
def run_desk():
    command = [sys.executable, "-m", "tflm_tools", "micropython", "desk.py"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


# Run `tflm fleet serve .`; yield its address without the tenant, and a function for its next line.
@contextmanager
def running_server(*options):
    command = [sys.executable, "-m", "tflm_tools", "fleet", "serve", ".", *options]
    command += ["--host", "127.0.0.1", "--port", "0"]
    # A background job of a shell ignores SIGINT, and its children inherit that.
    setup = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=setup) as process:
        try:
            line = process.stdout.readline()
            yield re.search(r"http://[\d.:]+", line)[0], lambda: process.stdout.readline().strip()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        finally:
            process.kill()


def test_steps_of_the_page(tflm, repository, folder):
    text = (repository / "docs" / "how-to" / "fleet.md").read_text()
    tflm("flatten", "models/digits/digits_int8.tflite", "-o", "digits.tflm")
    tflm("fleet", "keygen", "fleet.key")
    assert (folder / "fleet.key").stat().st_mode & 0o777 == 0o600
    tflm(*_SIGN, 1)
    program = re.search(r"`desk.py`:\n.*?```python\n(.*?)```", text, re.S)[1]
    shown = re.search(r"\$ tflm micropython desk.py\n(.*?)```", text, re.S)[1]
    with running_server() as (url, line):
        (folder / "desk.py").write_text(program.replace("http://127.0.0.1:8080", url))
        assert run_desk() == shown
        assert line().startswith("desk  digits-1.tflu: proceeding: ")
        assert line() == "desk  digits-1.tflu: success: digits 1 is in use"
        assert "`desk  digits-1.tflu: success: digits 1 is in use`" in text
        tflm(*_SIGN, 2)
        assert "now: desk/digits-2.tflm 2\n" in run_desk()
        assert (line(), line())[1] == "desk  digits-2.tflu: success: digits 2 is in use"
        tflm("fleet", "keygen", "other.key")
        tflm(*_SIGN[:3], "--key", "other.key", "--version", 3)
        output = run_desk()
        assert "refused - the update is not signed by this key" in output
        assert "now: desk/digits-2.tflm 2\n" in output
        assert line().startswith("desk  digits-3.tflu: failure: the update is not signed")


def test_commands(tflm, folder):
    tflite = "models/digits/digits_int8.tflite"
    tflm("fleet", "keygen", "fleet.key")
    assert "exists, and boards may use its key" in tflm("fleet", "keygen", "fleet.key").err
    data = folder / "models/digits/digits_test.npz"
    sign = ("fleet", "sign", tflite, "--key", "fleet.key", "--version", 5, "--name", "digits")
    output = tflm(*sign, "--target", "armv6m", "--data", data, "--vectors", 3).out
    assert "digits 5" in output and "3 test vectors" in output
    assert "digits-5.tflu" in tflm("fleet", "verify", "digits-5.tflu", "--key", "fleet.pub").out
    refused = [
        (("verify", "digits-5.tflu", "--key", "fleet.key"), "not a public key"),
        (("verify", tflite, "--key", "fleet.pub"), "no update"),
        (("verify", "digits-6.tflu", "--key", "fleet.pub"), "cannot read"),
        (("sign", tflite, "--key", "fleet.pub", "--version", "6"), "not a private key"),
        (("sign", tflite, "--key", "fleet.key", "--version", "0"), "0 is not a valid version"),
        (("sign", tflite, "--key", "fleet.key", "--version", "6", "--name", "a/b"), "--name"),
        (("sign", "fleet.key", "--key", "fleet.key", "--version", "6"), "neither a .tflite"),
        (("sign", tflite, "--key", "fleet.key", "--version", "6", "-o", "fleet.key"), "same file"),
        (("serve", "nowhere"), "not a folder"),
    ]
    for arguments, message in refused:
        found = tflm("fleet", *arguments)
        assert found.code == 1 and message in found.err, found.err
        assert found.err.startswith("tflm: ") and found.err.count("\n") == 1, found.err
    whole = (folder / "digits-5.tflu").read_bytes()
    for data in (whole[:-1], whole + b"\0", whole[:-1] + bytes([whole[-1] ^ 1]), whole[:50], b""):
        (folder / "damaged.tflu").write_bytes(data)
        assert tflm("fleet", "verify", "damaged.tflu", "--key", "fleet.pub").code == 1


# Without the package cryptography the error says how to install it.
def test_error_without_cryptography(folder, monkeypatch):
    from tflm_tools.errors import ToolError
    from tflm_tools.fleet import keys

    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ToolError, match="requires the package cryptography; install it with: "):
        keys.generate("fleet.key")
