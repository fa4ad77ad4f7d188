# tflm_tools: what running in bands takes, beside what its operators take one by one
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

import numpy as np
from tflm.prepare.depthwise_lanes import band_rows, pair_rows

from ...model.schema import BuiltinOperator

# Cycles of a Cortex-M0+, fitted to steps of models in bands that tests/perf/cycles.py measures.
_BAND = 2000  # a band: the interpreter
_CALL = 3000  # a call of a kernel with its record, and what it does before its first row
_EMPTY = 500  # a step without rows
_COPY_CALL = 800  # a step that copies rows, or none
_COPY = 2.2  # a byte of these
_JOIN_CALL = 1200  # a step that copies some channels
_JOINED = 4  # a byte of these
_PIXEL = 10
_CHANNEL = 350  # of a depthwise convolution, which begins anew in each band, and makes planes anew
_PLANE_ROW = 40  # two rows of the image, and each
_PLANE_COLUMN = 10  # of their columns


def band_cycles(paces, cycles_of):
    """Cycles that all bands of each way take more than the operators would one by one, about.

    cycles_of(node): those of an operator by itself. Returns two arrays: with rows that are kept at
    the front of their buffers, and in memory of their own.
    """
    region, more = paces.region, 0  # what does not depend on the way
    each, cycles = _BAND, np.zeros(len(paces.bands))  # for each band, and for all
    for place, node in enumerate(region.nodes):
        way, key, groups = region.ways[place], region.outputs[place], paces.groups(place)
        if way.gathers:  # and once more in the end
            calls = 1 + np.count_nonzero(np.diff(paces.made[region.inputs[place][0]]), axis=1)
        else:
            calls, rows = paces.calls(place), region.values[key].rows
            if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
                cycles += paces.summed(place, partial(_planes, node, way))
                more -= _planes(node, way, rows)
            if key in paces.anew:
                first, last = paces.spans[key]
                cycles += cycles_of(node) * (np.sum(last - first, axis=1) - rows) // rows
        times = paces.anew.get(key, 1)
        if groups > 1:  # each with a copy
            times = groups
            pixels = node.outputs[0].elements() // node.outputs[0].shape[-1]
            more += _JOINED * node.outputs[0].nbytes() + _PIXEL * pixels * times
            each += _JOIN_CALL * times
        cycles += (_CALL - _EMPTY) * times * calls
        each, more = each + _EMPTY * times, more - _CALL
    cycles += more + each * paces.bands
    plain, apart = _copying(paces, False), 2 * _copying(paces, True)
    return [np.rint(cycles + copies).astype(int) for copies in (plain, apart)]


# Cycles of the copies of rows in each way.
def _copying(paces, apart):
    cycles = np.zeros(len(paces.bands))
    for key, value in paces.region.values.items():
        if value.inside:
            rows = paces.copied(key, apart).sum(axis=1)
            copies = _COPY_CALL * paces.bands + _COPY * value.row_bytes * rows
            cycles += copies * (rows > 0)
    return cycles


# Cycles that a depthwise convolution takes to begin its channels, for some rows of the output.
def _planes(node, way, count):
    reach, stride = way.rows.reach, way.rows.stride
    columns = node.inputs[0].shape[3 - way.axis]
    most = band_rows(count, reach, stride, columns) or count
    rows = [min(most, count - row) for row in range(0, count, most)]
    planes = sum(pair_rows(each, reach, stride) for each in rows)
    each = _CHANNEL * len(rows) + (_PLANE_ROW + _PLANE_COLUMN * columns) * planes
    return each * node.outputs[0].shape[-1]
