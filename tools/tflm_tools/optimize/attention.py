# tflm_tools: attention: one step for attention, which ends at the position of the token
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes
from tflm.prepare.common import REQUANTIZE, requantize_table
from tflm.prepare.fixed_point import (
    NEWTON_SLOPE,
    NEWTON_START,
    exp_on_negative_values,
    multiply_by_quantized_multiplier,
)

from ..bands.operators.partial_operator import PartialOperator
from ..model.schema import BuiltinOperator
from . import dead_operators, float_attention
from .emissions import emissions, multipliers

CODE = BuiltinOperator.BATCH_MATMUL
_SELECT = BuiltinOperator.SELECT_V2
_SOFTMAX = BuiltinOperator.SOFTMAX
_LESS_EQUAL = BuiltinOperator.LESS_EQUAL

# Words of the records of kernels/attention.py and kernels/attention_float.py.
LAYOUTS = {
    "attention.eval_int8": (
        "query", "keys", "values", "position", "output", "exps", "scratch",
        "positions", "size", "group", "newton_start", "newton_slope",
        "score_zero_point", "score_min", "score_max", "score_per_channel", "score_channels",
        "score_multiplier", "score_shift", *REQUANTIZE,
    ),
    float_attention.KERNEL: float_attention.LAYOUT,
}  # fmt: skip

_MAX_POSITIONS = 2047  # the sum of exps has 30 bits
_EXPS = 256
_EXP_BITS = 5  # integer bits of the argument of exp(), as in prepare/softmax.py
_BLOCK = 32  # sums that the kernel holds at a time
_REASON = "weights after the position are 0, or computed as one"


def apply(graph):
    """Let attention end at the position of the token; returns a list of Saving.

    The pattern in int8: BATCH_MATMUL of queries and keys, SELECT_V2 of the scores up to the
    position and of the lowest score after it, SOFTMAX, BATCH_MATMUL with the values. All scores
    after the position are equal, so that the step computes their weight once. It is nearly always
    0. Then the values after the position do not count, else the step goes on to the end.
    In float32 the mask itself says where the positions end; see float_attention.FloatAttention.
    """
    from .passes import Saving

    main, found = graph.running()[0], []
    for node in [node for node in main.nodes if node.builtin_code == _SOFTMAX]:
        attention = _Pattern.of(main, node) or float_attention.FloatAttention.of(main, node)
        if attention is None:
            continue
        step = attention.step()
        saving = Saving("attention", step.origins, 0, attention.bytes, _REASON)
        found.append(saving)
        main.insert(main.nodes.index(attention.last), step)
        for each in attention.nodes:
            main.remove(each)
    if found:
        dead_operators.apply(graph)  # the mask of int8, and copies of keys that nothing reads now
    return found


class FilledAttention(PartialOperator):
    """Attention of one token. inputs: queries, keys, values, position.

    fields: the numbers of the record. exps: bytes of the table of exps. table: of the output's
    multiplier.
    """

    def __init__(self, whole, inputs, outputs, fields, exps, table):
        super().__init__(whole, inputs, outputs)
        self._fields, self._exps, self._table = fields, exps, table

    def prepare(self, context):
        """Write the record."""
        query, keys, values, position = self.inputs
        positions, size = self._fields["positions"], self._fields["size"]
        heads = query.elements() // size
        scratch = 4 * _BLOCK + positions + 4
        context.emit(
            "attention.eval_int8",
            LAYOUTS["attention.eval_int8"],
            heads,
            heads * positions * (2 * size + 4),
            table=self._table,
            query=query,
            keys=keys,
            values=values,
            position=position,
            output=self.outputs[0],
            exps=context.constant(self._exps),
            scratch=context.request_scratch_buffer(scratch),
            **self._fields,
        )


class _Pattern:
    """The four operators of an attention; bytes: of the tensors between them."""

    def __init__(self, first, select, softmax, last, position):
        self.nodes = first, select, softmax, last
        self.last, self._position = last, position
        self.bytes = sum(node.outputs[0].nbytes() for node in self.nodes[:3])
        self._emissions = [emissions(node) for node in (first, softmax, last)]

    @classmethod
    def of(cls, main, softmax):
        """Return the _Pattern around a SOFTMAX, or None."""
        select = _only_producer(main, softmax.inputs[0], _SELECT)
        if select is None:
            return None
        first = _only_producer(main, select.inputs[1], CODE)
        readers = main.consumers(softmax.outputs[0])
        if first is None or len(readers) != 1 or main.is_output(softmax.outputs[0]):
            return None
        last = readers[0]
        position = _position(main, select.inputs[0], softmax.inputs[0].shape[-1])
        if last.builtin_code != CODE or position is None:
            return None
        found = cls(first, select, softmax, last, position)
        return found if found._is_int8() and found._has_shapes() else None

    # True if all tensors are int8, and the mask gives the lowest value.
    def _is_int8(self):
        first, select, softmax, last = self.nodes
        tensors = [
            *first.inputs,
            *select.inputs[1:],
            *softmax.outputs,
            *last.inputs,
            *last.outputs,
        ]
        if any(t.dtype != dtypes.INT8 for t in tensors):
            return False
        lowest = select.inputs[2]
        is_lowest = lowest.is_constant() and lowest.elements() == 1 and lowest.data[0] == 0x80
        plain = (*first.inputs, last.inputs[1])
        return is_lowest and all(t.zero_point() == 0 for t in plain)

    # True if the record can describe the matrices: queries [kv, group, size], keys [kv, positions,
    # size] and values [kv, size, positions], both with adj_y.
    def _has_shapes(self):
        if any(len(found) != 1 for found in self._emissions):
            return False
        first, _, _, last = self.nodes
        query, keys, values = first.inputs[0], first.inputs[1], last.inputs[1]
        if not len(query.shape) == len(keys.shape) == len(values.shape) == 3:
            return False
        kv, group, size = query.shape
        positions = keys.shape[1]
        products = [self._emissions[i][0].fields for i in (0, 2)]
        strides = [p["right_column_stride"] for p in products]
        return (
            keys.shape == (kv, positions, size)
            and values.shape == (kv, size, positions)
            and last.inputs[0].shape == (kv, group, positions)
            and strides == [size, positions]
            and all(p["left_depth_stride"] == p["right_depth_stride"] == 1 for p in products)
            and size % 4 == positions % 4 == 0
            and positions <= _MAX_POSITIONS
        )

    def step(self):
        """Return the FilledAttention that replaces the operators."""
        first, _, softmax, last = self.nodes
        scores, exps, output = (found[0] for found in self._emissions)
        [(multiplier, shift)] = multipliers(scores)
        kv, group, size = first.inputs[0].shape
        fields = {
            "positions": first.inputs[1].shape[1],
            "size": size,
            "group": group,
            "newton_start": NEWTON_START,
            "newton_slope": NEWTON_SLOPE,
            "score_zero_point": scores.fields["output_zero_point"],
            "score_min": scores.fields["activation_min"],
            "score_max": scores.fields["activation_max"],
            "score_per_channel": 0,
            "score_channels": 1,
            "score_multiplier": multiplier,
            "score_shift": shift + 32,
            **{name: output.fields[name] for name in REQUANTIZE},
        }
        inputs = [first.inputs[0], first.inputs[1], last.inputs[1], self._position]
        step = FilledAttention(
            last,
            inputs,
            last.outputs,
            fields,
            _exps(exps.fields),
            requantize_table(multipliers(output)),
        )
        step.origins = tuple(sorted(i for node in self.nodes for i in node.origins))
        return step


# The operator that writes a tensor, if it has this code and the tensor one reader.
def _only_producer(main, tensor, code):
    node = main.producer(tensor)
    if node is None or node.builtin_code != code or main.is_output(tensor):
        return None
    return node if len(main.consumers(tensor)) == 1 else None


# The tensor with the position of which a mask is true up to it: LESS_EQUAL(0, 1, 2 ..., position).
def _position(main, mask, positions):
    node = main.producer(mask)
    if node is None or node.builtin_code != _LESS_EQUAL:
        return None
    numbers, position = node.inputs
    if not numbers.is_constant() or numbers.dtype != dtypes.INT32 or position.is_constant():
        return None
    if numbers.elements() != positions or numbers.shape[-1] != positions:
        return None
    is_counting = bytes(numbers.data) == struct.pack(f"<{positions}i", *range(positions))
    is_number = position.dtype == dtypes.INT32 and position.elements() == 1
    return position if is_counting and is_number else None


# The table of exp(-difference) with 31 fractional bits, as kernels/softmax.py computes them.
def _exps(fields):
    values = []
    for difference in range(_EXPS):
        value = 0
        if difference <= fields["largest_difference"]:
            scaled = multiply_by_quantized_multiplier(
                0 - difference, fields["multiplier"], fields["shift"]
            )
            value = exp_on_negative_values(scaled, _EXP_BITS)
        values.append(value)
    return struct.pack(f"<{_EXPS}I", *values)
