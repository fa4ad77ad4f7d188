# tflm_tools: render: writes a Scene as SVG, in the reader's light or dark colours
# MIT license; Copyright (c) 2026 the tflm authors

from html import escape

from .common import printable
from .scene import COLOURS, Label, Line, Rect

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"


def clean(text):
    """Return a text escaped for XML, without control characters and others that XML forbids."""
    plain = "".join(
        c if c < "\ud800" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "�"
        for c in printable(str(text))
    )
    return escape(plain, quote=True)


def style(selector):
    """Return CSS that sets the colours as variables of `selector`, for light and dark screens."""
    light, dark = (
        ";".join(f"--{role}:{pair[i]}" for role, pair in COLOURS.items()) for i in (0, 1)
    )
    return f"{selector}{{{light}}}@media (prefers-color-scheme:dark){{{selector}{{{dark}}}}}"


# Return a number without needless digits, which is equal on every machine.
def _n(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _rect(shape, prefix):
    fill = "none"
    if shape.role:
        fill = f"url(#{prefix}hatch)" if shape.hatched else f"var(--{shape.role})"
    more = f' fill-opacity="{_n(shape.opacity)}"' if shape.opacity != 1 else ""
    if shape.outline:
        more += f' stroke="var(--{shape.outline})"'
    more += f' rx="{_n(shape.radius)}"' if shape.radius else ' shape-rendering="crispEdges"'
    box = (
        f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" '
        f'height="{_n(shape.height)}" fill="{fill}"{more}'
    )
    return f"{box}><title>{clean(shape.title)}</title></rect>" if shape.title else f"{box}/>"


def _line(shape):
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
    dashes = ' stroke-dasharray="4 3"' if shape.dashed else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="var(--{shape.role})" '
        f'stroke-width="{_n(shape.width)}"{dashes}/>'
    )


def _label(shape):
    x, y = _n(shape.x), _n(shape.y)
    more = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    more += ' font-weight="600"' if shape.bold else ""
    more += f' transform="rotate({_n(-shape.turned)} {x} {y})"' if shape.turned else ""
    return (
        f'<text x="{x}" y="{y}" fill="var(--{shape.role})" font-size="{_n(shape.size)}"{more}>'
        f"{clean(shape.text)}</text>"
    )


def svg(scene, prefix="", whole=True):
    """Return a Scene as the text of an SVG.

    prefix: for the ids, if a page contains several SVGs. whole: include background and colours,
    for a separate file; in a page style() sets the colours.
    """
    width, height = _n(scene.width), _n(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="{_FONT}" '
        f'aria-label="{clean(scene.title)}">'
    ]
    if whole:
        lines += [f"<style>{style('svg')}</style>"]
        lines += [f'<rect width="{width}" height="{height}" fill="var(--paper)"/>']
    if any(isinstance(shape, Rect) and shape.hatched for shape in scene.shapes):
        lines.append(
            f'<defs><pattern id="{prefix}hatch" width="5" height="5" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" '
            'height="5" fill="var(--scratch)" fill-opacity=".22"/><path d="M0 0V5" '
            'stroke="var(--scratch)" stroke-width="2.4"/></pattern></defs>'
        )
    for shape in scene.shapes:
        if isinstance(shape, Rect):
            lines.append(_rect(shape, prefix))
        elif isinstance(shape, Line):
            lines.append(_line(shape))
        elif isinstance(shape, Label):
            lines.append(_label(shape))
    return "\n".join([*lines, "</svg>"]) + "\n"
