# tflm_tools: PackedWeights: keeps the weights that Prepare has packed, which bands share
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.common import REQUANTIZE

_MAX_ENTRIES = 128


class PackedWeights:
    """Results of the functions in tflm.prepare that pack weights, for all plans of one model.

    Packing for the DSP extension searches multipliers for each channel, which takes half of the
    time of `tflm flatten` if each band repeats it.
    """

    def __init__(self):
        self._entries = {}

    def get(self, function, context, node, fields, table, *layout):
        """Return function(context, node, fields, table, *layout), from the cache if possible."""
        weights, bias = node.input(1), node.optional_input(2)
        key = (
            function, layout, context.target_packing, context.packing.get(node.index),
            bytes(weights.data), weights.shape, bytes(bias.data) if bias else None,
            node.input(0).zero_point(), tuple(fields.get(name) for name in REQUANTIZE),
            fields.get("input_offset"), bytes(table),
        )  # fmt: skip
        if key not in self._entries:
            while len(self._entries) >= _MAX_ENTRIES:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = function(context, node, fields, table, *layout)
        return self._entries[key]
