# Kernel language: sums of products of float32, in the registers of an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.fpu import Fpu


class Sums:
    """Sums of products of some pixels and channels; a subclass has the loop of a machine.

    Each sum adds its products in the order of the taps. The one of a channel and a pixel is in
    the register channel * pixels + pixel.

    xs: addresses of the pixels' inputs. ws: addresses of the channels' weights. They change.
    tile: numbers of pixels and channels that are computed together. single: numbers of channels
    that are computed together for one pixel, the largest first.
    """

    tile, single = (4, 4), (4,)

    def __init__(self, k, xs, ws):
        self.k, self.xs, self.ws = k, xs, ws
        self.fpu = Fpu(k)

    @staticmethod
    def row_gap(gap, weight_gap):
        """Return what next_row() adds to the addresses of inputs."""
        return gap

    def begin(self):
        """Set the sums to 0.0."""
        self.fpu.clear(range(len(self.xs) * len(self.ws)))

    def end(self):
        """Complete the sums."""

    def add(self, taps):
        """Add the products of `taps` inputs and weights that follow each other."""
        raise NotImplementedError

    def skip(self, gap):
        """Advance the addresses of inputs."""
        for x in self.xs:
            x += gap

    def next_row(self, gap, weight_gap):
        """Advance to the next row of the filter. gap: of row_gap()."""
        self.skip(gap)
        for w in self.ws:
            w += weight_gap

    def store(self, to, channels_left, bias, limits):
        """Add the bias, limit the sums, and store them.

        to: addresses of the pixels' outputs. channels_left: the first of them exist. bias: its
        address, or 0. limits: address of the two limits of the activation.
        """
        k, f = self.k, self.fpu
        summand = self._load_limits(limits)

        def outputs(channel):
            sums = [len(to) * channel + pixel for pixel in range(len(to))]
            with k.If(bias != 0):
                f.load(summand, bias, 4 * channel)
                for total in sums:
                    f.add(total, total, summand)
            for total, address in zip(sums, to, strict=True):
                f.limit(total, *self.spare[1:])
                f.store(total, address, 4 * channel)

        self._each(channels_left, outputs)

    def add_to(self, to, channels_left, limits):
        """Limit the sums of one pixel, and add them to numbers that are stored at `to`."""
        f, summand = self.fpu, self._load_limits(limits)

        def outputs(channel):
            f.limit(channel, *self.spare[1:])
            f.load(summand, to, 4 * channel)
            f.add(channel, summand, channel)
            f.store(channel, to, 4 * channel)

        self._each(channels_left, outputs)

    def store_sums(self, to, channels_left):
        """Store the sums of one pixel."""
        self._each(channels_left, lambda channel: self.fpu.store(channel, to, 4 * channel))

    # Load the limits; return a register that is free.
    def _load_limits(self, limits):
        summand, low, high = self.spare
        self.fpu.load(low, limits[0], limits[1])
        self.fpu.load(high, limits[0], limits[1] + 4)
        return summand

    # Call outputs(channel) for the channels that exist.
    def _each(self, channels_left, outputs):
        k, stored = self.k, self.k.new_label("stored")
        for channel in range(len(self.ws)):
            outputs(channel)
            if channel + 1 < len(self.ws):
                k.branch(channels_left == channel + 1, stored)
        k.label(stored)


class _CortexM(Sums):
    """Loads of two or four numbers; a tile has 16 sums."""

    def __init__(self, k, xs, ws):
        super().__init__(k, xs, ws)
        is_tile = len(xs) > 1
        self.shift = 1 if is_tile else 2  # 1 << shift taps are added in a turn of the loop
        self.add_taps = self._add_to_tile if is_tile else self._add_to_pixel
        self.spare = (16, 17, 18) if is_tile else (4, 5, 6)

    def add(self, taps):
        k, at_once = self.k, 1 << self.shift
        turns = (taps.lsr(self.shift), at_once), (taps & at_once - 1, 1)
        for (value, count), times in zip(turns, (8, 1), strict=True):
            with k.repeat(k.var("turns", value), "taps", times):
                self.add_taps(count)

    # Registers 4 to 7 have inputs, 8 to 15 weights and products.
    def _add_to_pixel(self, count):
        f, channels_at_once = self.fpu, 8 // max(count, 2)
        f.load_next(range(4, 4 + count), self.xs[0])
        for first in range(0, len(self.ws), channels_at_once):
            channels = range(first, first + channels_at_once)
            for i, channel in enumerate(channels):
                at = 8 + count * i
                f.load_next(range(at, at + count), self.ws[channel])
            for i in range(count * channels_at_once):
                f.mul(8 + i, 8 + i, 4 + i % count)
            for tap in range(count):
                for i, channel in enumerate(channels):
                    f.add(channel, channel, 8 + count * i + tap)

    # Registers 16 to 23 have inputs, 24 to 27 weights, 28 to 31 products.
    def _add_to_tile(self, count):
        f, pixels = self.fpu, range(len(self.xs))
        for pixel, x in enumerate(self.xs):
            f.load_next(range(16 + count * pixel, 16 + count * pixel + count), x)
        for channel, w in enumerate(self.ws):
            weights = 24 + 2 * (channel & 1)
            f.load_next(range(weights, weights + count), w)
            for tap in range(count):
                for pixel in pixels:
                    f.mul(28 + pixel, weights + tap, 16 + tap + count * pixel)
                for pixel in pixels:
                    total = len(self.xs) * channel + pixel
                    f.add(total, total, 28 + pixel)


class _Xtensa(Sums):
    """All addresses have one index. Products are added late, when they are ready."""

    tile, single = (2, 4), (8, 4)
    spare = 12, 10, 11

    def __init__(self, k, xs, ws):
        super().__init__(k, xs, ws)
        self.index = k.var("index", 0)

    @staticmethod
    def row_gap(gap, weight_gap):
        return gap - weight_gap

    def next_row(self, gap, weight_gap):
        self.skip(gap)
        self.index += weight_gap

    def begin(self):
        self.fpu.clear([*range(len(self.xs) * len(self.ws)), *((13, 15) if self.xs[1:] else ())])

    def end(self):
        if self.xs[1:]:
            self.fpu.add(6, 6, 15)
            self.fpu.add(7, 7, 13)

    def add(self, taps):
        with self.k.repeat(self.k.var("turns", taps), "taps", 16):
            self._add_to_tile() if self.xs[1:] else self._add_to_pixel()

    # Registers 8 and 9 have inputs, 10 to 13 weights and the second pixel's products, 14 and 15
    # products of the first pixel. The last channel's products are added in the next turn.
    def _add_to_tile(self):
        f, weights, products = self.fpu, (10, 11, 12, 13), (14, 15)
        f.load(weights[0], self.ws[0], self.index)
        for pixel, x in enumerate(self.xs):
            f.load(8 + pixel, x, self.index)
        for channel, w in enumerate(weights):
            for pixel, product in enumerate((products[1 - channel % 2], weights[channel - 1])):
                total = (2 * channel - 2 + pixel) % 8
                f.add(total, total, product)
            if channel < 3:
                f.load(weights[channel + 1], self.ws[channel + 1], self.index)
            else:
                self.index += 4
            f.mul(products[channel % 2], w, 8)
            f.mul(w, w, 9)

    # Register 8 has the input, 9 to 15 weights, which products replace.
    def _add_to_pixel(self):
        f, count, ahead, delay = self.fpu, len(self.ws), 3, 2
        weights = [9 + i % 7 for i in range(count)]
        f.load(8, self.xs[0], self.index)
        for i in range(ahead):
            f.load(weights[i], self.ws[i], self.index)
        for i in range(count + delay):
            if i < count:
                f.mul(weights[i], weights[i], 8)
            if i >= delay:
                f.add(i - delay, i - delay, weights[i - delay])
            if i + ahead < count:
                f.load(weights[i + ahead], self.ws[i + ahead], self.index)
            if i == count - 1:
                self.index += 4


def sums_of(machine):
    """Return the subclass of Sums of a machine."""
    return _Xtensa if machine.name == "xtensawin" else _CortexM


def channels_from(k, first, step, left, count):
    """Return addresses of `count` channels; the last one of `left` stands for missing ones."""
    addresses = [k.var("channel0", first)]
    for i in range(1, count):
        addresses.append(k.var(f"channel{i}", addresses[-1]))
        with k.If(left > i):
            addresses[-1] += step
    return addresses


def compute_pixel(k, x, channels, left, multiply, store):
    """Compute up to Sums.single[0] channels of one pixel.

    x: address of its inputs. channels: address of the first channel's weights, and bytes to the
    next one. left: number of channels that exist. multiply: a function that adds the products of
    a Sums. store: a function that stores it.
    """
    machine_sums = sums_of(k.machine)
    counts, done = machine_sums.single, k.new_label("computed")
    ws = channels_from(k, *channels, left, counts[0])
    for i, count in enumerate(counts):
        sums, other = machine_sums(k, [k.var("x", x)], ws[:count]), k.new_label("fewer")
        if i + 1 < len(counts):
            k.branch(left <= counts[i + 1], other)
        sums.begin()
        multiply(sums)
        sums.end()
        store(sums)
        if i + 1 < len(counts):
            k.goto(done)
        k.label(other)
    k.label(done)
