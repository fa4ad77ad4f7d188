# tflm_tools: explanation: says why `tflm flatten` chose a memory plan, for its option --explain
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass, field

from ..arena.arena_plan import plan_of
from ..model.graph import Graph, root_of
from ..optimize.memory.costs import reported_cycles
from ..optimize.memory.level_search import MAX_ARENA_SHARE, MAX_SLOWDOWN
from ..optimize.memory.levels import (
    BALANCED,
    BUDGET,
    MAX_ABOVE_TFLM,
    MAX_SLOWDOWN_NEAR_TFLM,
    OFF,
    RAM,
    SPEED,
)

INPUT, OUTPUT, SCRATCH, KEPT = "input", "output", "scratch", "kept for later"


@dataclass
class PeakBuffer:
    """A buffer in use at the peak of the arena; bytes: the part of it that is in use.

    role: INPUT or OUTPUT of the operator, its SCRATCH, or KEPT for a later operator.
    """

    name: str
    role: str
    bytes: int


@dataclass
class Peak:
    """The operator with the most bytes of arena in use, and its buffers, the largest one first.

    node: number of the operator. in_bands: it computes some rows of its output at a time.
    live_bytes: in use; buffers that overlap count once. head_bytes: the arena without variables.
    """

    node: int
    op: str
    in_bands: bool
    live_bytes: int
    head_bytes: int
    buffers: list[PeakBuffer] = field(default_factory=list)

    @property
    def overlapping_bytes(self):
        """The bytes that two buffers share at the peak."""
        return sum(buffer.bytes for buffer in self.buffers) - self.live_bytes


@dataclass
class BandedOperators:
    """Operators first..last of the model that run band by band, or in groups of channels.

    bands: their number, 0 for groups. groups: number of groups of channels, 0 for bands.
    recomputed_rows: rows of feature maps that are computed more than once.
    extra_cycles: estimated cycles compared with the operators one by one.
    """

    first: int
    last: int
    bands: int
    groups: int
    recomputed_rows: int
    extra_cycles: int


@dataclass
class Alternative:
    """Another level of --optimize: its size and cost, and the differences from the chosen plan."""

    level: str
    arena_bytes: int
    cycles: int
    more_bytes: int
    more_cycles: int


@dataclass
class PlanExplanation:
    """Why a .tflm has its memory plan.

    peak: what limits the arena; None if no operator needs arena. regions: operators in bands.
    repeated: numbers of operators that run a second time instead of keeping their output.
    alternatives: the other levels that were searched. decision: which rule chose the plan.
    """

    peak: Peak | None
    regions: list[BandedOperators] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    alternatives: list[Alternative] = field(default_factory=list)
    decision: str = ""


def explain_plan(pipeline, levels):
    """Return the PlanExplanation of the .tflm that a FlattenPipeline makes.

    levels: the LevelSizes that were searched.
    """
    model = pipeline.planned
    explanation = PlanExplanation(_peak(model, pipeline.storage))
    if pipeline.level != OFF and isinstance(model, Graph):
        explanation.regions = _regions(pipeline, model)
        explanation.repeated = _repeated(model)
    sizes = {size.level: size for size in levels}
    chosen = sizes.get(pipeline.level)
    if chosen is not None:
        explanation.alternatives = [
            Alternative(
                size.level, size.arena_bytes, size.cycles,
                size.arena_bytes - chosen.arena_bytes, size.cycles - chosen.cycles,
            )
            for size in levels
            if size is not chosen
        ]  # fmt: skip
    explanation.decision = _decision(pipeline, explanation.regions, sizes)
    return explanation


def _peak(model, storage):
    plan = plan_of(model, storage)
    if plan.peak_op is None or not plan.head_bytes:
        return None
    step = plan.peak_op + 1
    roles = _roles(model, storage, plan.peak_op)
    buffers = []
    for block in plan.blocks:
        areas = block.areas() if block.first <= step <= block.last else ()
        in_use = sum(end - start for start, end, first, last in areas if first <= step <= last)
        if in_use:
            role = roles.get((block.offset, block.size, block.first, block.last), KEPT)
            role = SCRATCH if block.kind == "scratch" else role
            buffers.append(PeakBuffer("" if role == SCRATCH else block.name, role, in_use))
    buffers.sort(key=lambda buffer: -buffer.bytes)
    in_bands = any(first <= step <= last for first, last, *_ in plan.chains)
    return Peak(
        plan.peak_node, plan.ops[plan.peak_op], in_bands,
        plan.live_bytes(plan.peak_op), plan.head_bytes, buffers,
    )  # fmt: skip


# {(offset, size, first step, last step): INPUT or OUTPUT} of the buffers of the operator at a
# step. Models with control flow have no such table: one of their steps may be a sub-graph.
def _roles(model, storage, op):
    graph = model if isinstance(model, Graph) else Graph(model)
    roles, subgraphs = {}, graph.running()
    if len(subgraphs) > 1:
        return roles
    node = subgraphs[0].nodes[op]
    for tensors, role in ((node.outputs, OUTPUT), (node.inputs, INPUT)):
        for tensor in tensors:
            buffer = None if tensor is None else storage.tensors.get(root_of(tensor)[0].index)
            if buffer is not None:
                roles[buffer.offset, buffer.size, buffer.first, buffer.last] = role
    return roles


# The BandedOperators of a planned model, in the order of its operators.
def _regions(pipeline, model):
    search, target = pipeline.levels.search, pipeline.options.target
    regions = []
    for chain in model.chains or ():
        schedule = chain.schedule
        recomputed = sum(
            sum(end - first for first, end in schedule.spans(key))
            - schedule.region.feature_maps[key].rows
            for key in schedule.recomputed
        )
        cycles = reported_cycles(search.extra_cycles_of_chain(chain, model.layouts), target)
        numbers = sorted(node.index for node in schedule.region.nodes)
        regions.append(
            BandedOperators(numbers[0], numbers[-1], schedule.bands, 0, recomputed, cycles)
        )
    nodes = model.running()[0].nodes
    for replaced in model.grouped:
        numbers = [node.index for node in replaced]
        copies = [node for node in nodes if node.index in numbers]
        cycles = reported_cycles(search.min_cycles(copies) - search.min_cycles(replaced), target)
        groups = len(copies) // len(replaced)
        regions.append(BandedOperators(min(numbers), max(numbers), 0, groups, 0, cycles))
    return sorted(regions, key=lambda region: region.first)


# The numbers of operators that run a second time.
def _repeated(model):
    in_chains = {id(node) for chain in model.chains or () for node in chain.nodes}
    grouped = {node.index for nodes in model.grouped for node in nodes}
    nodes = [node for node in model.running()[0].nodes if id(node) not in in_chains]
    nodes += [node for chain in model.chains or () for node in chain.schedule.region.nodes]
    runs = Counter(
        (node.index, node.outputs[0].name) for node in nodes if node.outputs
    )  # parts of an operator have other outputs
    return sorted({index for (index, _), count in runs.items() if count > 1} - grouped)


# The rule that chose the plan, as a sentence without its full stop.
def _decision(pipeline, regions, sizes):
    level, options = pipeline.level, pipeline.options
    if level == OFF:
        return "--optimize off keeps TFLM's plan"
    if options.keep_tensors:
        return "--keep-tensors gives each tensor separate memory"
    if pipeline.levels is None:
        return "TFLM's plan: the model is too large, or custom operators replace builtin ones"
    if not pipeline.levels.can_be_planned:
        return "TFLM's plan: the model has control flow, or an offline memory plan"
    if level == BUDGET:
        return f"the fastest plan that was found within {options.arena_budget} bytes"
    if level == SPEED:
        return "the fastest plan without bands; larger scratch buffers may save cycles for weights"
    if level == RAM:
        bands = "" if regions else "; no plan in bands is smaller"
        return f"the smallest plan that was found, for at most twice the estimated cycles{bands}"
    return _balanced_decision(pipeline.levels, regions, sizes[BALANCED], sizes[SPEED])


def _balanced_decision(levels, regions, chosen, fastest):
    is_near_tflm = levels.is_near_tflm_head()
    above = f"over {MAX_ABOVE_TFLM} bytes more than TFLM's head"
    if is_near_tflm:
        return f"the fastest plan that was found; faster ones need {above}"
    share, slowdown = f"{100 * (1 - MAX_ARENA_SHARE):.0f} %", f"{100 * MAX_SLOWDOWN:.0f} %"
    if regions:
        smaller = 100 * (1 - chosen.arena_bytes / fastest.arena_bytes)
        cycles = [levels.base_cycles() + levels.model(each.level)[1] for each in (chosen, fastest)]
        slower = 100 * (cycles[0] / max(1, cycles[1]) - 1)
        text = (
            f"bands make the arena {smaller:.0f} % smaller than {fastest.level} (at least {share} "
            f"is required) for {slower:.1f} % more cycles (at most {slowdown} are allowed)"
        )
    else:
        text = f"no bands make the arena {share} smaller for at most {slowdown} more cycles"
    if is_near_tflm is False:
        text += (
            f"; it needs {above}, but a smaller one would take over {MAX_SLOWDOWN_NEAR_TFLM} "
            "times the cycles"
        )
    return text
