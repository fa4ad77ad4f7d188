# tflm_tools: Fusion: which regions of a model run in bands, and the model that comes of it
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from .bands import in_bands


@dataclass
class Fusion:
    """What to run in bands: the Edge of each region, the arena that all should need, the cost.

    narrow: the Edges of what runs by itself with less scratch than usual. stored: how weights of
    all these are stored. forms: the SecondPasses and PooledGroups that it takes.
    """

    edges: list = field(default_factory=list)
    arena: int = 0
    cycles: int = 0
    stored: dict = field(default_factory=dict)
    forms: list = field(default_factory=list)
    narrow: list = field(default_factory=list)

    def spare(self, arena):
        """Those of the cycles that weights would not take in so many bytes, about."""
        return sum(edge.spare(arena) for edge in self.edges)


def apply(graph, fusion):
    """A Graph with the chains of a Fusion in place of their operators; its `chains` tell of them,
    and `grouped` of operators that run in groups of channels outside of chains.

    Nodes and tensors that stay are those of `graph`, which itself does not change.
    """
    result = graph.sharing()
    subgraph = result.running()[0]
    for each in fusion.forms:
        each.apply(subgraph)

    def make(name, dtype, shape, like):
        return subgraph.new_tensor(name, dtype, shape, like=like)

    result.grouped = [form.dropped for form in fusion.forms if form.dropped]
    result.chains = []
    result.stored = fusion.stored
    for edge in fusion.edges:
        nodes = edge.progress.region.nodes
        chain = in_bands(edge.progress, make)
        at = next(i for i, node in enumerate(subgraph.nodes) if node is nodes[-1])
        gone = set(map(id, nodes))
        before = [node for node in subgraph.nodes[:at] if id(node) not in gone]
        subgraph.nodes = before + chain.nodes + subgraph.nodes[at + 1 :]
        result.chains.append(chain)
    result.drop_unused()
    result.settle()
    return result
