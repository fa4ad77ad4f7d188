# tflm_tools: a region of a graph in bands: what lies between its operators needs a few rows
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.tflite.graph import Node

from ...arena.windows import Spread
from ...image.gathered_rows import GatheredRows, gathered_of
from ...image.joined_channels import JoinedChannels
from ...image.padded_rows import CODES as PADS
from ...image.padded_rows import PaddedRows
from ...image.parts import RepeatedRows, repeats
from ...image.resized_rows import CODE as RESIZE
from ...image.resized_rows import ResizedRows
from ...model.schema import BuiltinOperator
from .channel_groups import groups_of
from .copied import copied


@dataclass
class Chain:
    """A region in bands: `slots[s][b]` is what runs at place s of band b: a Node, or None.

    places[s]: the place in the region of the operator that runs there, None for copies and sums.
    groups: (first slot, slots, times) of what does the same for one group of channels after the
    other. nodes: all of them in the order of execution; tensors: what was made for them.
    """

    slots: list = field(default_factory=list)
    places: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    tensors: list = field(default_factory=list)


class _Unaligned(Exception):
    """Rows begin where kernels could not read them."""


class _Writer:
    """Writes a Region as operators on views, band by band, as its Progress says."""

    def __init__(self, progress, make, bands):
        self._progress = progress
        self._bands = bands
        self._region = region = progress.region
        self._make = make
        self.chain = Chain()
        self._row_bytes = {}  # of tensors along an axis
        self._views = {}  # buffers have the same rows at the same places in many bands
        self._bases = {key: self._base(key, value) for key, value in region.values.items()}
        last = {}  # place: values that it is the last to read
        for key, value in region.values.items():
            if value.inside:
                last.setdefault(max(place for place, _ in value.readers), []).append(key)
        for place, node in enumerate(region.nodes):
            if progress.anew.get(region.outputs[place], 1) > 1:
                continue  # with what reads it
            places = [place]
            if region.ways[place].gathers:
                self._gather(place, node)
            elif progress.groups(place) > 1:
                self._groups(place)
                places = place - 1, place
            else:
                self._slot((self._part(place, node, band) for band in bands), place)
            if progress.apart:
                self._keep(region.outputs[place])
                continue
            for key in (key for at in places for key in last.get(at, ())):
                self._slot(self._copy(key, band) for band in bands)
        for parts in zip(*self.chain.slots, strict=True):
            self.chain.nodes += filter(None, parts)

    def _slot(self, parts, place=None):
        parts = list(parts)
        if any(parts):
            self.chain.slots.append(parts)
            self.chain.places.append(place)

    # What has the rows of a value: a buffer for a few of them, or the tensor that they lie in.
    def _base(self, key, value):
        tensor = value.tensor
        if not value.inside:
            return tensor
        way, shape = self._region.ways[value.writer], tensor.shape
        if not way.gathers:
            shape = _with_rows(tensor, way.axis, self._progress.buffer_rows(key))
        return self._new(tensor, shape)

    # A tensor like another one, with bytes of its own.
    def _new(self, tensor, shape):
        base = self._make(tensor.name, tensor.dtype, shape, tensor)
        self.chain.tensors.append(base)
        return base

    # Rows of a base's bytes, from `row` on, as an operator sees them; the same view each time.
    def _view(self, *rows):
        if rows not in self._views:
            self._views[rows] = self._viewed(*rows)
        return self._views[rows]

    def _viewed(self, base, tensor, axis, row, count):
        if (tensor, axis) not in self._row_bytes:
            self._row_bytes[tensor, axis] = tensor.nbytes() // tensor.shape[axis]
        start = row * self._row_bytes[tensor, axis]
        if start % 4:
            raise _Unaligned
        view = self._make(tensor.name, tensor.dtype, _with_rows(tensor, axis, count), tensor)
        view.view_of = base, start
        self.chain.tensors.append(view)
        return view

    # Group by group of channels: what expands, what reads that, and a copy beside the others. All
    # groups have the same buffers.
    def _groups(self, place):
        nodes, axis = self._region.nodes, self._region.ways[place].axis
        expanding, depthwise = nodes[place - 1 : place + 1]
        between, behind = self._region.outputs[place - 1 : place + 1]
        most = self._progress.most_rows(behind)
        count = self._progress.groups(place)
        begin = len(self.chain.slots)
        for group in groups_of(depthwise.outputs[0].shape[3], count, self._make):
            first, second = group.of(expanding, depthwise)
            if not group.first:
                rows = self._progress.buffer_rows(between)
                expanded = first.outputs[0]
                self._bases[between] = self._new(expanded, _with_rows(expanded, axis, rows))
                made = self._new(second.outputs[0], _with_rows(second.outputs[0], axis, most))
            self._slot((self._part(place - 1, first, b) for b in self._bands), place - 1)
            self._slot((self._part(place, second, b, made) for b in self._bands), place)
            self._slot(self._joined(place, made, second, group, band) for band in self._bands)
        slots = len(self.chain.slots) - begin
        self.chain.groups.append((begin, slots // count, count))

    # The copy of a group's rows that a band adds to the other channels of their value.
    def _joined(self, place, made, second, group, band):
        key, axis = self._region.outputs[place], self._region.ways[place].axis
        first, last = self._progress.span(key, band)
        if first == last:
            return None
        row, whole = first - self._progress.held[key][band - 1], self._region.nodes[place]
        rows = self._view(made, second.outputs[0], axis, 0, last - first)
        there = [
            self._viewed(self._bases[key], whole.outputs[0], axis, row, last - first)
            for _ in range(2)
        ]
        inputs = [rows, there[0]] if group.first else [rows]
        return JoinedChannels(whole, inputs, there[1:], group.first)

    # The operator for the rows of its output that a band adds, or None where that are none. made:
    # what begins with these rows, if it is not the buffer of the value.
    def _part(self, place, node, band, made=None):
        held = self._progress.held
        key, way = self._region.outputs[place], self._region.ways[place]
        first, last = self._progress.span(key, band)
        if first == last:
            return None
        low, high = way.rows.first(first), way.rows.behind(last - 1)
        row = first - held[key][band - 1]
        target, row = (self._bases[key], row) if made is None else (made, 0)
        output = self._view(target, node.outputs[0], way.axis, row, last - first)
        if node.builtin_code in PADS and low >= high:
            return PaddedRows(node, [], [output], way.axis, 0)
        if low >= high:
            raise _Unaligned
        inputs = list(node.inputs)
        for position, source in zip(way.inputs, self._region.inputs[place], strict=True):
            row = low - held[source][band - 1]
            base = self._bases[source]
            inputs[position] = self._view(base, inputs[position], way.axis, row, high - low)
        if repeats(node):
            return RepeatedRows(node, inputs[:1], [output])
        if node.builtin_code == RESIZE:
            return ResizedRows(node, inputs[:1], [output], way.axis, first, low)
        if node.builtin_code in PADS:
            before = max(0, way.rows.top - first)
            return PaddedRows(node, inputs[:1], [output], way.axis, before)
        part = copied(node, inputs, [output])
        if isinstance(way.rows, Spread):
            top = first + way.rows.top - low * way.rows.stride
            sides = (top, way.rows.left) if way.axis == 1 else (way.rows.left, top)
            part.padding = (*sides, 0, 0)
        if way.has_windows:
            part.padding = _padding(way, first, last, low, high)
            most = self._progress.most_rows(key) if way.axis == 1 else output.shape[1]
            part.part_of = most, way.rows.padding
        return part

    # Sums of an operator that gathers all rows, and the output that is made of them in the band
    # that has the last row.
    def _gather(self, place, node):
        key, source = self._region.outputs[place], self._region.inputs[place][0]
        axis, made = self._region.ways[place].axis, self._progress.made
        held = self._progress.held[source]
        how = gathered_of(node)
        sums = self._make(node.outputs[0].name, dtypes.INT32, (how.sums,), node.outputs[0])
        self.chain.tensors.append(sums)

        def part(band):
            first, last = made[source][band - 1], min(made[source][band], how.rows)
            if first >= last:
                return None
            row = first - held[band - 1]
            rows = self._view(self._bases[source], how.source, axis, row, last - first)
            return GatheredRows(node, how, [rows, sums], [self._whole(sums, sums)], first)

        def end(band):
            if made[key][band - 1] == made[key][band]:
                return None
            output = self._whole(self._bases[key], node.outputs[0])
            return GatheredRows(node, how, [sums], [output])

        self._slot(map(part, self._bands))
        self._slot(map(end, self._bands))

    # A view of all of a base: an operator that reads it may write it, too.
    def _whole(self, base, tensor):
        view = self._make(tensor.name, tensor.dtype, tensor.shape, tensor)
        view.view_of = base, 0
        self.chain.tensors.append(view)
        return view

    # The rows of a value that later bands need again go to memory of their own as soon as they are
    # there, and what an earlier band put there to the front of the value's buffer.
    def _keep(self, key):
        progress = self._progress
        most = max(progress.copied_rows(key, band) for band in range(1, progress.bands + 1))
        if not most:
            return
        value = self._region.values[key]
        tensor, axis = value.tensor, self._region.ways[value.writer].axis
        base = self._new(tensor, _with_rows(tensor, axis, most))

        def first(count):
            return self._view(base, tensor, axis, 0, count)

        def bring(band):
            count = progress.brought_rows(key, band)
            return self._copied(key, first(count), self._rows(key, 0, count)) if count else None

        def put(band):
            count = progress.copied_rows(key, band)
            return self._copied(key, self._kept(key, band), first(count)) if count else None

        self._slot(map(bring, self._bands))
        self._slot(map(put, self._bands))

    # The copy of the rows that the next band needs again to the front of their buffer, or None.
    def _copy(self, key, band):
        count = self._progress.copied_rows(key, band)
        if not count:
            return None
        return self._copied(key, self._kept(key, band), self._rows(key, 0, count))

    # Rows of the buffer of a value.
    def _rows(self, key, row, count):
        value = self._region.values[key]
        axis = self._region.ways[value.writer].axis
        return self._view(self._bases[key], value.tensor, axis, row, count)

    # Those that the next band needs again.
    def _kept(self, key, band):
        held = self._progress.held[key]
        row = held[band] - held[band - 1]
        return self._rows(key, row, self._progress.copied_rows(key, band))

    # The copy of some rows of a value.
    def _copied(self, key, source, target):
        node = self._region.nodes[self._region.values[key].writer]
        copy = Node(node.index, BuiltinOperator.RESHAPE, 1, "", [source], [target])
        copy.origins = (node.index,)
        return copy


# The shape of a tensor with other rows.
def _with_rows(tensor, axis, rows):
    shape = list(tensor.shape)
    shape[axis] = rows
    return tuple(shape)


# The padding of an operator for rows first..last-1 of its output, with rows low..high-1 of its
# input.
def _padding(way, first, last, low, high):
    rows = way.rows
    before = low - (first * rows.stride - rows.top)
    behind = (last - 1) * rows.stride - rows.top + rows.reach - high
    if not 0 <= before < rows.reach or behind < 0:
        raise _Unaligned
    top, left, bottom, right = rows.padding
    return (before, left, behind, right) if way.axis == 1 else (top, before, bottom, behind)


def in_bands(progress, make, bands=None):
    """The Chain of a Progress, or None where rows begin at other places than kernels can read.

    make(name, dtype, shape, like): a new tensor. bands: numbers of those to write, None for all.
    """
    if progress.bands < 2:
        return None
    try:
        return _Writer(progress, make, bands or range(1, progress.bands + 1)).chain
    except _Unaligned:
        return None
