# tflm_tools: writes a region as a banded chain: operators on a few rows, band by band
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.tflite.graph import Node

from ..model.schema import BuiltinOperator
from .band_schedule import BandSchedule
from .channel_groups import channel_groups, with_tensors
from .operators.joined_channels import JoinedChannels
from .operators.padded_rows import CODES as PADS
from .operators.padded_rows import PaddedRows
from .operators.reduced_rows import ReducedRows, reduction_of
from .operators.repeated_rows import RepeatedRows, repeats_pixels
from .operators.resized_rows import CODE as RESIZE
from .operators.resized_rows import ResizedRows
from .row_windows import UpsampledRows


@dataclass
class BandedChain:
    """A region as operators on some rows.

    schedule: the BandSchedule that it follows.
    slots[s][b]: the node that runs at slot s of the b-th band, or None.
    positions[s]: the position in the region of the operator of slot s; None for copies and for
    the sums of a reduction.
    groups: (first slot, slots, repeats) of slots that come again for other channel groups.
    nodes: all nodes in the order of execution. tensors: those that were made for the chain.
    """

    schedule: BandSchedule
    slots: list = field(default_factory=list)
    positions: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    tensors: list = field(default_factory=list)


class _UnalignedRows(Exception):
    """Rows begin at an address that kernels cannot read."""


class _ChainWriter:
    """Writes a Region as operators on views, as its BandSchedule says.

    1. Each internal feature map gets a buffer for the rows that it holds at most; other feature
       maps are used as they are.
    2. For each operator, add a slot: in each band a node whose tensors are views of the rows that
       it reads and computes. Operators in channel groups and reductions get several slots.
    3. After the last reader of a feature map, add a slot that copies the rows that later bands
       need to the front of their buffer. If rows are spilled, two slots after the writer copy them
       to separate memory and back instead.
    4. All nodes of a band run before the nodes of the next band.
    """

    def __init__(self, schedule, make_tensor, bands):
        self._schedule = schedule
        self._bands = bands
        self._region = region = schedule.region
        self._make_tensor = make_tensor
        self.chain = BandedChain(schedule)
        self._row_bytes = {}  # (tensor, axis): bytes of a row
        self._views = {}  # many bands use the same rows of a buffer
        # Step 1: {key: the tensor whose bytes the rows of a feature map are}.
        self._bases = {key: self._base(key, each) for key, each in region.feature_maps.items()}
        last_reads = {}  # position: keys of internal feature maps that it is the last to read
        for key, feature_map in region.feature_maps.items():
            if feature_map.is_internal:
                last_reader = max(position for position, _ in feature_map.readers)
                last_reads.setdefault(last_reader, []).append(key)
        for position, node in enumerate(region.nodes):
            self._write_operator(position, node, last_reads)
        # Step 4.
        for nodes in zip(*self.chain.slots, strict=True):
            self.chain.nodes += filter(None, nodes)

    # Steps 2 and 3 for one operator.
    def _write_operator(self, position, node, last_reads):
        schedule, region = self._schedule, self._region
        key, positions = region.outputs[position], [position]
        if schedule.recomputed.get(key, 1) > 1:
            return  # its reader writes both
        if region.accesses[position].is_reduction:
            self._write_reduction(position, node)
        elif schedule.channel_groups(position) > 1:
            self._write_channel_groups(position)
            positions = position - 1, position
        else:
            self._add_slot((self._node(position, node, b) for b in self._bands), position)
        if schedule.spilled:
            self._write_spill(key)
            return
        for at in positions:
            for each in last_reads.get(at, ()):
                self._add_slot(self._copy_to_front(each, band) for band in self._bands)

    def _add_slot(self, nodes, position=None):
        nodes = list(nodes)
        if any(nodes):
            self.chain.slots.append(nodes)
            self.chain.positions.append(position)

    # The tensor that holds the rows of a feature map.
    def _base(self, key, feature_map):
        tensor = feature_map.tensor
        if not feature_map.is_internal:
            return tensor
        access, shape = self._region.accesses[feature_map.writer], tensor.shape
        if not access.is_reduction:
            shape = _with_rows(tensor, access.axis, self._schedule.buffer_rows(key))
        return self._new_buffer(tensor, shape)

    # A tensor like another one, with separate bytes.
    def _new_buffer(self, tensor, shape):
        buffer = self._make_tensor(tensor.name, tensor.dtype, shape, tensor)
        self.chain.tensors.append(buffer)
        return buffer

    # A view of rows row..row+count-1 of a base, as an operator sees them with the dtype and shape
    # of `tensor`. The same arguments give the same view.
    def _view(self, base, tensor, axis, row, count):
        rows = base, tensor, axis, row, count
        if rows not in self._views:
            self._views[rows] = self._new_view(*rows)
        return self._views[rows]

    def _new_view(self, base, tensor, axis, row, count):
        if (tensor, axis) not in self._row_bytes:
            self._row_bytes[tensor, axis] = tensor.nbytes() // tensor.shape[axis]
        start = row * self._row_bytes[tensor, axis]
        if start % 4:
            raise _UnalignedRows
        shape = _with_rows(tensor, axis, count)
        view = self._make_tensor(tensor.name, tensor.dtype, shape, tensor)
        view.view_of = base, start
        self.chain.tensors.append(view)
        return view

    # For each channel group three slots: the expanding operator at the position before, the
    # depthwise one, and a copy beside the other channels. All groups share their buffers.
    def _write_channel_groups(self, position):
        nodes, axis = self._region.nodes, self._region.accesses[position].axis
        expanding, depthwise = nodes[position - 1 : position + 1]
        between, key = self._region.outputs[position - 1 : position + 1]
        count = self._schedule.channel_groups(position)
        first_slot = len(self.chain.slots)
        channels = depthwise.outputs[0].shape[3]
        for group in channel_groups(channels, count, self._make_tensor):
            first, second = group.pair(expanding, depthwise)
            if not group.first:
                rows, expanded = self._schedule.buffer_rows(between), first.outputs[0]
                self._bases[between] = self._new_buffer(expanded, _with_rows(expanded, axis, rows))
                rows, output = self._schedule.max_rows(key), second.outputs[0]
                buffer = self._new_buffer(output, _with_rows(output, axis, rows))
            self._add_slot((self._node(position - 1, first, b) for b in self._bands), position - 1)
            self._add_slot(
                (self._node(position, second, b, buffer) for b in self._bands), position
            )
            self._add_slot(
                self._join(position, buffer, second, group, band) for band in self._bands
            )
        slots = len(self.chain.slots) - first_slot
        self.chain.groups.append((first_slot, slots // count, count))

    # The copy of a group's rows to its channels of the feature map; buffer: holds the rows.
    def _join(self, position, buffer, second, group, band):
        key, axis = self._region.outputs[position], self._region.accesses[position].axis
        first, end = self._schedule.span(key, band)
        if first == end:
            return None
        row = first - self._schedule.first_held[key][band - 1]
        whole = self._region.nodes[position]
        rows = self._view(buffer, second.outputs[0], axis, 0, end - first)
        before, after = [
            self._new_view(self._bases[key], whole.outputs[0], axis, row, end - first)
            for _ in range(2)
        ]
        inputs = [rows, before] if group.first else [rows]
        return JoinedChannels(whole, inputs, [after], group.first)

    # The node for the rows that a band computes, or None if there are none. buffer: the tensor
    # that begins with these rows, if it is not the base of the feature map.
    def _node(self, position, node, band, buffer=None):
        first_held = self._schedule.first_held
        key, access = self._region.outputs[position], self._region.accesses[position]
        first, end = self._schedule.span(key, band)
        if first == end:
            return None
        first_input, end_input = access.rows.first(first), access.rows.end(end - 1)
        row = first - first_held[key][band - 1]
        base, row = (self._bases[key], row) if buffer is None else (buffer, 0)
        output = self._view(base, node.outputs[0], access.axis, row, end - first)
        if node.builtin_code in PADS and first_input >= end_input:
            return PaddedRows(node, [], [output], access.axis, 0)
        if first_input >= end_input:
            raise _UnalignedRows
        inputs = list(node.inputs)
        for at, source in zip(access.inputs, self._region.inputs[position], strict=True):
            row = first_input - first_held[source][band - 1]
            rows = access.axis, row, end_input - first_input
            inputs[at] = self._view(self._bases[source], inputs[at], *rows)
        if repeats_pixels(node):
            return RepeatedRows(node, inputs[:1], [output])
        if node.builtin_code == RESIZE:
            return ResizedRows(node, inputs[:1], [output], access.axis, first, first_input)
        if node.builtin_code in PADS:
            before = max(0, access.rows.padding_before - first)
            return PaddedRows(node, inputs[:1], [output], access.axis, before)
        partial = with_tensors(node, inputs, [output])
        if isinstance(access.rows, UpsampledRows):
            rows = access.rows
            before, beside = (
                first + rows.padding_before - first_input * rows.stride,
                rows.padding_beside,
            )
            sides = (before, beside) if access.axis == 1 else (beside, before)
            partial.padding = (*sides, 0, 0)
        if access.has_windows:
            partial.padding = _padding(access, first, end, first_input, end_input)
            height = self._schedule.max_rows(key) if access.axis == 1 else output.shape[1]
            partial.part_of = height, access.rows.padding
        return partial

    # Two slots for a reduction: the first adds the rows that its source has computed in the band
    # to sums, the second computes the output in the band that has the last row.
    def _write_reduction(self, position, node):
        key, source = self._region.outputs[position], self._region.inputs[position][0]
        axis, computed = self._region.accesses[position].axis, self._schedule.computed
        first_held = self._schedule.first_held[source]
        reduction, output = reduction_of(node), node.outputs[0]
        sums = self._make_tensor(output.name, dtypes.INT32, (reduction.sums,), output)
        self.chain.tensors.append(sums)

        def add_rows(band):
            first, end = computed[source][band - 1], min(computed[source][band], reduction.rows)
            if first >= end:
                return None
            row = first - first_held[band - 1]
            rows = self._view(self._bases[source], reduction.source, axis, row, end - first)
            updated = self._whole_view(sums, sums)
            return ReducedRows(node, reduction, [rows, sums], [updated], first)

        def compute_output(band):
            if computed[key][band - 1] == computed[key][band]:
                return None
            return ReducedRows(
                node, reduction, [sums], [self._whole_view(self._bases[key], output)]
            )

        self._add_slot(map(add_rows, self._bands))
        self._add_slot(map(compute_output, self._bands))

    # A view of all bytes of a base, which lets an operator read the base and write the view.
    def _whole_view(self, base, tensor):
        view = self._make_tensor(tensor.name, tensor.dtype, tensor.shape, tensor)
        view.view_of = base, 0
        self.chain.tensors.append(view)
        return view

    # Step 3 with spilled rows: restore the rows that an earlier band saved to the front of the
    # buffer, and save those that later bands need.
    def _write_spill(self, key):
        schedule = self._schedule
        bands = range(1, schedule.bands + 1)
        most_rows = max(schedule.copied_rows(key, band) for band in bands)
        if not most_rows:
            return
        feature_map = self._region.feature_maps[key]
        tensor, axis = feature_map.tensor, self._region.accesses[feature_map.writer].axis
        memory = self._new_buffer(tensor, _with_rows(tensor, axis, most_rows))

        def saved(count):
            return self._view(memory, tensor, axis, 0, count)

        def restore(band):
            count = schedule.restored_rows(key, band)
            return self._copy(key, saved(count), self._rows(key, 0, count)) if count else None

        def save(band):
            count = schedule.copied_rows(key, band)
            return self._copy(key, self._rows_to_keep(key, band), saved(count)) if count else None

        self._add_slot(map(restore, self._bands))
        self._add_slot(map(save, self._bands))

    # The copy of the rows that later bands need to the front of their buffer, or None.
    def _copy_to_front(self, key, band):
        count = self._schedule.copied_rows(key, band)
        if not count:
            return None
        return self._copy(key, self._rows_to_keep(key, band), self._rows(key, 0, count))

    # A view of rows of a feature map's buffer.
    def _rows(self, key, row, count):
        feature_map = self._region.feature_maps[key]
        axis = self._region.accesses[feature_map.writer].axis
        return self._view(self._bases[key], feature_map.tensor, axis, row, count)

    # The rows that a band copies, where the band finds them in the buffer.
    def _rows_to_keep(self, key, band):
        held = self._schedule.first_held[key]
        row = held[band] - held[band - 1]
        return self._rows(key, row, self._schedule.copied_rows(key, band))

    # A node that copies rows of a feature map.
    def _copy(self, key, source, target):
        writer = self._region.nodes[self._region.feature_maps[key].writer]
        node = Node(writer.index, BuiltinOperator.RESHAPE, 1, "", [source], [target])
        node.origins = (writer.index,)
        return node


# The shape of a tensor with another number of rows.
def _with_rows(tensor, axis, rows):
    shape = list(tensor.shape)
    shape[axis] = rows
    return tuple(shape)


# The padding (top, left, bottom, right) of an operator for rows first..end-1 of its output with
# rows first_input..end_input-1 of its input.
def _padding(access, first, end, first_input, end_input):
    rows = access.rows
    before = first_input - (first * rows.stride - rows.padding_before)
    after = (end - 1) * rows.stride - rows.padding_before + rows.window - end_input
    if not 0 <= before < rows.window or after < 0:
        raise _UnalignedRows
    top, left, bottom, right = rows.padding
    return (before, left, after, right) if access.axis == 1 else (top, before, bottom, after)


def write_chain(schedule, make_tensor, bands=None):
    """Return the BandedChain of a BandSchedule, or None if kernels could not read some rows.

    make_tensor(name, dtype, shape, like): returns a new tensor. bands: the numbers of the bands to
    write, None for all.
    """
    if schedule.bands < 2:
        return None
    try:
        return _ChainWriter(schedule, make_tensor, bands or range(1, schedule.bands + 1)).chain
    except _UnalignedRows:
        return None
