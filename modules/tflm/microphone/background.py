# tflm.microphone: Background: keep sound of a PDM microphone while the program does other work.
# MIT license; Copyright (c) 2026 the tflm authors

# A timer reads the microphone each 8 ms. MicroPython calls it between two bytecodes, so a model
# may run meanwhile: a slice of a kernel is shorter than the 64 ms that the ring holds.

_CHUNK = 128  # samples of 8 ms
_PERIOD_MS = 8


class Background:
    """A ring of samples between a microphone and the program.

    microphone: an object with `available()`, the samples that wait, and `read(buffer)`. count:
    samples of the ring.
    """

    def __init__(self, microphone, count):
        import machine

        self._microphone = microphone
        chunks = max(count // _CHUNK, 2)
        self._bytes = memoryview(bytearray(2 * _CHUNK * chunks))
        # Slices allocate memory, so the timer has them ready.
        self._chunks = [self._bytes[2 * _CHUNK * i : 2 * _CHUNK * (i + 1)] for i in range(chunks)]
        # Bytes modulo twice the size: a full ring differs from an empty one.
        self._written = self._read = 0
        self._idle = machine.idle
        self._timer = None

    def start(self):
        """Start the timer."""
        from machine import Timer

        self._timer = Timer(-1)
        self._timer.init(mode=Timer.PERIODIC, period=_PERIOD_MS, callback=self._collect)

    # The timer calls this. Sound that does not fit stays in the microphone's ring, which counts
    # its losses.
    def _collect(self, _):
        size = len(self._bytes)
        microphone = self._microphone
        while microphone.available() >= _CHUNK:
            if (self._written - self._read) % (2 * size) > size - 2 * _CHUNK:
                return
            microphone.read(self._chunks[self._written % size // (2 * _CHUNK)])
            self._written = (self._written + 2 * _CHUNK) % (2 * size)

    def read(self, buffer):
        """Fill a buffer with samples; wait for them; return its bytes."""
        size, done = len(self._bytes), 0
        while done < len(buffer):
            waiting = (self._written - self._read) % (2 * size)
            if not waiting:
                self._idle()
                continue
            at = self._read % size
            count = min(waiting, len(buffer) - done, size - at)
            buffer[done : done + count] = self._bytes[at : at + count]
            done += count
            self._read = (self._read + count) % (2 * size)
        return done

    def close(self):
        """Stop the timer."""
        if self._timer is not None:
            self._timer.deinit()
