# Tests of `tflm fleet`, and of docs/how-to/fleet.md from front to back
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


def desk():
    command = [sys.executable, "-m", "tflm_tools", "micropython", "desk.py"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


# `tflm fleet serve .`: (its address without the tenant, a function that gives its next line).
@contextmanager
def serving(*options):
    command = [sys.executable, "-m", "tflm_tools", "fleet", "serve", ".", *options]
    command += ["--host", "127.0.0.1", "--port", "0"]
    heard = partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # a job in the background has none
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heard) as process:
        try:
            line = process.stdout.readline()
            yield re.search(r"http://[\d.:]+", line)[0], lambda: process.stdout.readline().strip()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        finally:
            process.kill()


def test_page(tflm, repository, folder):
    text = (repository / "docs" / "how-to" / "fleet.md").read_text()
    tflm("flatten", "models/digits/digits_int8.tflite", "-o", "digits.tflm")
    tflm("fleet", "keygen", "fleet.key")
    assert (folder / "fleet.key").stat().st_mode & 0o777 == 0o600
    tflm(*_SIGN, 1)
    program = re.search(r"`desk.py`:\n.*?```python\n(.*?)```", text, re.S)[1]
    shown = re.search(r"\$ tflm micropython desk.py\n(.*?)```", text, re.S)[1]
    with serving() as (url, line):
        (folder / "desk.py").write_text(program.replace("http://127.0.0.1:8080", url))
        assert desk() == shown
        assert line().startswith("desk  digits-1.tflu: proceeding: ")
        assert line() == "desk  digits-1.tflu: success: digits 1 is in use"
        assert "`desk  digits-1.tflu: success: digits 1 is in use`" in text
        tflm(*_SIGN, 2)
        assert "now: desk/digits-2.tflm 2\n" in desk()
        assert (line(), line())[1] == "desk  digits-2.tflu: success: digits 2 is in use"
        tflm("fleet", "keygen", "other.key")
        tflm(*_SIGN[:3], "--key", "other.key", "--version", 3)
        said = desk()
        assert "refused - the update is not signed by this key" in said
        assert "now: desk/digits-2.tflm 2\n" in said
        assert line().startswith("desk  digits-3.tflu: failure: the update is not signed")


def test_commands(tflm, folder):
    tflite = "models/digits/digits_int8.tflite"
    tflm("fleet", "keygen", "fleet.key")
    assert "is there already" in tflm("fleet", "keygen", "fleet.key").err
    data = folder / "models/digits/digits_test.npz"
    sign = ("fleet", "sign", tflite, "--key", "fleet.key", "--version", 5, "--name", "digits")
    said = tflm(*sign, "--target", "armv6m", "--data", data, "--vectors", 3).out
    assert "digits 5" in said and "3 test vectors" in said
    assert "digits-5.tflu" in tflm("fleet", "verify", "digits-5.tflu", "--key", "fleet.pub").out
    refused = [
        (("verify", "digits-5.tflu", "--key", "fleet.key"), "no public key"),
        (("verify", tflite, "--key", "fleet.pub"), "no update"),
        (("verify", "digits-6.tflu", "--key", "fleet.pub"), "cannot read"),
        (("sign", tflite, "--key", "fleet.pub", "--version", "6"), "no private key"),
        (("sign", tflite, "--key", "fleet.key", "--version", "0"), "0 is no version"),
        (("sign", tflite, "--key", "fleet.key", "--version", "6", "--name", "a/b"), "--name"),
        (("sign", "fleet.key", "--key", "fleet.key", "--version", "6"), "neither a .tflite"),
        (("sign", tflite, "--key", "fleet.key", "--version", "6", "-o", "fleet.key"), "same file"),
        (("serve", "nowhere"), "no folder"),
    ]
    for arguments, words in refused:
        found = tflm("fleet", *arguments)
        said = found.err
        assert (
            found.code == 1
            and said.startswith("tflm: ")
            and words in said
            and said.count("\n") == 1
        ), said
    whole = (folder / "digits-5.tflu").read_bytes()
    for data in (whole[:-1], whole + b"\0", whole[:-1] + bytes([whole[-1] ^ 1]), whole[:50], b""):
        (folder / "damaged.tflu").write_bytes(data)
        assert tflm("fleet", "verify", "damaged.tflu", "--key", "fleet.pub").code == 1


# The package that signs is an extra, and the command says how to get it.
def test_without_cryptography(folder, monkeypatch):
    from tflm_tools.errors import ToolError
    from tflm_tools.fleet import keys

    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ToolError, match="needs the package cryptography; install it with: "):
        keys.generate("fleet.key")
