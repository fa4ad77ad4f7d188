# tflm_tools: orders the operators of a graph so that the fewest bytes are in use at the same time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm import dtypes

from ....model.graph import root_of
from ....model.schema import BuiltinOperator

_MAX_STATES = 400  # sets of operators that are followed up, of each size
# Operators with effects or sources beside their tensors, which keep their order.
_WITH_EFFECTS = (
    BuiltinOperator.CUSTOM,
    BuiltinOperator.VAR_HANDLE,
    BuiltinOperator.READ_VARIABLE,
    BuiltinOperator.ASSIGN_VARIABLE,
)


@dataclass
class _State:
    """A set of operators that have run, and the best order found for them.

    done: a bit for each operator. peak: the most bytes in use so far. total: of bytes in use over
    all steps, which decides between equal peaks. live: bytes in use now.
    path: (path before, operator), so that states share what they have in common.
    """

    done: int
    peak: int
    total: int
    live: int
    path: tuple


class _Dependencies:
    """Which operators must run before which, and which bytes come and go with each operator.

    before[i]: bits of the operators that must run before operator i.
    """

    def __init__(self, subgraph):
        self.nodes = subgraph.nodes
        count = len(self.nodes)
        self.before = [0] * count
        self._sizes = {}  # number of a root: bytes
        self._readers = {}  # number of a root: bits of the operators that read it
        self._writers = {}
        self._roots = [set() for _ in range(count)]  # of each operator
        self._results = {root_of(t)[0].index for t in subgraph.output_tensors()}
        accesses = {}  # number of a root: [(operator, whether it writes, start, stop)]
        last_with_effects = None
        for i, node in enumerate(self.nodes):
            has_effects = node.builtin_code in _WITH_EFFECTS or not node.outputs
            for tensors, writes in ((node.inputs, False), (node.outputs, True)):
                for tensor in tensors:
                    if tensor is None or tensor.is_constant():
                        continue
                    has_effects = has_effects or root_of(tensor)[0].is_variable
                    self._add_access(accesses, i, tensor, writes)
            if has_effects:
                if last_with_effects is not None:
                    self.before[i] |= 1 << last_with_effects
                last_with_effects = i
        self._inputs = {root_of(t)[0].index for t in subgraph.input_tensors()}

    # A read waits for earlier writes of its bytes, a write for all earlier accesses.
    def _add_access(self, accesses, i, tensor, writes):
        root, start = root_of(tensor)
        stop = start + tensor.nbytes()
        earlier = accesses.setdefault(root.index, [])
        for node, wrote, low, high in earlier:
            if node != i and (writes or wrote) and low < stop and start < high:
                self.before[i] |= 1 << node
        earlier.append((i, writes, start, stop))
        if root.is_variable or root.dtype == dtypes.RESOURCE:
            return
        self._sizes[root.index] = root.nbytes()
        users = self._writers if writes else self._readers
        users[root.index] = users.get(root.index, 0) | 1 << i
        self._roots[i].add(root.index)

    # True if every operator waits for the one before it, so that there is only one order.
    def is_chain(self):
        return all(self.before[i] >> (i - 1) & 1 for i in range(1, len(self.nodes)))

    # The state before the first operator, when the inputs are set.
    def start(self):
        live = sum(self._sizes.get(root, 0) for root in self._inputs)
        return _State(0, live, 0, live, None)

    # The state after operator i.
    def step(self, state, i):
        done = state.done | 1 << i
        live = state.live
        for root in self._roots[i]:
            writers = self._writers.get(root, 0)
            if writers >> i & 1 and not writers & state.done and root not in self._inputs:
                live += self._sizes[root]
        peak = max(state.peak, live)
        for root in self._roots[i]:
            users = self._writers.get(root, 0) | self._readers.get(root, 0)
            if root not in self._results and users & done == users:
                live -= self._sizes[root]
        return _State(done, peak, state.total + live, live, (state.path, i))


# The _State of the best order of all operators.
#
# Dynamic programming over sets of operators that have run, as in Liberis and Lane, "Neural
# networks on microcontrollers: saving memory at inference via operator reordering" (2019): of all
# orders of a set only the best one is followed up. If there are too many sets of a size, only the
# best ones.
def _best_state(dependencies):
    states = [dependencies.start()]
    count = len(dependencies.nodes)
    for _ in range(count):
        by_set = {}
        for state in states:
            for i in range(count):
                if state.done >> i & 1 or dependencies.before[i] & ~state.done:
                    continue
                new = dependencies.step(state, i)
                known = by_set.get(new.done)
                if known is None or (new.peak, new.total) < (known.peak, known.total):
                    by_set[new.done] = new
        ranked = sorted(by_set.values(), key=lambda s: (s.peak, s.live, s.total, s.done))
        states = ranked[:_MAX_STATES]
    return states[0]


def reordered(graph, for_scratch=False):
    """Return a Graph with its operators in the order with the lowest peak of tensor bytes.

    Returns None if no order is better. graph: has one sub-graph that runs.
    for_scratch: of the orders with the lowest peak, take the one with the fewest bytes over all
    steps, which leaves most memory for scratch buffers.
    Scratch buffers and tensors that may overlap are not considered: plan both graphs, and take
    the better one.
    """
    subgraph = graph.running()[0]
    if len(subgraph.nodes) < 3:
        return None
    dependencies = _Dependencies(subgraph)
    if dependencies.is_chain():
        return None
    given = dependencies.start()
    for i in range(len(subgraph.nodes)):
        given = dependencies.step(given, i)
    best = _best_state(dependencies)
    if (best.peak, best.total if for_scratch else given.total) >= (given.peak, given.total):
        return None
    order = []
    path = best.path
    while path is not None:
        path, i = path
        order.append(i)
    return _with_order(graph, order[::-1])


def late_branches(graph):
    """Return a Graph in which each branch runs as late as possible, shorter branches last.

    Its tensors may need more bytes, but operators that can run in bands together are consecutive.
    Returns None if that is the given order. graph: has one sub-graph that runs.

    1. Find for each operator all operators that must run before it.
    2. Walk backwards from the operators that nothing depends on. Before an operator, run the
       operators that it waits for, the longest branch first.
    """
    dependencies = _Dependencies(graph.running()[0])
    count = len(dependencies.nodes)
    if dependencies.is_chain():
        return None
    direct = [[j for j in range(i) if dependencies.before[i] >> j & 1] for i in range(count)]
    ancestors = []  # of each operator, direct or not
    for waits in direct:
        ancestors.append(set(waits).union(*(ancestors[j] for j in waits)))
    ends = set(range(count)).difference(*direct)
    stack, order, done = sorted(ends, reverse=True), [], set()
    while stack:
        i = stack[-1]
        waits = [j for j in direct[i] if j not in done]
        if waits:
            stack.append(max(waits, key=lambda j: (len(ancestors[j] - done), -j)))
            continue
        stack.pop()
        order.append(i)
        done.add(i)
    return None if order == list(range(count)) else _with_order(graph, order)


# A Graph like another one, with its operators in an order.
def _with_order(graph, order):
    result = graph.sharing()
    nodes = graph.running()[0].nodes
    result.running()[0].nodes = [nodes[i] for i in order]
    return result
