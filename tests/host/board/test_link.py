# Tests of the connection to a board: wrong ports, and boards that give invalid answers
# MIT license; Copyright (c) 2026 the tflm authors

import os
import pty
import select
import socket
import threading
import time
import tty
from contextlib import contextmanager

import pytest
from support.standin import Board
from tflm_tools.board import link as link_file
from tflm_tools.board import ports, wire
from tflm_tools.board.facts import read_facts
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError


# A port whose other end sends answer(data) for the bytes that it receives, until that is None.
@contextmanager
def port_with(answer):
    master, slave = pty.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    over = threading.Event()

    def serve():
        while not over.is_set():
            ready, _, _ = select.select([master], [], [], 0.02)
            data = os.read(master, 4096) if ready else b""
            reply = answer(data)
            if reply is None:
                break
            if reply:
                _, ready, _ = select.select([], [master], [], 0.05)
                if ready:
                    os.write(master, reply)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        over.set()
        thread.join(5)
        os.close(master)
        os.close(slave)


# Answers as a raw REPL up to the first command, and then with `reply`.
def raw_repl(reply):
    def answer(data):
        text = b""
        if b"\x01" in data and b"\x05A\x01" not in data:
            text += b"raw REPL; CTRL-B to exit\r\n>"
        if data == b"\x04":
            text += b"OK\r\nMPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>"
        if b"\x05A\x01" in data:
            text += reply
        return text

    return answer


@pytest.fixture(autouse=True)
def short_limits(monkeypatch):
    monkeypatch.setattr(link_file, "_ENTER_SECONDS", 1.2)
    monkeypatch.setattr(wire, "MAX_REPLY_BYTES", 1 << 16)


# The message of a connection that must fail within 8 s, as one line with a remedy.
def failure(port, kind, use=lambda link: None):
    begin = time.monotonic()
    with pytest.raises(DeviceError) as caught, Link(port) as link:
        use(link)
    assert time.monotonic() - begin < 8
    text = str(caught.value)
    assert caught.value.kind == kind, text
    assert "\n" not in text and ("; " in text or "see: " in text)
    return text


def test_link_to_the_stand_in(tmp_path):
    with Board(tmp_path / "board") as board, Link(board.port) as link:
        assert link.eval("'é' * 2 + str(6 * 7)") == "éé42"
        assert link.exec("print('one')\nprint('two')").split() == ["one", "two"]
        assert read_facts(link).arch
        with pytest.raises(DeviceError, match="divide by zero") as caught:
            link.exec("1 // 0")
        assert caught.value.kind == "ZeroDivisionError"
        with pytest.raises(DeviceError, match="heap of the board .* too small"):
            link.exec("bytearray(1 << 28)")


# Pass bytes between a TCP connection and a pty.
def _serve(listener, path):
    connection, _ = listener.accept()
    board = os.open(path, os.O_RDWR | os.O_NOCTTY)
    with connection:
        while True:
            ready, _, _ = select.select([connection, board], [], [])
            if connection in ready:
                data = connection.recv(4096)
                if not data:
                    break
                os.write(board, data)
            if board in ready:
                connection.sendall(os.read(board, 4096))
    os.close(board)


# A Link reaches a board over TCP.
def test_link_over_a_socket(tmp_path):
    with Board(tmp_path / "board") as board, socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, board.port), daemon=True)
        thread.start()
        host, number = listener.getsockname()
        with Link(f"socket://{host}:{number}") as link:
            assert link.eval("7 * 6") == 42
            assert len(link.bytes("bytes(range(256)) * 20", 5120)) == 5120
        thread.join(5)
    with pytest.raises(DeviceError, match="nothing answers at .*; start its server"):
        Link(f"socket://{host}:{number}")
    with pytest.raises(DeviceError, match="'foo' not known; write a URL of pyserial"):
        Link("foo://there")


# A Link interrupts a command that does not end in time, and the board answers again.
def test_endless_command(tmp_path):
    with Board(tmp_path / "board") as board, Link(board.port) as link:
        with pytest.raises(DeviceError, match="did not finish within 0.5 s"):
            link.exec("while True: pass", seconds=0.5)
        assert link.eval("1 + 1") == 2


# A longer timeout of the Link applies to each answer.
def test_longer_timeout(tmp_path):
    with Board(tmp_path) as board, Link(board.port, timeout=9) as link:
        link.exec("import time; time.sleep(1.2)", seconds=0.3)


def test_invalid_ports(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no port")
    for name, words in [
        (str(tmp_path / "nothing"), "there is no port"),
        (str(file), "is not a serial port"),
        ("a77", "there is no port /dev/ttyACM77"),
        ("u77", "/dev/ttyUSB77"),
        ("id:none", "serial number 'none'"),
    ]:
        with pytest.raises(DeviceError, match=words) as caught:
            ports.resolve(name)
        assert caught.value.kind == "absent"


@pytest.mark.parametrize("count", [0, 1, 2])
def test_only_port_is_the_default(monkeypatch, count):
    found = [ports.Port(f"/dev/ttyACM{i}", f"n{i}", "2e8a:0005", "Pico") for i in range(count)]
    monkeypatch.setattr(ports, "connected", lambda: found)
    if count == 1:
        assert ports.resolve() == ports.resolve("auto") == "/dev/ttyACM0"
        return
    with pytest.raises(DeviceError, match="no board" if not count else "there are 2 ports"):
        ports.resolve()


def test_busy_port(tmp_path):
    with Board(tmp_path / "board") as board, Link(board.port):
        assert board.port in failure(board.port, "busy")


def test_silent_board():
    with port_with(lambda data: b"") as port:
        assert "does not answer" in failure(port, "silent")


def test_port_that_echoes():
    with port_with(lambda data: data) as port:
        assert "output that is not MicroPython's" in failure(port, "late")


@pytest.mark.parametrize("text", [b"x" * 3000, bytes(range(256)) * 8, b">" * 999, b"\x04" * 999])
def test_endless_output(text):
    with port_with(lambda data: text) as port:
        with pytest.raises(DeviceError) as caught, Link(port) as link:
            link.exec("print(1)", seconds=2)
        assert caught.value.kind in ("late", "endless", "garbage", "timeout", "silent")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "reply, kind",
    [
        (b"", "silent"),
        (b"nonsense", "late"),
        (b"R\x01\x00\x01garbage", "garbage"),
        (b"R\x01\x00\x01\x04", "garbage"),
        (b"R\x00xx", "garbage"),
    ],
)
def test_garbage_after_the_prompt(reply, kind):
    with port_with(raw_repl(reply)) as port:
        begin = time.monotonic()
        with pytest.raises(DeviceError) as caught, Link(port) as link:
            link.exec("print(1)", seconds=1)
        assert time.monotonic() - begin < 8
        assert caught.value.kind in (kind, "timeout", "garbage", "silent"), caught.value
        assert "\n" not in str(caught.value)


# The connection breaks in the middle of a command.
def test_lost_connection(tmp_path):
    with Board(tmp_path / "board", cut=3000) as board:
        with pytest.raises(DeviceError, match="was lost") as caught, Link(board.port) as link:
            link.exec(f"a = {'x' * 9000!r}")
        assert caught.value.kind == "lost"


@pytest.mark.parametrize(
    "answer", ["", "[1, 2", "{'version': 1}", "__import__('os').getcwd()", "[" * 3000, "(1, 2, 3)"]
)
def test_invalid_answers(tmp_path, answer, monkeypatch):
    with Board(tmp_path / "board") as board, Link(board.port) as link:
        monkeypatch.setattr(link, "exec", lambda code, seconds=0: answer)
        with pytest.raises(DeviceError) as caught:
            read_facts(link)
        assert caught.value.kind == "garbage"
        assert len(str(caught.value)) < 250


def test_only_link_imports_mpremote(repository):
    users = [
        path.name
        for path in (repository / "tools" / "tflm_tools").rglob("*.py")
        if "import mpremote" in path.read_text() or "from mpremote" in path.read_text()
    ]
    assert users == ["link.py"]


# The second line is the first one that an ESP chip sends.
@pytest.mark.parametrize("start", [b"MicroPython v1.26.1\r\n>>> ", b"ets\r\n\r\nrst:0x7 (TG0WDT)"])
def test_board_that_resets(start):
    with port_with(raw_repl(b"R\x01\x80\x00\x01" + start)) as port:
        text = failure(port, "reset", lambda link: link.exec("while True: pass", 600))
    assert "was reset while it ran a command" in text and "machine.WDT" in text
