# Compares the arena heads of flat models with the heads of TFLM: arena_heads.py FILES...
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import statistics
import sys
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.allocations import tflm_allocations
from tflm.errors import TflmError
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import levels_of, optimized_model
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.inspection.survey import survey
from tflm_tools.optimize.memory.levels import RAM, SPEED
from tflm_tools.optimize.passes import passes_without

_MIN_HEAD_BYTES = 4096  # models whose TFLM head is smaller are not counted
_LARGE_SHARE = 0.8


def heads(path, by_rows=False):
    """Return the head of TFLM and our heads with `speed` and with `ram` for a .tflite, in bytes.

    by_rows: plan for inputs that come row by row, if the model permits it. Our heads are None
    for a model whose TFLM head is smaller than 4 KB. No target is set.
    """
    data = path.read_bytes()
    model, _, missing = survey(data)
    if missing:
        raise ToolError(f"tflm lacks {missing[0].op}; leave this model out")
    # TFLM's head includes scratch buffers. If TFLM cannot run the model, only the tensors count.
    head = tflm_allocations(path).get("head") or tflm_head_bytes(model)
    if head < _MIN_HEAD_BYTES:
        return head, None, None
    optimized, _ = optimized_model(data, passes=passes_without())
    if by_rows:
        with suppress(TflmError, ToolError):
            optimized, _ = optimized_model(data, passes=passes_without(), by_rows=True)
    levels = levels_of(optimized)
    if levels is None:
        graphs = [optimized, optimized]
    else:
        graphs = [levels.model(level)[0] for level in (SPEED, RAM)]
    return head, *(prepare_graph(graph).head_bytes for graph in graphs)


def main():
    """Print a line for each model, and the median share of TFLM's head at the end."""
    parser = argparse.ArgumentParser(description="arena heads of flat models beside TFLM's")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--input-by-rows", action="store_true", help="plan for input by rows if a model permits it"
    )
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
        large = sum(share > _LARGE_SHARE for share in shares) / len(shares)
        print(
            f"{len(shares)} models: median {statistics.median(shares):.0%} of TFLM's head, "
            f"{large:.0%} of them above {_LARGE_SHARE:.0%}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
