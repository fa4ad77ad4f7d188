# tflm_tools: BandPlan: which regions of a model run in bands, and the graph that results
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from ....bands.write import write_chain


@dataclass
class BandPlan:
    """What a search has chosen.

    edges: the Edge of each region in bands. small_scratch: the Edges of operators that run by
    themselves with less scratch than usual. rewrites: Recomputations and PooledGroups.
    layouts: {operator's number: layout} of the weights of all these.
    arena: bytes that the model should need. cycles: extra cycles.
    """

    edges: list = field(default_factory=list)
    arena: int = 0
    cycles: int = 0
    layouts: dict = field(default_factory=dict)
    rewrites: list = field(default_factory=list)
    small_scratch: list = field(default_factory=list)

    def savable_cycles(self, arena):
        """Return how many of the cycles weights would save in `arena` bytes, about."""
        return sum(edge.savable_cycles(arena) for edge in self.edges)

    def descending_edges(self):
        """Return edges whose bands should run from the last one to the first.

        A block that writes its output over its input moves the tensor down by a row, because the
        next band needs the row before. With descending bands, it moves the tensor up by a band.
        So a descending block after as many ascending ones as a band has rows keeps the tensor in
        its place.
        """
        found, rows = [], 0
        for edge in reversed(self.edges):
            if edge.schedule.has_independent_bands():
                height = edge.schedule.max_rows(edge.schedule.region.outputs[-1])
                if rows >= height:
                    found.append(edge)
                rows += 1 if rows < height else -height
        return found


def apply_band_plan(graph, plan, descending=()):
    """Return a Graph with banded chains in place of their operators.

    descending: edges whose bands run from the last one to the first.
    Its attributes `chains`, `grouped` and `layouts` are set. Nodes and tensors that stay are those
    of `graph`, which does not change.
    """
    result = graph.sharing()
    subgraph = result.running()[0]
    for rewrite in plan.rewrites:
        rewrite.apply(subgraph)

    def make_tensor(name, dtype, shape, like):
        return subgraph.new_tensor(name, dtype, shape, like=like)

    result.grouped = [rewrite.dropped for rewrite in plan.rewrites if rewrite.dropped]
    result.chains = []
    result.layouts = plan.layouts
    for edge in plan.edges:
        nodes = edge.schedule.region.nodes
        bands = range(edge.schedule.bands, 0, -1) if edge in descending else None
        chain = write_chain(edge.schedule, make_tensor, bands)
        at = next(i for i, node in enumerate(subgraph.nodes) if node is nodes[-1])
        replaced = set(map(id, nodes))
        before = [node for node in subgraph.nodes[:at] if id(node) not in replaced]
        subgraph.nodes = before + chain.nodes + subgraph.nodes[at + 1 :]
        result.chains.append(chain)
    result.drop_unused()
    result.settle()
    return result
