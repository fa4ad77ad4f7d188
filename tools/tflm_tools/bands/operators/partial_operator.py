# tflm_tools: PartialOperator: computes some rows of an operator by a record of a special kind
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.graph import Node


class PartialOperator(Node):
    """A node for some rows of another one: prepare(context) writes its record.

    Convolutions, elementwise operators and others need no such class: Prepare of the operator
    itself handles smaller tensors.
    """

    def __init__(self, whole, inputs, outputs):
        code, version = whole.builtin_code, whole.version
        super().__init__(whole.index, code, version, "", inputs, outputs)
        self.origins = getattr(whole, "origins", (whole.index,))


class WithPartialOperators:
    """Prepare of an operator and of its PartialOperators.

    whole: the module with Prepare of the operator.
    """

    def __init__(self, whole):
        self._whole = whole

    def prepare(self, context, node):
        if isinstance(node, PartialOperator):
            node.prepare(context)
        else:
            self._whole.prepare(context, node)
