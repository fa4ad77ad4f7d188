# tflm_tools: RomRecord: what Prepare wrote for one call of a kernel
# MIT license; Copyright (c) 2026 the tflm authors


class RomRecord:
    """A record that waits for the plan: its words still name tensors and scratch buffers."""

    def __init__(self, step_list, node, kernel, words, operands, slice_units, table):
        self.step_list = step_list
        self.node = node
        self.kernel = kernel
        self.words = words
        self.operands = operands
        self.slice_units = slice_units
        self.table = table
        self.ordered = False  # its output lies over an input: units run one after the other
        self.placed = ()  # operands that name a place already, and no buffer
