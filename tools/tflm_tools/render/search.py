# tflm_tools: render: prints the result of `tflm search`, and draws its Pareto front
# MIT license; Copyright (c) 2026 the tflm authors

from html import escape
from pathlib import Path

from rich.text import Text

from ..errors import ToolError
from .common import UNKNOWN, number, said, show, table
from .scene import Label, Line, Rect, Scene
from .svg import svg

_WIDTH, _HEIGHT = 260, 220  # of a panel
_LEFT, _TOP, _GAP, _BOTTOM = 66, 64, 30, 44
_NAMES = {"ram": "RAM", "flash": "flash", "ms": "ms"}


def print_search(result, target, written=None):
    """Print a Search: the front, or the network nearest to the limits, and failed trials."""
    _print_head(result, target)
    if result.front:
        _print_front(result, target)
    elif result.nearest is not None:
        _print_nearest(result, target)
    failed = [network for network in result.networks if network.error]
    for network in failed[:3]:
        target.print(Text(f"trial {network.number}: {network.error}", style="red"))
    if len(failed) > 3:
        target.print(Text(f"and {len(failed) - 3} more failed trials; --json lists all"))
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
    if written:
        target.print(Text(f"wrote {written}"))


def _print_head(result, target):
    limits = result.limits
    line = f"RAM up to {number(limits.ram)} bytes, flash up to {number(limits.flash)}"
    if limits.ms is not None:
        line += f", time up to {limits.ms:g} ms"
    target.print(Text(result.space, style="bold").append(
        f"  on {limits.board}: {line}", style="default not bold"
    ))  # fmt: skip
    fitting = sum(network.fits() for network in result.networks)
    count = len(result.networks)
    words = f"{count} networks tried, {fitting} fit, {len(result.front)} of them on the front"
    if result.stopped:
        words += f"; stopped before the requested {result.trials}"
    target.print(Text(words))


# Return the parameters of a network as one text.
def _parameters(network):
    return " ".join(f"{name}={value}" for name, value in network.parameters.items())


def _time(costs):
    return UNKNOWN if costs.ms is None else f"{costs.ms:.1f}"


def _print_front(result, target):
    scores = [">score"] if result.is_scored else []
    grid = table(">trial", *scores, ">weights", ">MACs", ">RAM", ">flash", ">ms", "parameters")
    for trial in result.front:
        network = result.network(trial)
        costs = network.costs
        score = [f"{network.score:.4g}"] if result.is_scored else []
        sizes = map(number, (costs.weights, costs.macs, costs.ram, costs.flash))
        grid.add_row(str(trial), *score, *sizes, _time(costs), Text(_parameters(network)))
    show(grid, target, "parameters")


def _print_nearest(result, target):
    network = result.network(result.nearest)
    excesses = []
    for name, share in network.excess.items():
        if share > 0:
            limit, cost = getattr(result.limits, name), getattr(network.costs, name)
            unit = " bytes" if name != "ms" else ""
            over = number(cost - limit) if name != "ms" else f"{cost - limit:.1f}"
            percent = f"{100 * share:.0f} %" if share >= 0.005 else "less than 1 %"
            excesses.append(f"{_NAMES[name]} is {over}{unit} ({percent}) too much")
    target.print(Text("No network fits. The nearest one: ", style="bold red").append(
        f"trial {network.number}, {', '.join(excesses)}; {_parameters(network)}",
        style="default not bold",
    ))  # fmt: skip


# Draw one panel: the score over one of the costs.
def _panel(scene, result, name, left):
    trained = [network for network in result.networks if network.costs is not None]
    fitting = [network for network in trained if network.fits()]
    most = max([getattr(n.costs, name) for n in trained] or [1]) * 1.05 or 1
    scores = [n.score for n in fitting] or [0.0]
    low, high = min(scores), max(scores)
    span = (high - low) or 1.0
    bottom = _TOP + _HEIGHT

    # Return the coordinates of a network.
    def position(network):
        x = left + _WIDTH * getattr(network.costs, name) / most
        # Networks that do not fit have no score and are drawn below the others.
        share = (network.score - low) / span if network.score is not None else -0.06
        return x, bottom - _HEIGHT * (0.1 + 0.84 * share)

    scene.add(Rect(left, _TOP, _WIDTH, _HEIGHT, "band"))
    limit = getattr(result.limits, name)
    if limit is not None and limit <= most:
        x = left + _WIDTH * limit / most
        scene.add(Line([(x, _TOP), (x, bottom)], "peak", dashed=True))
    for share in (0, 0.5, 1):
        text = number(round(share * most)) if name != "ms" else f"{share * most:.0f}"
        scene.add(Label(left + share * _WIDTH, bottom + 16, text, "dim", 10, "middle"))
    words = {"ram": "arena, bytes", "flash": ".tflm, bytes", "ms": "ms, estimated"}
    scene.add(Label(left + _WIDTH / 2, bottom + 34, words[name], size=12, anchor="middle"))
    on_front = set(result.front)
    for network in sorted(trained, key=lambda each: each.number in on_front):
        x, y = position(network)
        is_front = network.number in on_front
        role = "b0" if is_front else "scratch" if network.fits() else "peak"
        size = 10 if is_front else 6
        title = f"trial {network.number}: {_parameters(network)}"
        scene.add(Rect(x - size / 2, y - size / 2, size, size, role, title, radius=size / 2,
                       opacity=1.0 if is_front else 0.55))  # fmt: skip
        if is_front:
            scene.add(Label(x + 7, y - 5, str(network.number), size=10))
    for share, score in ((0.1, low), (0.94, high)) if fitting else ():
        text = f"{score:.4g}"
        scene.add(Label(left - 6, bottom - share * _HEIGHT + 4, text, "dim", 10, "end"))


def front_scene(result):
    """Return the Scene of a Search, with one panel for RAM, flash and time each."""
    is_timed = any(n.costs is not None and n.costs.ms is not None for n in result.networks)
    names = ["ram", "flash"] + ["ms"] * is_timed
    step = _WIDTH + _LEFT
    width = len(names) * step + _GAP
    scene = Scene(width, _TOP + _HEIGHT + _BOTTOM, f"{result.space} on {result.limits.board}")
    scene.add(Label(_GAP / 2, 24, scene.title, size=16, bold=True))
    over = "score" if result.is_scored else "number of weights"
    words = f"{over} over costs; blue: the Pareto front, with trial numbers; red: does not fit"
    scene.add(Label(_GAP / 2, 44, words, "dim"))
    for i, name in enumerate(names):
        _panel(scene, result, name, _LEFT + i * step)
    return scene


def search_picture(result, path):
    """Return the bytes of a Search's picture, in the format of the suffix of `path`."""
    kind = kind_of(path)
    scene = front_scene(result)
    if kind == ".png":
        from .png import png

        return png(scene)
    if kind == ".svg":
        return svg(scene).encode()
    text = escape(said(print_search, result, 110))
    return (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(scene.title)}</title>{svg(scene)}<pre>{text}</pre>\n"
    ).encode()


def kind_of(path):
    """Return the suffix .svg, .png or .html of `path`. Raises ToolError for another suffix."""
    kind = Path(path).suffix.lower()
    if kind not in (".svg", ".png", ".html"):
        raise ToolError(
            f"{path} is neither .svg, .png nor .html; give the picture one of these names"
        )
    return kind
