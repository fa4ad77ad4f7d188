# What flat models need of TFLM's arena head, over given .tflite: `survey.py FILES...`
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import statistics
import sys
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.allocations import tflm_allocations
from tflm.errors import TflmError
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.inspection.survey import survey
from tflm_tools.optimize.memory.levels import RAM, SPEED
from tflm_tools.optimize.passes import passes_without

_LEAST = 4096  # of TFLM's head, of models that count
_MUCH = 0.8


def heads(path, by_rows=False):
    """(TFLM's head, ours with `speed`, ours with `ram`) of a .tflite in bytes, no target.

    by_rows: inputs come by rows, where a model can have them so.
    """
    data = path.read_bytes()
    model, _, missing = survey(data)
    if missing:
        raise ToolError(f"tflm lacks {missing[0].op}; leave this model out")
    # With scratch buffers; of a model that TFLM refuses what its planner gives to tensors alone.
    head = tflm_allocations(path).get("head") or tflm_head_bytes(model)
    if head < _LEAST:
        return head, None, None
    saved, _ = optimized_model(data, savings=passes_without())
    if by_rows:
        with suppress(TflmError, ToolError):
            saved, _ = optimized_model(data, savings=passes_without(), by_rows=True)
    levels = levels_of(saved)
    made = [saved, saved] if levels is None else [levels.model(k)[0] for k in (SPEED, RAM)]
    return head, *(prepare_graph(graph).head_bytes for graph in made)


def main():
    parser = argparse.ArgumentParser(description="heads of the arena beside TFLM's")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--input-by-rows", action="store_true", help="where a model can")
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    line = "{},{},{},{},{:.3f}" if options.csv else "{:40.40} {:>9} {:>9} {:>9} {:6.0%}"
    shares, seen = [], set()
    for path in options.files:
        data = path.read_bytes()
        if data in seen:
            continue
        seen.add(data)
        try:
            head, speed, ram = heads(path, options.input_by_rows)
        except (TflmError, ToolError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        if ram is not None:
            shares.append(ram / head)
            print(line.format(path.name, head, speed, ram, shares[-1]), flush=True)
    if shares:
        much = sum(share > _MUCH for share in shares) / len(shares)
        print(
            f"{len(shares)} models: median {statistics.median(shares):.0%} of TFLM's head, "
            f"{much:.0%} of them above {_MUCH:.0%}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
