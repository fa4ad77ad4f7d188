# Compares memory plans with those of a search without one of its components: ablation.py FILES...
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import resource
import sys
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.optimize.memory.levels import BALANCED, RAM, SPEED

_MEMORY = "tflm_tools.optimize.memory."
_TARGETS = None, "armv6m", "armv7em"
_NOTABLE = 0.02  # share of bytes or cycles by which a plan must be larger to count
_COLUMNS = (
    "component", "plans", "plans_changed", "models_over_2_percent", "most_more_bytes_percent",
    "most_more_cycles_percent", "time_percent", "result",
)  # fmt: skip


def _constant(value):
    return lambda *_arguments, **_options: value


# {component: {what is patched: its value without the component}}.
COMPONENTS = {
    "a second order with late branches": {_MEMORY + "levels.late_branches": _constant(None)},
    "layouts with less scratch": {
        _MEMORY + "search.edges.ModelEdges.with_small_scratch": _constant(None)
    },
    "warm-up bands": {
        "tflm_tools.bands.band_schedule.BandSchedule.with_warm_up_bands": _constant(None)
    },
    "second pass": {_MEMORY + "search.shortest_path.recomputations": _constant([])},
    "pooled groups": {_MEMORY + "search.shortest_path.pooled_groups": _constant([])},
    "2,000 orders for long parts": {_MEMORY + "part_arena._LONG_PART": 1 << 30},
}


def plans_without(component, paths):
    """Return {(path, target, level): (head bytes, estimated cycles)}, and the CPU seconds.

    component: a key of COMPONENTS, or None for the whole search. Layouts that only improve a
    final plan at speed change no estimate; they are not measured here.
    """
    plans, start = {}, resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with ExitStack() as patches:
        for what, value in COMPONENTS.get(component, {}).items():
            patches.enter_context(mock.patch(what, value))
        for path in paths:
            for target in _TARGETS:
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
    time = round(100 * more_seconds / seconds)
    larger, slower = (f"{percent:.1f}" for percent in most)
    return component, len(before), changed, len(notable), larger, slower, time, "kept"


def main():
    """Print a row of docs/data/ablation.csv for each component."""
    parser = argparse.ArgumentParser(description="memory plans without components of their search")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--component", action="append", choices=COMPONENTS, help="default: all of them"
    )
    options = parser.parse_args()
    print(*_COLUMNS, sep=",")
    whole = plans_without(None, options.files)
    for component in options.component or COMPONENTS:
        row = _row(component, whole, plans_without(component, options.files))
        print(*(f'"{cell}"' if "," in str(cell) else cell for cell in row), sep=",", flush=True)
    print(f"{whole[1]:.0f} s for the whole search", file=sys.stderr)


if __name__ == "__main__":
    main()
