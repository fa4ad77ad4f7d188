# App mlperf_tiny: reads the commands of the benchmark's runner and sends the replies it expects
# MIT license; Copyright (c) 2026 the tflm authors

import time
from binascii import unhexlify

import settings
from micropython import const

_VERSION = b"ULPMark for tinyML Firmware V0.0.1"
_LINE_BYTES = const(80)  # longer commands are truncated
_MAX_BYTES = const(96 * 96 * 3)  # of an input
_END = const(37)  # %
_DIGITS = b"0123456789abcdefABCDEF"
_MAX_SLEEP_US = const(5000)  # while sound is processed
_BYTES_PER_LINE = const(8)  # of db print

_HELP = b"""
help         : print this text
name         : print the name of the device
timestamp    : print the time
db load N    : start to receive N bytes
db HH[HH]*   : receive bytes in hex
db print     : print the received bytes in hex
infer N [W]  : run the model W times (10) to warm up, then N times
results      : print the outputs of the model
start, stop  : process sound continuously (sww01)
"""


# Convert bytes to a number as C's atoi: the digits at the start, 0 without any.
def _number(text):
    value = 0
    negative = text[:1] == b"-"
    for digit in text[1:] if text[:1] in (b"-", b"+") else text:
        if not 48 <= digit <= 57:
            break
        value = value * 10 + digit - 48
    return 0 - value if negative else value


# The bytes of hex digits up to the first invalid digit, and the pair with that digit, or b"".
def _bytes(digits):
    try:
        return unhexlify(digits), b""
    except ValueError:
        pass
    end = 0
    while all([digit in _DIGITS for digit in digits[end : end + 2]]):
        end += 2
    return unhexlify(digits[:end]), digits[end : end + 2]


class Monitor:
    """Reads commands from `port` and executes them with `task`; stream: a Stream, or None."""

    def __init__(self, port, task, stream=None):
        self._port = port
        self._stream = stream
        self._task = task
        self._line = bytearray(_LINE_BYTES)
        self._buffer = bytearray(task.elements * task.element_bytes)
        self._size = 0  # bytes announced
        self._count = 0  # bytes taken
        self._commands = {
            b"name": self._name,
            b"timestamp": self._timestamp,
            b"profile": self._profile,
            b"help": self._help,
            b"db": self._db,
            b"infer": self._infer,
            b"results": self._results,
        }
        if stream:
            self._commands[b"start"] = self._start
            self._commands[b"stop"] = self._stop

    def run(self):
        """Answer commands until the input ends."""
        self._say(b"m-timestamp-mode-%s" % self._port.mode.encode())
        self._port.timestamp()
        self._say(b"m-init-done")
        self._say(b"m-ready")
        while True:
            command = self._read()
            if command is None:
                return
            self._answer(command)
            self._say(b"m-ready")

    def _say(self, line):
        self._port.write(line + b"\r\n")

    # Read a command without its end character; None at the end of the input. Line ends, which a
    # terminal sends, are ignored.
    def _read(self):
        read = self._port.read_byte
        line = self._line
        byte = bytearray(1)
        count = 0
        while self._process_sound() and read(byte):
            value = byte[0]
            if value == _END:
                return bytes(memoryview(line)[:count])
            if count < _LINE_BYTES and value not in b"\r\n":
                line[count] = value
                count += 1
        return None

    # Process sound until there is a byte to read. Returns True.
    def _process_sound(self):
        stream = self._stream
        if stream:
            while stream.running and not self._port.waiting():
                # The runner expects blocks to begin at equal times, and fast answers.
                time.sleep_us(min(stream.step(), _MAX_SLEEP_US))
        return True

    def _answer(self, command):
        words = [word for word in command.split(b" ") if word]
        answer = self._commands.get(words[0]) if words else None
        if answer:
            answer(words[1:])
        else:
            self._say(b"e-[Unknown command: %s]" % (words[0] if words else b""))

    def _name(self, _):
        self._say(b"m-name-dut-[%s]" % settings.NAME.encode())

    def _timestamp(self, _):
        self._port.timestamp()

    def _profile(self, _):
        self._say(b"m-profile-[%s]" % _VERSION)
        self._say(b"m-model-[%s]" % self._task.name.encode())

    def _help(self, _):
        self._say(_VERSION)
        for line in _HELP.rstrip().split(b"\n"):
            self._say(line)

    def _db(self, words):
        if not words:
            self._say(b"e-[Command 'db' requires a subcommand]")
        elif words[0] == b"load":
            self._load(words[1:])
        elif words[0] == b"print":
            self._print()
        else:
            self._receive(words[0])

    def _load(self, words):
        size = _number(words[0]) if words else 0
        if not words:
            self._say(b"e-[Command 'db load' requires the # of bytes]")
        elif size <= 0:
            self._say(b"e-[Command 'db load' must be >0 bytes]")
        elif size > _MAX_BYTES:
            line = "Supplied buffer size %d exceeds maximum of %d" % (size, _MAX_BYTES)
            self._say(line.encode())
        else:
            try:
                if size > len(self._buffer):
                    self._buffer = bytearray(size)
            except MemoryError:
                self._say(b"e-[There is no memory for %d bytes]" % size)
                return
            self._size = size
            self._count = 0
            self._say(b"m-[Expecting %d bytes]" % size)

    def _receive(self, digits):
        if len(digits) & 1:
            self._say(b"e-[Insufficent number of hex digits]")
            return
        if self._count >= self._size:
            self._say(b"e-[Too many bytes; send 'db load' first]")
            return
        data, wrong = _bytes(digits)
        # Bytes after the announced number are ignored.
        end = min(self._count + len(data), self._size)
        self._buffer[self._count : end] = data[: end - self._count]
        self._count = end
        if end == self._size:
            self._say(b"m-load-done")
        elif wrong:
            self._say(b"e-[Invalid hex digit '%s']" % wrong)

    # Print all bytes, eight per line; an empty line follows an incomplete line, as in the
    # reference.
    def _print(self):
        for start in range(0, self._size, _BYTES_PER_LINE):
            end = min(start + _BYTES_PER_LINE, self._size)
            line = "-".join(["%02x" % byte for byte in memoryview(self._buffer)[start:end]])
            self._say(b"m-buffer-" + line.encode())
        if self._size % _BYTES_PER_LINE:
            self._say(b"")

    def _infer(self, words):
        times = _number(words[0]) if words else 1
        warm_ups = _number(words[1]) if len(words) > 1 else 10
        if times <= 0:
            self._say(b"e-[Inference iterations must be >0]")
            return
        if warm_ups < 0:
            self._say(b"e-[Inference warmup must be >=0]")
            return
        self._set_input()
        self._say(b"m-warmup-start-%d" % warm_ups)
        self._invoke(warm_ups)
        self._say(b"m-warmup-done")
        self._say(b"m-infer-start-%d" % times)
        self._port.timestamp()
        self._invoke(times)
        self._port.timestamp()
        self._say(b"m-infer-done")
        self._results(words)

    # As in the reference, a wrong size is reported, and the model runs on its old input.
    def _set_input(self):
        size = self._task.elements * self._task.element_bytes
        if self._count < size:
            line = "Input db has %d elemented, expected %d" % (
                self._count // self._task.element_bytes,
                self._task.elements,
            )
            self._say(line.encode())
        else:
            self._task.set_input(memoryview(self._buffer)[:size])

    def _invoke(self, times):
        for _ in range(times):
            self._task.invoke()

    def _results(self, _):
        line = ",".join(["%0.3f" % value for value in self._task.results()])
        self._say(b"m-results-[%s]" % line.encode())

    def _start(self, _):
        for line in self._stream.start():
            self._say(line)

    def _stop(self, _):
        for line in self._stream.stop():
            self._say(line)
