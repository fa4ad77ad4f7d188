# tflm: CallGraph: find which sub-graphs of a model run, what runs them, and at which steps.
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from ..errors import ModelError, UnsupportedError
from ..format import MAX_DEPTH

IF = 118
WHILE = 119
CALL_ONCE = 129
STABLEHLO_COMPOSITE = 206

_IF_OPTIONS = const(92)  # IfOptions
_WHILE_OPTIONS = const(93)  # WhileOptions
_CALL_ONCE_OPTIONS = const(103)  # CallOnceOptions
_COMPOSITE_OPTIONS = const(277)  # StableHLOCompositeOptions

# builtin code: (type of its options, their fields that are sub-graphs)
_CALLS = {
    IF: (_IF_OPTIONS, (0, 1)),
    WHILE: (_WHILE_OPTIONS, (0, 1)),
    CALL_ONCE: (_CALL_ONCE_OPTIONS, (0,)),
    STABLEHLO_COMPOSITE: (_COMPOSITE_OPTIONS, (1,)),
}

_MAX_STEPS = 1 << 16


# Return the sub-graphs that operator `i` runs, in TFLM's order; () without control flow.
def callees(subgraph, i):
    code = subgraph.node_code(i)
    if code not in _CALLS:
        return ()
    options_type, fields = _CALLS[code]
    node = subgraph.node(i)
    options = node.options(options_type)
    numbers = tuple([options.get(field, "i") for field in fields])
    count = len(subgraph.model.subgraphs)
    for number in numbers:
        if not 0 <= number < count:
            raise ModelError(
                "%s runs sub-graph %d, the model has %d; the model is damaged"
                % (node, number, count)
            )
    return numbers


# Steps are counted as in TFLM's micro_allocation_info.cc: an operator is one step; control flow is
# one more step for each sub-graph that it names, plus all steps of that sub-graph. A sub-graph
# always has the same number of steps, so its first and its last run say when its tensors are in
# use, and each sub-graph is visited once.
class CallGraph:
    """The sub-graphs that run when sub-graph 0 runs. Raises ModelError if one runs itself.

    calls: {sub-graph: {its operator: sub-graphs that it runs}}
    steps: {sub-graph: steps of one run}
    first, last: {sub-graph: step at which its first and its last run begin}
    """

    def __init__(self, model):
        self._model = model
        self.calls = {}
        self._depth = {}
        self._order = []  # a sub-graph precedes those that run it
        self.steps = {}
        self._visit(0, ())
        self.first = {0: 0}
        self.last = {0: 0}
        for number in reversed(self._order):
            self._find_runs(number)

    # Count the steps of a sub-graph. `path`: the sub-graphs from 0 to the one that runs it.
    def _visit(self, number, path):
        if number in path:
            raise ModelError(
                "sub-graph %d runs itself through sub-graphs %s; convert the model without "
                "recursion" % (number, list(path))
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
                    "sub-graphs nest more than %d deep or have more than %d steps; convert the "
                    "model with less control flow" % (MAX_DEPTH, _MAX_STEPS)
                )
            self.calls[number] = calls
            self._depth[number] = depth
            self.steps[number] = steps
            self._order.append(number)

    # Find the first and last runs of the sub-graphs that `number` runs.
    def _find_runs(self, number):
        for i, start, _ in self.timeline(number):
            step = start
            for callee in self.calls[number].get(i, ()):
                step += 1
                first, last = self.first[number] + step, self.last[number] + step
                self.first[callee] = min(first, self.first.get(callee, first))
                self.last[callee] = max(last, self.last.get(callee, last))
                step += self.steps[callee]

    # Return the numbers of the sub-graphs that run.
    def numbers(self):
        return sorted(self.first)

    # Yield (operator, its step, the last step of what it runs) for each operator of a sub-graph,
    # counted from the start of the sub-graph.
    def timeline(self, number):
        calls = self.calls[number]
        step = 0
        for i in range(self._model.subgraphs[number].nodes_length()):
            step += 1
            start = step
            for callee in calls.get(i, ()):
                step += 1 + self.steps[callee]
            yield i, start, step
