# tflm_tools: render: prints and draws the result of `tflm plan`
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from ..errors import ToolError
from .arena import print_plan
from .arena_scene import arena_scene
from .common import number
from .svg import svg

_ORIGINS = {
    "off": "as TFLM plans it",
    "speed": "tflm flatten --optimize speed",
    "balanced": "tflm flatten",
    "ram": "tflm flatten --optimize ram",
}


def plan_words(result):
    """Return (origin, size) of a ModelPlan in words; the size is compared with TFLM's plan."""
    words = f"{number(result.head_bytes)} bytes"
    if result.tflm_head_bytes:
        share = 100 * result.head_bytes / result.tflm_head_bytes
        words += f"; TFLM plans {number(result.tflm_head_bytes)} for the tensors alone"
        words += f" ({share:.0f} %)" if result.level != "off" or result.by_rows else ""
    if result.arena_budget is not None:
        rows = "--input-by-rows " if result.by_rows else ""
        origin = f"tflm flatten {rows}--arena-budget {result.arena_budget}"
    elif result.by_rows:
        origin = f"tflm flatten --input-by-rows --optimize {result.level}"
    else:
        origin = _ORIGINS[result.level]
    return origin, words


def plan_scene(result):
    """Return the Scene of a ModelPlan."""
    origin, words = plan_words(result)
    return arena_scene(result.plan, f"{Path(result.model).name}: arena, {origin}", words)


def plan_picture(result, path):
    """Return the bytes of a ModelPlan's picture, an .svg or .png as `path` says."""
    kind = Path(path).suffix.lower()
    if kind == ".svg":
        return svg(plan_scene(result)).encode()
    if kind == ".png":
        from .png import png

        return png(plan_scene(result))
    raise ToolError(f"{path} is neither .svg nor .png; give the picture one of these names")


def print_model_plan(result, target, written=None):
    """Print a ModelPlan; with `written`, the name of the picture instead of a drawing."""
    origin, words = plan_words(result)
    title = Text(Path(result.model).name, style="bold")
    target.print(title.append(f"  {origin}", style="default not bold"))
    target.print(Text(words))
    for entry in result.missing:
        target.print(Text(f"without the scratch buffers of {entry.op}: {entry.reason}", "red"))
    if written is not None:
        target.print(Text(f"wrote {written}"))
        return
    target.print()
    print_plan(result.plan, target)
