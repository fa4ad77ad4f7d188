# tflm.camera: Frames: read grey pictures from a camera's pins, by PIO and DMA.
# MIT license; Copyright (c) 2026 the tflm authors

# A PIO state machine waits for the start of a frame, skips the lines and pixels outside the
# picture and reads the others. DMA stores them in the target, such as the input of a model. So no
# memory for the whole frame is needed, and nothing is cut out afterwards.

import time

import micropython

from ..errors import InputError

_TIMEOUT_MS = 1000  # of a whole frame
_MACHINES = 8
_PINS = 30

_PIO = 0x50200000
_PIO_STEP = 0x100000
_PIO_RECEIVED = 0x20
_BYTES = 0  # DMA moves bytes


# Change pixels from 0..255 to -128..127.
@micropython.viper
def _sign(pixels: ptr8, count: int):
    i = 0
    while i < count:
        pixels[i] ^= 0x80
        i += 1


# Copy `count` bytes from `at` on.
@micropython.viper
def _copy(target: ptr8, source: ptr8, at: int, count: int):
    i = 0
    while i < count:
        target[i] = source[at + i]
        i += 1


# Return the program of the state machine. It gets three numbers: lines to skip before the picture;
# clocks to skip before it in each line; iterations of the last loop in a line. All are less 1. The
# last loop reads a bit, or a byte of brightness and skips the byte of colour after it. level: of
# vsync during a frame.
def _program(serial, level, pclk, hsync, vsync):
    import rp2

    bits = 1 if serial else 8
    push = dict(in_shiftdir=rp2.PIO.SHIFT_LEFT, autopush=True, push_thresh=8)

    @rp2.asm_pio(**push)
    def program():
        pull()
        mov(x, osr)
        pull()
        mov(y, osr)
        pull()
        wait(1 - level, gpio, vsync)
        wait(level, gpio, vsync)
        label("above")
        wait(1, gpio, hsync)
        wait(0, gpio, hsync)
        jmp(x_dec, "above")
        wrap_target()
        mov(x, y)
        wait(1, gpio, hsync)
        label("left")
        wait(1, gpio, pclk)
        wait(0, gpio, pclk)
        jmp(x_dec, "left")
        mov(x, osr)
        label("inside")
        wait(1, gpio, pclk)
        in_(pins, bits)
        wait(0, gpio, pclk)
        if not serial:
            wait(1, gpio, pclk)
            wait(0, gpio, pclk)
        jmp(x_dec, "inside")
        wait(0, gpio, hsync)
        wrap()

    return program


class Frames:
    """The base class of the cameras; do not use it by itself.

    width, height: of the pictures. signed: pixels are -128..127, for int8 models, instead of
    0..255.
    """

    def __init__(self, size, sensor, serial, level, pins, state_machine, signed):
        import machine
        import rp2

        self.width, self.height = _checked_size(size, sensor)
        if not isinstance(state_machine, int) or not 0 <= state_machine < _MACHINES:
            raise InputError("there is no state machine %r; pass 0 to 7" % (state_machine,))
        data, pclk, hsync, vsync = pins
        wires = 1 if serial else 8
        for pin in pins:
            last = _PINS - (wires if pin is data else 1)
            if not isinstance(pin, int) or not 0 <= pin <= last:
                raise InputError("there is no pin %r; pass GPIOs from 0 to %d" % (pin, last))
        self._signed = signed
        self._idle = machine.idle
        self._memory = machine.mem8
        self._pixels = self.width * self.height
        clocks, turns = (8, 8) if serial else (2, 1)  # of a pixel
        above, left = (sensor[1] - self.height) // 2, (sensor[0] - self.width) // 2
        self._counts = above - 1, left * clocks - 1, self.width * turns - 1
        for pin in list(range(data, data + wires)) + [pclk, hsync, vsync]:
            machine.Pin(pin, machine.Pin.IN)
        self._machine = rp2.StateMachine(
            state_machine,
            _program(serial, level, pclk, hsync, vsync),
            in_base=machine.Pin(data),
        )
        block, number = state_machine >> 2, state_machine & 3
        self._received = _PIO + _PIO_STEP * block + _PIO_RECEIVED + 4 * number
        self._dma = rp2.DMA()
        self._dma.config(
            read=self._received,
            ctrl=self._dma.pack_ctrl(size=_BYTES, inc_read=False, treq_sel=8 * block + 4 + number),
        )
        self._frame = None
        self._at = 0  # of the next row in it
        self._put_row = self._row  # bound once: binding a method allocates

    def capture_into(self, view):
        """Wait for the next frame and store its picture. Allocates nothing.

        view: a buffer of bytes or int8 with width * height elements. Raises InputError for another
        size, and if no frame comes.
        """
        if len(view) != self._pixels:
            raise InputError(
                "the view has %d elements, a picture of %dx%d has %d; pass one of that size"
                % (len(view), self.width, self.height, self._pixels)
            )
        received, reader = self._machine, self._dma
        while received.rx_fifo():
            self._memory[self._received]
        received.restart()
        for count in self._counts:
            received.put(count)
        reader.config(write=view, count=self._pixels, trigger=True)
        received.active(1)
        try:
            self._wait()
        finally:  # nothing may write to the view afterwards
            received.active(0)
            if reader.active():
                reader.active(0)
        if self._signed:
            _sign(view, self._pixels)

    def _wait(self):
        begin = time.ticks_ms()
        while self._dma.active():
            if time.ticks_diff(time.ticks_ms(), begin) > _TIMEOUT_MS:
                raise InputError("the camera sends no frame; check its wires and its pins")
            self._idle()

    def rows(self):
        """Return the next frame row by row: `interp.invoke(camera.rows())`.

        For models of `tflm flatten --input-by-rows`, and for others. It waits for the frame and
        keeps it in memory.
        """
        if self._frame is None:
            self._frame = bytearray(self._pixels)
        self.capture_into(self._frame)
        self._at = 0
        return self._put_row

    def _row(self, view):
        at = self._at
        if len(view) != self.width or at >= self._pixels:
            raise InputError(
                "the model reads rows that a picture of %dx%d does not have; use pictures of the "
                "input's size" % (self.width, self.height)
            )
        _copy(view, self._frame, at, self.width)
        self._at = at + self.width

    def close(self):
        """Stop the camera's state machine and release its DMA channel."""
        self._machine.active(0)
        self._dma.close()


# Return (width, height); raise InputError unless such a picture is inside the (columns, lines) of
# a sensor.
def _checked_size(size, sensor):
    try:
        width, height = size
        right = 0 < width <= sensor[0] - 2 and 0 < height <= sensor[1] - 2
    except (TypeError, ValueError):
        right = False
    if not right or int(width) != width or int(height) != height:
        raise InputError(
            "a picture cannot have the size %r; pass (width, height) up to (%d, %d)"
            % (size, sensor[0] - 2, sensor[1] - 2)
        )
    return width, height
