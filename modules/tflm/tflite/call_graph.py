# tflm: CallGraph: which sub-graphs of a model run, who runs them, and at which steps
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from ..errors import ModelError, UnsupportedError
from ..format import MAX_DEPTH

IF = 118
WHILE = 119
CALL_ONCE = 129

_IF_OPTIONS = const(92)  # IfOptions
_WHILE_OPTIONS = const(93)  # WhileOptions
_CALL_ONCE_OPTIONS = const(103)  # CallOnceOptions

# builtin code: (type of its options, how many sub-graphs their first fields name)
_CALLS = {IF: (_IF_OPTIONS, 2), WHILE: (_WHILE_OPTIONS, 2), CALL_ONCE: (_CALL_ONCE_OPTIONS, 1)}

_MAX_STEPS = 1 << 16


# The sub-graphs that operator `i` runs, in TFLM's order; () for all but control flow.
def callees(subgraph, i):
    code = subgraph.node_code(i)
    if code not in _CALLS:
        return ()
    options_type, count = _CALLS[code]
    node = subgraph.node(i)
    options = node.options(options_type)
    numbers = tuple([options.get(k, "i") for k in range(count)])
    there = len(subgraph.model.subgraphs)
    for number in numbers:
        if not 0 <= number < there:
            raise ModelError(
                "%s runs sub-graph %d, the model has %d; the model is damaged"
                % (node, number, there)
            )
    return numbers


# Steps are counted as TFLM's micro_allocation_info.cc does: an operator takes one, and control
# flow one more for each sub-graph that it names, and then all steps of that sub-graph. As a
# sub-graph takes the same steps whoever runs it, its first and its last run say when its tensors
# are in use; nothing has to be walked twice.
class CallGraph:
    """The sub-graphs that run when sub-graph 0 does; ModelError when one would run itself.

    calls: {sub-graph: {its operator: sub-graphs that it runs}}
    steps: {sub-graph: steps that a run of it takes}
    first, last: {sub-graph: step at which its first and its last run begin}
    """

    def __init__(self, model):
        self._model = model
        self.calls = {}
        self._depth = {}
        self._order = []  # who is run stands before who runs it
        self.steps = {}
        self._visit(0, ())
        self.first = {0: 0}
        self.last = {0: 0}
        for number in reversed(self._order):
            self._place(number)

    # Count the steps of a sub-graph; `path` leads from sub-graph 0 to it.
    def _visit(self, number, path):
        if number in path:
            raise ModelError(
                "sub-graph %d runs itself, by way of sub-graphs %s; "
                "convert the model without recursion" % (number, list(path))
            )
        if number not in self.steps:
            subgraph = self._model.subgraphs[number]
            calls = {}
            steps = subgraph.nodes_length()
            depth = 1
            for i in range(subgraph.nodes_length()):
                named = callees(subgraph, i)
                if not named:
                    continue
                calls[i] = named
                for callee in named:
                    if len(path) < MAX_DEPTH:
                        self._visit(callee, path + (number,))
                        steps += 1 + self.steps[callee]
                        depth = max(depth, 1 + self._depth[callee])
                    else:
                        depth = MAX_DEPTH + 1
            if depth > MAX_DEPTH or steps > _MAX_STEPS:
                raise UnsupportedError(
                    "sub-graphs are nested more than %d deep or make more than %d steps; "
                    "convert the model with less control flow" % (MAX_DEPTH, _MAX_STEPS)
                )
            self.calls[number] = calls
            self._depth[number] = depth
            self.steps[number] = steps
            self._order.append(number)

    # When the sub-graphs that `number` runs begin.
    def _place(self, number):
        for i, start, _ in self.timeline(number):
            step = start
            for callee in self.calls[number].get(i, ()):
                step += 1
                first, last = self.first[number] + step, self.last[number] + step
                self.first[callee] = min(first, self.first.get(callee, first))
                self.last[callee] = max(last, self.last.get(callee, last))
                step += self.steps[callee]

    # The sub-graphs that run, by number.
    def numbers(self):
        return sorted(self.first)

    # For each operator of a sub-graph: (its number there, its step, the last step of what it
    # runs), counted from where the sub-graph begins.
    def timeline(self, number):
        calls = self.calls[number]
        step = 0
        for i in range(self._model.subgraphs[number].nodes_length()):
            step += 1
            start = step
            for callee in calls.get(i, ()):
                step += 1 + self.steps[callee]
            yield i, start, step
