# tflm_tools: board: Link: Python code runs on a board; the only file that knows mpremote
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from .. import locked_ast
from ..errors import DeviceError
from .ports import missing_package, resolve
from .replies import has_form
from .wire import Wire, WireError

_ENTER_SECONDS = 12.0
FIRST_SECONDS = 60.0  # for a slow board, or a busy emulator, to say what it is
_TRIES = 2


# mpremote, with its transport changed so that it waits on a Wire.
def _mpremote():
    try:
        from mpremote import transport
        from mpremote.transport_serial import SerialTransport
    except ImportError:
        raise missing_package("mpremote") from None

    class Transport(SerialTransport):
        # Waits end with the exchange, which Wire.start() has begun.
        def read_until(self, min_num_bytes, ending, timeout=10, data_consumer=None,
                       timeout_overall=None):  # fmt: skip
            return self.serial.read_until(ending)

    return transport, Transport


class Link:
    """A board at a port (see ports.resolve), in the raw REPL after a soft reset.

    Raises DeviceError in one sentence; its `kind` is "absent", "busy", "silent", "endless",
    "garbage", "lost", or the name of the exception that Python code raised on the board.
    timeout: seconds that the board has at least for each answer; 60 for the first one without it.
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
                f"{self.port} is no port: {error}; a URL is one of pyserial's, like "
                "socket://HOST:PORT",
                "absent",
            ) from None
        except (self._errors.TransportError, OSError):
            if "://" in self.port:
                raise DeviceError(
                    f"nothing answers at {self.port}; start what serves it, or check the name",
                    "busy",
                ) from None
            raise DeviceError(
                f"{self.port} cannot be opened, another program may have it; close that program",
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
        """Soft reset: the heap is fresh, boot.py has run, main.py has not."""
        for i in range(_TRIES):
            self._wire.start(_ENTER_SECONDS / _TRIES)
            try:
                self._transport.enter_raw_repl(soft_reset=True)
                return
            except WireError as error:
                if i == _TRIES - 1 or error.kind == "lost":
                    raise self._wire_error(error, "it gives no MicroPython prompt") from None

    # A sentence for a wire that gave nothing; `what` says what did not come.
    def _wire_error(self, error, what):
        chatter = (
            f"the board at {self.port} sends something else than MicroPython's "
            f"answers ({what}); press its reset button or check the port"
        )
        texts = {
            "silent": f"the board at {self.port} does not answer ({what}); press its reset "
            "button, check that it runs MicroPython, or flash it with: tflm flash",
            "late": chatter,
            "endless": chatter,
            "lost": f"the connection at {self.port} broke off; plug the board in and try again",
        }
        return DeviceError(texts[error.kind], error.kind)

    def exec(self, code, seconds=20.0):
        """Run Python code and return what it prints (str)."""
        seconds = max(seconds, self._least_seconds)
        self._wire.start(seconds)
        try:
            output, trace = self._transport.exec_raw(code, timeout=None)
        except WireError as error:
            if error.kind == "late":
                self._interrupt()
                raise DeviceError(
                    f"the board at {self.port} was not done after {seconds:g} s; "
                    "use a longer --timeout",
                    "timeout",
                ) from None
            raise self._wire_error(error, f"no end of a command after {seconds:g} s") from None
        except (self._errors.TransportError, ValueError) as error:
            raise DeviceError(
                f"the board at {self.port} does not speak MicroPython's raw REPL ({error}); "
                "press its reset button or check the port",
                "garbage",
            ) from None
        if trace:
            raise self._exception(trace.decode(errors="replace"))
        return output.decode(errors="replace")

    # Stop what runs on the board, and read to its end: the next command finds the prompt.
    def _interrupt(self):
        self._wire.start(3)
        try:
            self._wire.write(b"\x03")
            for _ in range(2):
                self._wire.read_until(b"\x04")
        except WireError:
            pass

    # The exception of the board: its last line says kind and text.
    def _exception(self, trace):
        lines = trace.strip().splitlines() or ["an exception without a text"]
        kind, _, text = lines[-1].partition(":")
        if kind == "MemoryError" and "locked" in text:
            text = f"a kernel allocated memory in invoke ({text.strip()}); mend the kernel"
            return DeviceError(text, kind)
        if kind == "MemoryError":
            text = f"the heap of the board at {self.port} is too small for this ({text.strip()})"
            return DeviceError(text + "; use a smaller model, or see: tflm doctor", kind)
        return DeviceError((text.strip() or kind) + f" (on the board at {self.port})", kind)

    def eval(self, expression, seconds=20.0, form=object):
        """The value of a Python expression on the board: numbers, texts, bytes and containers.

        form: what it must look like, see replies.has_form.
        """
        return self.value(self.exec(f"print(repr({expression}))", seconds), form)

    def value(self, text, form=object):
        """What the board printed as a Python literal."""
        try:
            value = locked_ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            value, form = None, int
        if not has_form(value, form):
            raise DeviceError(
                f"the board at {self.port} answered {text.strip()[:60]!r}, which was not asked "
                "for; press its reset button and try again",
                "garbage",
            )
        return value

    def bytes(self, expression, size):
        """`size` bytes of a buffer on the board."""
        text = self.eval(f"__import__('binascii').b2a_base64({expression})", form=bytes)
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
        """End what another thread waits for: it raises DeviceError."""
        self._wire.cancel()

    def close(self):
        """Leave the raw REPL and give the port back; a board that is gone is no error."""
        try:
            self._wire.start(2)
            self._transport.exit_raw_repl()
        except (WireError, OSError):
            pass
        self._wire.close()
