# Tests of `tflm fleet`, and of all steps of docs/products/fleet.md
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection

import pytest
from tflm.fleet import update as layout
from tflm_tools.fleet import depot, server

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
    command += ["--port", "0"]
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
    text = (repository / "docs" / "products" / "fleet.md").read_text()
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


# A public key never replaces a private key, and a failed keygen leaves no file.
def test_keygen_leaves_whole_keys_or_nothing(tflm, folder):
    for name in ("fleet.pub", ".pub/../x.pub", ".", "/"):
        found = tflm("fleet", "keygen", name)
        assert found.code == 1 and "cannot name the private key" in found.err, found
    assert os.listdir(folder) == ["models"]
    (folder / "fleet.pub").write_text("0")
    found = tflm("fleet", "keygen", "fleet.key")
    assert "fleet.pub exists without fleet.key; remove it if no board uses its key" in found.err
    (folder / "dangling").symlink_to("missing")
    assert "dangling exists" in tflm("fleet", "keygen", "dangling").err


_NO_SPACE = """
import resource, signal, sys
from tflm_tools.cli import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))
main(["fleet", "keygen", "fleet.key"])
"""


# The limits let no byte, and only the public key, be written.
@pytest.mark.parametrize("limit", [0, 150])
def test_keygen_on_a_full_disk(folder, limit):
    command = [sys.executable, "-c", _NO_SPACE.replace("MOST", str(limit))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    name = "fleet.key" if limit else "fleet.pub"
    assert done.stderr == f"tflm: cannot write {name}: file too large; check the folder\n"
    assert os.listdir(folder) == ["models"]


# Without the package cryptography the error says how to install it.
def test_error_without_cryptography(folder, monkeypatch):
    from tflm_tools.errors import ToolError
    from tflm_tools.fleet import keys

    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ToolError, match="requires the package cryptography; install it with: "):
        keys.generate("fleet.key")


# The smallest file that the server offers; boards would refuse it.
def build_offer(version=1):
    manifest = json.dumps({"name": "digits", "version": version}).encode()
    return layout.struct.pack(layout.HEADER, layout.MAGIC, layout.FORMAT, len(manifest)) + manifest


# A server of a folder with one update, in a thread. ask(path, method, body, headers) returns
# (status, body, headers) of its answer.
@pytest.fixture
def serving(tmp_path):
    (tmp_path / "digits-1.tflu").write_bytes(build_offer())
    servers = []

    def start(**options):
        found = server.Server(tmp_path, port=0, log=lambda line: servers[0].lines.append(line),
                              **options)  # fmt: skip
        found.lines = []

        def ask(path, method="GET", body=None, **headers):
            connection = HTTPConnection(*found.server_address[:2], timeout=20)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            return answer.status, content, answer.headers

        found.ask = ask
        servers.append(found)
        threading.Thread(target=found.serve_forever, args=(0.02,), daemon=True).start()
        return found

    yield start
    for found in servers:
        found.shutdown()
        found.server_close()


_BOARD = "/DEFAULT/controller/v1/desk"


# A feedback with a lone surrogate, line breaks, or far too much text changes one line of the page.
def test_hostile_feedback(serving):
    found = serving()
    for details in (["\ud800"], ["a\nother  digits-1.tflu: success"], ["x" * 60000], [[1] * 9]):
        assert found.ask(_BOARD)[0] == 200
        status = {"execution": "proceeding", "details": details}
        body = json.dumps({"status": status})
        assert found.ask(f"{_BOARD}/deploymentBase/1/feedback", "POST", body)[0] == 200
        code, page, _ = found.ask("/")
        assert code == 200 and page.startswith(b"desk  digits-1.tflu: proceeding: ")
        assert page.count(b"\n") == 1 and len(page) < 1000
        assert "\n" not in found.lines[-1] and len(found.lines[-1]) < 1000


# A link to a missing file, a pipe and a folder are not updates, and do not stop the server.
def test_files_that_are_not_regular(serving, tmp_path):
    found = serving()
    (tmp_path / "a.tflu").symlink_to("missing")
    (tmp_path / "b.tflu").mkdir()
    os.mkfifo(tmp_path / "c.tflu")
    code, body, _ = found.ask(_BOARD)
    assert code == 200 and "deploymentBase" in json.loads(body)["_links"]
    (tmp_path / "digits-1.tflu").unlink()
    os.mkfifo(tmp_path / "digits-1.tflu")
    assert found.ask(f"{_BOARD}/softwaremodules/1/artifacts/digits-1.tflu")[0] == 404
    assert "deploymentBase" not in json.loads(found.ask(_BOARD)[1])["_links"]


def test_token(serving):
    found = serving(token="secret")
    for path in ("/", _BOARD):
        assert found.ask(path)[0] == 401
        for wrong in ("secre", "secrets", "Basic secret", "Basic !", "Basic OnNlY3Jl", "\xe9"):
            assert found.ask(path, Authorization=wrong)[0] == 401
        for right in ("TargetToken secret", "GatewayToken secret", "Basic OnNlY3JldA=="):
            assert found.ask(path, Authorization=right)[0] == 200
    assert found.ask("/")[2]["WWW-Authenticate"].startswith("Basic ")


def test_range(serving, tmp_path):
    found = serving()
    found.ask(_BOARD)
    path, data = f"{_BOARD}/softwaremodules/1/artifacts/digits-1.tflu", build_offer()
    code, body, headers = found.ask(path, Range="bytes=5-")
    assert (code, body) == (206, data[5:])
    assert headers["Content-Range"] == f"bytes 5-{len(data) - 1}/{len(data)}"
    for start in (len(data), 10**11):
        code, body, headers = found.ask(path, Range=f"bytes={start}-")
        assert (code, body, headers["Content-Range"]) == (416, b"", f"bytes */{len(data)}")
    assert found.ask(path, Range="bytes=0-")[:2] == (200, data)
    assert found.ask(f"{_BOARD}/deploymentBase/{'9' * 5000}")[0] == 404


def test_limit_of_boards(serving, monkeypatch):
    monkeypatch.setattr(depot, "_MAX_BOARDS", 3)
    found = serving()
    codes = [found.ask(f"/DEFAULT/controller/v1/board{i}")[0] for i in (1, 2, 3, 2, 4, 5, 1)]
    assert codes == [200] * 7
    assert list(found.depot.boards) == ["board4", "board5", "board1"]
    assert found.ask("/DEFAULT/controller/v1/" + "x" * 300)[0] == 404
    body = json.dumps({"data": {f"a{i}": "x" * 1000 for i in range(50)} | {"odd": [1]}})
    assert found.ask("/DEFAULT/controller/v1/board1/configData", "PUT", body)[0] == 200
    kept = found.depot.boards["board1"].attributes
    assert len(kept) == 16 and all(len(value) == 300 for value in kept.values())


# Clients that connect and send nothing do not keep others from being answered.
def test_limit_of_connections(serving, monkeypatch):
    monkeypatch.setattr(server, "_MAX_CONNECTIONS", 8)
    found = serving()
    before = threading.active_count()
    idle = [socket.create_connection(found.server_address[:2]) for _ in range(30)]
    assert found.ask(_BOARD)[0] == 200
    for _ in range(100):
        if threading.active_count() <= before + 8:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before + 8
    for each in idle:
        each.close()


def test_default_address():
    from tflm_tools.cli.fleet import serve

    defaults = {option.name: option.default for option in serve.params}
    assert defaults["host"] == "127.0.0.1"
