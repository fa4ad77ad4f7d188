# Plans models with a search that lacks one of its components: ablation.py FILES...
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import resource
from contextlib import ExitStack
from math import inf
from pathlib import Path
from unittest import mock

from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED

_NOTABLE = 0.02  # share of bytes or cycles by which a plan must be larger to count
_COLUMNS = (
    "component", "plans", "plans_changed", "models_over_2_percent", "most_more_bytes_percent",
    "most_more_cycles_percent", "time_percent",
)  # fmt: skip


def _constant(value):
    return lambda *_arguments, **_options: value


# {component of the search: {what is patched in tflm_tools: its value without it}}.
_MEMORY = "optimize.memory."
_LAYOUTS = _MEMORY + "node_costs."
COMPONENTS = {
    "a second order with late branches": {_MEMORY + "levels.late_branches": _constant(None)},
    "layouts with less scratch": {
        _MEMORY + "search.edges.ModelEdges.with_small_scratch": _constant(None)
    },
    "warm-up bands": {"bands.band_schedule.BandSchedule.with_warm_up_bands": _constant(None)},
    "second pass": {_MEMORY + "search.shortest_path.recomputations": _constant([])},
    "pooled groups": {_MEMORY + "search.shortest_path.pooled_groups": _constant([])},
    "finer weight layouts": {
        _MEMORY + "level_search.with_finer_layouts": lambda _plans, model, _arena: model
    },
}
# {constant and another value: {what is patched in tflm_tools: that value}}.
CONSTANTS = {
    "ARENA_FACTORS 1, 1.5": {_MEMORY + "level_search.ARENA_FACTORS": (1, 1, 1, 1.5)},
    "_SMALL_ARENA 0": {_MEMORY + "level_search._SMALL_ARENA": 0},
    "MAX_TENSORS unlimited": {
        _MEMORY + "level_search.MAX_TENSORS": inf, _MEMORY + "levels.MAX_TENSORS": inf,
    },
    "_TRIES 10": {_MEMORY + "part_arena._TRIES": 10},
    "DRAFT_TOLERANCE 1.1": {
        _MEMORY + "planned_graphs.DRAFT_TOLERANCE": 1.1,
        _MEMORY + "level_search.DRAFT_TOLERANCE": 1.1,
        _MEMORY + "levels.DRAFT_TOLERANCE": 1.1,
    },
    "MAX_TRIES 1": {_MEMORY + "planned_graphs.MAX_TRIES": 1},
    "_MAX_STATES 10": {_MEMORY + "rewrites.operator_order._MAX_STATES": 10},
    "_MAX_RECOMPUTED 1": {_MEMORY + "rewrites.recompute._MAX_RECOMPUTED": 1},
    "_SMALL_SCRATCH 0": {_MEMORY + "search.band_costs._SMALL_SCRATCH": 0},
    "_HEIGHTS 1, 2": {_MEMORY + "search.candidates._HEIGHTS": (1, 2)},
    "MAX_REGION 6": {
        _MEMORY + f"search.{module}.MAX_REGION": 6
        for module in ("edges", "rewrite_paths")
    },
    "MIN_CYCLES_PER_BYTE 1": {_LAYOUTS + "MIN_CYCLES_PER_BYTE": 1},
    "MIN_CYCLES_PER_FREE_BYTE 16": {_LAYOUTS + "MIN_CYCLES_PER_FREE_BYTE": 16},
    "_OPERATOR_SHARES 1": {_MEMORY + "weights.spend_slack._OPERATOR_SHARES": (1.0,)},
}  # fmt: skip
ABLATIONS = {**COMPONENTS, **CONSTANTS}


def plans_without(component, paths, targets):
    """Return {(path, target, level): (head bytes, estimated cycles)}, and the CPU seconds.

    component: a key of ABLATIONS, or None for the whole search.
    """
    plans, start = {}, resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with ExitStack() as patches:
        for what, value in ABLATIONS.get(component, {}).items():
            patches.enter_context(mock.patch(f"tflm_tools.{what}", value))
        for path in paths:
            for target in targets:
                levels = FlattenPipeline(path.read_bytes(), FlattenOptions(target)).levels
                for level in (SPEED, BALANCED, RAM) if levels is not None else ():
                    model, cycles = levels.model(level)
                    head = levels.prepared(model).head_bytes
                    plans[path, target, level] = head, levels.base_cycles() + cycles
    return plans, resource.getrusage(resource.RUSAGE_SELF).ru_utime - start


# The row of a component: the whole search (plans, seconds) beside the search without it.
def _row(component, whole, without):
    (before, seconds), (after, more_seconds) = whole, without
    growth = {
        key: [new / max(1, old) - 1 for old, new in zip(before[key], after[key], strict=True)]
        for key in before
    }
    notable = {path for (path, *_), each in growth.items() if max(each) > _NOTABLE}
    most = [100 * max(column) for column in zip(*growth.values(), strict=True)]
    changed = sum(before[key] != after[key] for key in before)
    larger, slower = (f"{percent:.1f}" for percent in most)
    time = round(100 * more_seconds / seconds)
    return component, len(before), changed, len(notable), larger, slower, time


def main():
    """Print a row of docs/data/ablation.csv for each component."""
    parser = argparse.ArgumentParser(description="memory plans without components of their search")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--component", action="append", choices=ABLATIONS, help="default: all of them"
    )
    parser.add_argument("--target", action="append", help="default: none, armv6m and armv7em")
    options = parser.parse_args()
    targets = options.target or (None, "armv6m", "armv7em")
    print(*_COLUMNS, sep=",")
    whole = plans_without(None, options.files, targets)
    for component in options.component or ABLATIONS:
        row = _row(component, whole, plans_without(component, options.files, targets))
        print(*(f'"{cell}"' if "," in str(cell) else cell for cell in row), sep=",", flush=True)


if __name__ == "__main__":
    main()
