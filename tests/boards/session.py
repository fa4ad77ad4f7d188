# Tests on boards: runs code in a board's raw REPL, through mpremote's transport
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import threading
import time

from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport


class BoardError(Exception):
    """The code raised an exception. The text is its traceback."""


class BoardGone(Exception):
    """The board did not answer in time, or its port failed. The text is its last output."""


class Session:
    """A raw REPL on the port of an emulated board. Entering it soft-resets the board."""

    def __init__(self, board):
        self.board = board
        deadline = time.monotonic() + 60
        while True:
            transport = SerialTransport(board.port, baudrate=115200)
            try:
                transport.enter_raw_repl(soft_reset=True, timeout_overall=20)
                break
            except TransportError as error:
                # It may still boot.
                transport.close()
                if time.monotonic() > deadline or not board.running():
                    raise BoardGone(f"no raw REPL: {error}; {board.log}") from None
        self._transport = transport

    def exec(self, code, timeout=300, follow=None):
        """Run code; return its output. follow(bytes) receives the output piece by piece.

        Raises BoardError or BoardGone.
        """
        said = bytearray()

        def take(data):
            # Remove the marks of the raw REPL.
            data = data.replace(b"\x04", b"")
            said.extend(data)
            if follow:
                follow(data)

        # mpremote waits forever for a board that hangs. Turning the board off ends the wait.
        watch = threading.Timer(timeout, self.board.kill)
        watch.start()
        try:
            self._transport.exec_raw_no_follow(code)
            _, error = self._transport.follow(timeout, take)
        except (TransportError, OSError, TypeError) as error:
            log = self.board.log[-500:]
            raise BoardGone(f"{error}; {log}; {bytes(said[-500:])!r}") from None
        finally:
            watch.cancel()
        if error:
            raise BoardError(error.decode(errors="replace").replace("\r", ""))
        return said.decode(errors="replace").replace("\r", "")

    def close(self):
        """Leave the raw REPL and the port."""
        with contextlib.suppress(TransportError, TransportExecError, OSError):
            self._transport.exit_raw_repl()
        with contextlib.suppress(OSError):
            self._transport.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
