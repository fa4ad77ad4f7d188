# tflm_tools: what running a chain in bands costs, in cycles of a Cortex-M0+: estimates
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ...model.macs import macs
from ...model.schema import BuiltinOperator

# Measured with tests/perf/cycles.py on the core m0plus: what layers of person_detect_int8 take
# more in bands, divided by their calls.
_STEP = 4500  # a call of a kernel: the interpreter, and what the kernel does before its first row
_CHANNEL = 750  # of a depthwise convolution, which begins anew in each band
_MAC = 5  # of a packed layer
_PORTABLE_MAC = 23
_ELEMENT = 40  # of an operator without MACs


def chain_cycles(chain):
    """Cycles that a Chain takes more than its operators would one by one, about."""
    cycles = 0
    for slot in chain.slots:
        parts = [node for node in slot if node is not None]
        calls = len(parts) if parts[0].builtin_code == BuiltinOperator.RESHAPE else len(parts) - 1
        each = _STEP
        if parts[0].builtin_code == BuiltinOperator.RESHAPE:
            each += parts[0].inputs[0].nbytes()
        elif parts[0].builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
            each += _CHANNEL * parts[0].outputs[0].shape[3]
        cycles += calls * each
    return cycles


def node_cycles(node, target):
    """Cycles of a node, about."""
    count = macs(node) or 0
    if count:
        return count * (_PORTABLE_MAC if target is None else _MAC)
    outputs = [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]
    return _ELEMENT * sum(t.elements() for t in outputs)
