# tflm_tools: TableOperator: a table of 256 bytes for several operators that passes fold into one
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lookup import emit_lookup

from ...model.schema import BuiltinOperator
from .partial_operator import PartialOperator

# The operators that such a table replaces: functions of one element, also of two tensors.
_NAMES = """
ABS ADD CEIL COS DIV ELU EXP FLOOR GELU HARD_SWISH LEAKY_RELU LOG LOGISTIC MAXIMUM MINIMUM MUL NEG
POW RELU RELU6 RELU_N1_TO_1 ROUND RSQRT SIN SQRT SQUARE SQUARED_DIFFERENCE SUB TANH
"""
CODES = tuple(getattr(BuiltinOperator, name) for name in _NAMES.split())


class TableOperator(PartialOperator):
    """A function of an int8 tensor; table: the outputs for -128 to 127, bytes or integers."""

    is_whole = True  # it cannot run in bands

    def __init__(self, whole, inputs, outputs, table):
        super().__init__(whole, inputs, outputs)
        self._table = table

    def prepare(self, context):
        """Write the record."""
        emit_lookup(context, self, lambda value: self._table[value + 128])
