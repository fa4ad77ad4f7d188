# tflm_tools: model_plan: returns the arena plan of TFLM or of `tflm flatten` for a model
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from ..arena.arena_plan import Plan, plan_of, tflm_head_bytes
from ..flat.conversion import open_tflite
from ..flat.flatten import at_level, check_arena, level_of, optimized_model
from ..image.custom import load_resolver
from ..image.prepare import prepare_graph
from ..optimize.memory.levels import OFF
from ..optimize.passes import passes_without
from ..render.notebook import Shown
from .survey import Missing, survey


@dataclass
class ModelPlan(Shown):
    """The result of `tflm plan`.

    level: of --optimize; "off" is TFLM's plan. head_bytes: of this plan, including scratch
    buffers. tflm_head_bytes: of TFLM's plan, without scratch buffers. missing: operators that
    tflm lacks, whose scratch buffers are not in the plan. by_rows: the input comes by rows.
    arena_budget: of --arena-budget, or None.
    """

    _shown = ("plan", "print_model_plan")

    model: str
    level: str
    head_bytes: int
    tflm_head_bytes: int
    plan: Plan
    missing: list[Missing] = field(default_factory=list)
    by_rows: bool = False
    arena_budget: int | None = None


def plan_model(
    path, level=OFF, target=None, custom=(), graph=None, by_rows=False, arena_budget=None
):
    """The ModelPlan of a .tflite. Raises ToolError for a .tflm, which says no times.

    level: OFF for the model as it is written, as TFLM plans it and a board that prepares the
    .tflite; the others with all savings, as flatten.flatten() has it. target: as there.
    graph: the model at that level, where flatten.flat_and_graph() has made it.
    by_rows: its input comes by rows, which only a .tflm can; "off" is flatten's, too, then.
    arena_budget: as for flatten(), in place of a level.
    """
    level = level_of(level, arena_budget, OFF)
    model = open_tflite(path, "a plan")
    resolver = load_resolver(custom)
    if level == OFF and not by_rows:
        graph, storage, missing = survey(model.data, resolver)
        head = tflm_head_bytes(graph)
    else:
        if graph is None:
            saved, _ = optimized_model(model.data, resolver, passes_without(()), by_rows=by_rows)
            graph = at_level(saved, level, resolver, target, arena=arena_budget)
        missing = []
        head = tflm_head_bytes(survey(model.data, resolver)[0])
        storage = prepare_graph(graph, resolver, target=target)
        check_arena(storage.arena_bytes, arena_budget)
    plan = plan_of(graph, storage)
    return ModelPlan(
        str(path), level, storage.head_bytes, head, plan, missing, by_rows, arena_budget
    )
