# tflm_tools: render: what `tflm plan` prints, and the picture that it writes
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from rich.text import Text

from ..errors import ToolError
from .arena import print_plan
from .arena_scene import arena_scene
from .common import number
from .svg import svg

_WHOSE = {
    "off": "as TFLM plans it",
    "speed": "tflm flatten --optimize speed",
    "balanced": "tflm flatten",
    "ram": "tflm flatten --optimize ram",
}


def plan_words(result):
    """(whose plan it is, its bytes beside TFLM's) of a ModelPlan."""
    words = f"{number(result.head_bytes)} bytes"
    if result.tflm_head_bytes:
        share = 100 * result.head_bytes / result.tflm_head_bytes
        words += f"; TFLM plans {number(result.tflm_head_bytes)} for the tensors alone"
        words += f" ({share:.0f} %)" if result.level != "off" or result.by_rows else ""
    if result.arena_budget is not None:
        rows = "--input-by-rows " if result.by_rows else ""
        whose = f"tflm flatten {rows}--arena-budget {result.arena_budget}"
    elif result.by_rows:
        whose = f"tflm flatten --input-by-rows --optimize {result.level}"
    else:
        whose = _WHOSE[result.level]
    return whose, words


def plan_scene(result):
    """The Scene of a ModelPlan."""
    whose, words = plan_words(result)
    return arena_scene(result.plan, f"{Path(result.model).name}: arena, {whose}", words)


def plan_picture(result, path):
    """The bytes of a picture of a ModelPlan, of the kind that `path` ends in: .svg or .png."""
    kind = Path(path).suffix.lower()
    if kind == ".svg":
        return svg(plan_scene(result)).encode()
    if kind == ".png":
        from .png import png

        return png(plan_scene(result))
    raise ToolError(f"{path} is neither .svg nor .png; give the picture one of these names")


def print_model_plan(result, target, written=None):
    """Print a ModelPlan; with `written`, the name of the picture instead of a drawing."""
    whose, words = plan_words(result)
    title = Text(Path(result.model).name, style="bold")
    target.print(title.append(f"  {whose}", style="default not bold"))
    target.print(Text(words))
    for entry in result.missing:
        target.print(Text(f"without the scratch buffers of {entry.op}: {entry.reason}", "red"))
    if written is not None:
        target.print(Text(f"{written} is written"))
        return
    target.print()
    print_plan(result.plan, target)
