# tflm_tools: model_plan: returns the arena plan of TFLM or of `tflm flatten` for a model
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from ..arena.arena_plan import Plan, plan_of, tflm_head_bytes
from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..image.custom import load_resolver
from ..model.model_file import naming, read_tflite
from ..optimize.memory.levels import BALANCED, OFF
from ..render.common import Shown
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


def plan_model(path, optimize=OFF, target=None, custom=(), by_rows=False, arena_budget=None):
    """Return the ModelPlan of a .tflite.

    optimize: OFF for TFLM's plan, which a board has that prepares the .tflite; another level for
    the plan of `tflm flatten`. target, by_rows, arena_budget: as flatten.FlattenOptions; by_rows
    and arena_budget always give the plan of `tflm flatten`. custom: Python files that
    register custom operators. Raises ToolError for a .tflm, which does not store when tensors are
    in use.
    """
    tflite, resolver = read_tflite(path, "a plan"), load_resolver(custom)
    if optimize == OFF and arena_budget is not None:
        optimize = BALANCED  # the default, which a budget replaces
    options = FlattenOptions(target, optimize, arena_budget, by_rows=by_rows)
    with naming(path):
        if optimize != OFF or by_rows:
            return plan_of_flat(path, FlattenPipeline(tflite, options, resolver))
        graph, storage, missing = survey(tflite, resolver)
        head, plan = tflm_head_bytes(graph), plan_of(graph, storage)
        return ModelPlan(str(path), OFF, storage.head_bytes, head, plan, missing)


def plan_of_flat(path, pipeline):
    """Return the ModelPlan of the .tflm that a FlattenPipeline makes of the .tflite at `path`."""
    options, storage = pipeline.options, pipeline.storage
    pipeline.check_arena()
    return ModelPlan(
        str(path), pipeline.level, storage.head_bytes,
        tflm_head_bytes(pipeline.as_in_file()), plan_of(pipeline.planned, storage),
        by_rows=options.by_rows, arena_budget=options.arena_budget,
    )  # fmt: skip
