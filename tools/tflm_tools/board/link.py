# tflm_tools: board: runs Python code on a board, using mpremote
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from .. import locked_ast
from ..errors import DeviceError
from .ports import missing_package, resolve
from .replies import matches
from .wire import Wire, WireError

_ENTER_SECONDS = 12.0  # limit for entering the raw REPL, all tries together, or a longer timeout
FIRST_SECONDS = 60.0  # limit for the first answer of a slow board or a busy emulator
_TRIES = 2


# mpremote's module transport, and its serial transport changed so that it waits on a Wire.
def _mpremote():
    try:
        from mpremote import transport
        from mpremote.transport_serial import SerialTransport
    except ImportError:
        raise missing_package("mpremote") from None

    class Transport(SerialTransport):
        # Wire.start() sets the time limit, for the whole exchange.
        def read_until(self, min_num_bytes, ending, timeout=10, data_consumer=None,
                       timeout_overall=None):  # fmt: skip
            return self.serial.read_until(ending)

    return transport, Transport


class Link:
    """A connection to the board at a port (see ports.resolve), which is in the raw REPL.

    timeout: least number of seconds to wait for each answer; the first answer has 60 s by
    default. Methods raise DeviceError, whose `kind` is "absent", "busy", "silent", "endless",
    "timeout", "garbage", "lost", "reset", or the name of the exception that was raised on the
    board.
    """

    def __init__(self, port=None, timeout=None):
        self.port = resolve(port)
        self.first_seconds = timeout or FIRST_SECONDS
        self._least_seconds = timeout or 0
        self._errors, transport = _mpremote()
        try:
            self._transport = transport(self.port, timeout=1)
        except ValueError as error:
            raise DeviceError(
                f"{self.port} is not a valid port: {error}; write a URL of pyserial, like "
                "socket://HOST:PORT",
                "absent",
            ) from None
        except (self._errors.TransportError, OSError):
            if "://" in self.port:
                raise DeviceError(
                    f"nothing answers at {self.port}; start its server, or check the name",
                    "busy",
                ) from None
            raise DeviceError(
                f"{self.port} cannot be opened, another program may use it; close that program",
                "busy",
            ) from None
        self._wire = self._transport.serial = Wire(self._transport.serial)
        try:
            self.reset()
        except BaseException:
            self._wire.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def reset(self):
        """Reset MicroPython: the heap is empty and boot.py has run, main.py has not."""
        for i in range(_TRIES):
            self._wire.start(max(_ENTER_SECONDS / _TRIES, self._least_seconds))
            try:
                self._transport.enter_raw_repl(soft_reset=True)
                return
            except WireError as error:
                if i == _TRIES - 1 or error.kind == "lost":
                    raise self._wire_error(error, "no MicroPython prompt") from None

    # The DeviceError for a WireError; `symptom` says which answer is missing.
    def _wire_error(self, error, symptom):
        not_micropython = (
            f"the board at {self.port} sends output that is not MicroPython's ({symptom}); "
            "press its reset button or check the port"
        )
        texts = {
            "silent": f"the board at {self.port} does not answer ({symptom}); press its reset "
            "button, check that it runs MicroPython, or flash it with: tflm flash",
            "late": not_micropython,
            "endless": not_micropython,
            "reset": f"the board at {self.port} was reset while it ran a command; if its main.py "
            "starts a watchdog (machine.WDT), rename main.py and plug the board in again",
            "lost": f"the connection at {self.port} was lost; plug the board in and try again",
        }
        return DeviceError(texts[error.kind], error.kind)

    def exec(self, code, seconds=20.0):
        """Run Python code on the board and return its output (str)."""
        seconds = max(seconds, self._least_seconds)
        self._wire.start(seconds, runs=True)
        try:
            output, trace = self._transport.exec_raw(code, timeout=None)
        except WireError as error:
            if error.kind == "late":
                self._interrupt()
                raise DeviceError(
                    f"the board at {self.port} did not finish within {seconds:g} s; "
                    "use a longer --timeout",
                    "timeout",
                ) from None
            symptom = f"a command did not finish within {seconds:g} s"
            raise self._wire_error(error, symptom) from None
        except (self._errors.TransportError, ValueError) as error:
            raise DeviceError(
                f"the board at {self.port} does not answer as MicroPython's raw REPL ({error}); "
                "press its reset button or check the port",
                "garbage",
            ) from None
        if trace:
            raise self._exception(trace.decode(errors="replace"))
        return output.decode(errors="replace")

    # Interrupt the running command and read the rest of its output, up to the prompt.
    def _interrupt(self):
        self._wire.start(3)
        try:
            self._wire.write(b"\x03")
            for _ in range(2):
                self._wire.read_until(b"\x04")
        except WireError:
            pass

    # The DeviceError for a traceback of the board, whose last line has the exception's name and
    # text.
    def _exception(self, trace):
        lines = trace.strip().splitlines() or ["an exception without a text"]
        kind, _, text = lines[-1].partition(":")
        if kind == "MemoryError" and "locked" in text:
            text = f"a kernel allocated memory in invoke ({text.strip()}); fix the kernel"
            return DeviceError(text, kind)
        if kind == "MemoryError":
            text = f"the heap of the board at {self.port} is too small ({text.strip()})"
            return DeviceError(text + "; use a smaller model, or see: tflm doctor", kind)
        return DeviceError((text.strip() or kind) + f" (on the board at {self.port})", kind)

    def eval(self, expression, seconds=20.0, schema=object):
        """Return the value of a Python expression on the board: a literal, no other object.

        schema: the expected type and range, see replies.matches().
        """
        return self.value(self.exec(f"print(repr({expression}))", seconds), schema)

    def value(self, text, schema=object):
        """Return the value of a Python literal that the board has printed; schema: as for eval."""
        try:
            value = locked_ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            value, schema = None, int
        if not matches(value, schema):
            raise DeviceError(
                f"the board at {self.port} gave the unexpected answer {text.strip()[:60]!r}; "
                "press its reset button and try again",
                "garbage",
            )
        return value

    def bytes(self, expression, size):
        """Return the bytes of a buffer on the board, which must have `size` bytes."""
        text = self.eval(f"__import__('binascii').b2a_base64({expression})", schema=bytes)
        try:
            data = binascii.a2b_base64(text)
        except binascii.Error:
            data = b""
        if len(data) != size:
            raise DeviceError(
                f"the board at {self.port} sent {len(data)} bytes, not {size}; try again",
                "garbage",
            )
        return data

    def cancel(self):
        """Make the exchange for which another thread waits raise DeviceError."""
        self._wire.cancel()

    def close(self):
        """Leave the raw REPL and close the port; a board that was unplugged is not an error."""
        try:
            self._wire.start(2)
            self._transport.exit_raw_repl()
        except (WireError, OSError):
            pass
        self._wire.close()
