# tflm_tools: the order of operators in which the fewest bytes are in use at the same time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm import dtypes

from ...model.graph import root_of
from ...model.schema import BuiltinOperator

_KEEP = 400  # sets of operators that are followed up, of those with as many operators
# Operators with effects or sources beside their tensors: they stay in their order.
_IN_ORDER = (
    BuiltinOperator.CUSTOM,
    BuiltinOperator.VAR_HANDLE,
    BuiltinOperator.READ_VARIABLE,
    BuiltinOperator.ASSIGN_VARIABLE,
)


# Operators that have run, the last of them and how they came to it.
@dataclass
class _State:
    done: int  # a bit for each operator
    peak: int
    total: int  # of bytes in use over all steps: the tie-break
    live: int
    path: tuple  # (path before, node), so that states share what they have in common


# What may move: for each node the ones that must run before, and the bytes that come and go.
class _Moves:
    def __init__(self, subgraph):
        self.nodes = subgraph.nodes
        count = len(self.nodes)
        self.before = [0] * count
        self.sizes = {}  # root's number: bytes
        self.readers = {}  # root's number: bits of the nodes that read it
        self.writers = {}
        self.touched = [set() for _ in range(count)]  # roots of each node
        self.kept = {root_of(t)[0].index for t in subgraph.output_tensors()}
        accesses = {}  # root's number: [(node, writes, start, stop)]
        last_in_order = None
        for i, node in enumerate(self.nodes):
            in_order = node.builtin_code in _IN_ORDER or not node.outputs
            for tensors, writes in ((node.inputs, False), (node.outputs, True)):
                for tensor in tensors:
                    if tensor is None or tensor.is_constant():
                        continue
                    in_order = in_order or root_of(tensor)[0].is_variable
                    self._note(accesses, i, tensor, writes)
            if in_order:
                if last_in_order is not None:
                    self.before[i] |= 1 << last_in_order
                last_in_order = i
        self.inputs = {root_of(t)[0].index for t in subgraph.input_tensors()}

    # A read waits for the writes before it, a write for all before it that touch its bytes.
    def _note(self, accesses, i, tensor, writes):
        root, start = root_of(tensor)
        stop = start + tensor.nbytes()
        known = accesses.setdefault(root.index, [])
        for node, wrote, low, high in known:
            if node != i and (writes or wrote) and low < stop and start < high:
                self.before[i] |= 1 << node
        known.append((i, writes, start, stop))
        if root.is_variable or root.dtype == dtypes.RESOURCE:
            return
        self.sizes[root.index] = root.nbytes()
        users = self.writers if writes else self.readers
        users[root.index] = users.get(root.index, 0) | 1 << i
        self.touched[i].add(root.index)

    # True when every operator waits for the one before it: there is only one order.
    def is_chain(self):
        return all(self.before[i] >> (i - 1) & 1 for i in range(1, len(self.nodes)))

    # The state once node `i` has run too.
    def step(self, state, i):
        done = state.done | 1 << i
        live = state.live
        for root in self.touched[i]:
            written = self.writers.get(root, 0)
            if written >> i & 1 and not written & state.done and root not in self.inputs:
                live += self.sizes[root]
        peak = max(state.peak, live)
        for root in self.touched[i]:
            users = self.writers.get(root, 0) | self.readers.get(root, 0)
            if root not in self.kept and users & done == users:
                live -= self.sizes[root]
        return _State(done, peak, state.total + live, live, (state.path, i))

    # Before the first one the model's inputs are set.
    def start(self):
        live = sum(self.sizes.get(root, 0) for root in self.inputs)
        return _State(0, live, 0, live, None)


# Least peak over all orders that the dependencies allow: dynamic programming over the sets of
# operators that have run, as in "Neural networks on microcontrollers: saving memory at inference
# via operator reordering" (Liberis and Lane, 2019). Graphs with very many such sets are searched
# with the best ones of each size only.
def _best(moves):
    states = [moves.start()]
    count = len(moves.nodes)
    for _ in range(count):
        found = {}
        for state in states:
            for i in range(count):
                if state.done >> i & 1 or moves.before[i] & ~state.done:
                    continue
                new = moves.step(state, i)
                known = found.get(new.done)
                if known is None or (new.peak, new.total) < (known.peak, known.total):
                    found[new.done] = new
        ranked = sorted(found.values(), key=lambda s: (s.peak, s.live, s.total, s.done))
        states = ranked[:_KEEP]
    return states[0]


def reordered(graph, for_scratch=False):
    """A Graph like `graph`, its operators in the order with the least peak of tensor bytes.

    for_scratch: of these the one with the fewest bytes over all steps, which leaves scratch most
    room. None when there is no better order. Only for a Graph with one sub-graph that runs.
    Scratch buffers and what may lie over each other are not looked at: plan both and take the
    better.
    """
    subgraph = graph.running()[0]
    if len(subgraph.nodes) < 3:
        return None
    moves = _Moves(subgraph)
    if moves.is_chain():
        return None
    given = moves.start()
    for i in range(len(subgraph.nodes)):
        given = moves.step(given, i)
    best = _best(moves)
    if (best.peak, best.total if for_scratch else given.total) >= (given.peak, given.total):
        return None
    order = []
    path = best.path
    while path is not None:
        path, i = path
        order.append(i)
    return _in_order(graph, order[::-1])


def late_branches(graph):
    """A Graph like `graph`, each branch as late as can be: those with fewest operators last.

    Its tensors may take more bytes, but operators that could run in bands together are neighbours.
    None when that is no other order. Only for a Graph with one sub-graph that runs.
    """
    moves = _Moves(graph.running()[0])
    count = len(moves.nodes)
    if moves.is_chain():
        return None
    direct = [[j for j in range(i) if moves.before[i] >> j & 1] for i in range(count)]
    behind = []  # what must run before each, directly or not
    for waits in direct:
        behind.append(set(waits).union(*(behind[j] for j in waits)))
    ends = set(range(count)).difference(*direct)
    stack, order, seen = sorted(ends, reverse=True), [], set()
    while stack:
        i = stack[-1]
        waits = [j for j in direct[i] if j not in seen]
        if waits:  # the longest branch first
            stack.append(max(waits, key=lambda j: (len(behind[j] - seen), -j)))
            continue
        stack.pop()
        order.append(i)
        seen.add(i)
    return None if order == list(range(count)) else _in_order(graph, order)


# A Graph like another one, with its operators in an order.
def _in_order(graph, order):
    made = graph.sharing()
    nodes = graph.running()[0].nodes
    made.running()[0].nodes = [nodes[i] for i in order]
    return made
