# tflm_tools: what operators take, in cycles of a Cortex-M0+: estimates
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ...model.macs import macs

_MAC = 5  # of a packed layer
_PORTABLE_MAC = 23
_ELEMENT = 40  # of an operator without MACs


def node_cycles(node, target):
    """Cycles of a node, about."""
    count = macs(node) or 0
    if count:
        return count * (_PORTABLE_MAC if target is None else _MAC)
    outputs = [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]
    return _ELEMENT * sum(t.elements() for t in outputs)


def least_cycles(nodes, probe, target):
    """Cycles of nodes that run one by one, their weights stored as is fastest, about."""
    choices = [probe.made(node).choices for node in nodes]
    return sum(node_cycles(node, target) for node in nodes) + sum(
        c[0].cycles for c in choices if c
    )
