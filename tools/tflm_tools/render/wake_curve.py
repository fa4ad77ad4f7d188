# tflm_tools: render: draws detection and false alarms of a wake word over its cutoff
# MIT license; Copyright (c) 2026 the tflm authors

from .scene import Label, Line, Rect, Scene

_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 70, 480, 240
_MIN_CUTOFF, _MAX_CUTOFF = 0.5, 1.0
_ALARMS = (0, 1, 2, 5, 10, 20, 50, 100)  # per hour: possible tops of the scale


def _x(cutoff):
    return _LEFT + _WIDTH * (cutoff - _MIN_CUTOFF) / (_MAX_CUTOFF - _MIN_CUTOFF)


def _y(share):
    return _TOP + _HEIGHT * (1 - min(max(share, 0), 1))


# Return the Lines of a curve: share(point) of the height over the cutoffs.
def _line(points, share, role, dashed=False):
    spots = [(_x(point.cutoff), _y(share(point))) for point in points]
    if not dashed:
        return [Line(spots, role, 2.0)]
    pairs = zip(spots[::2], spots[1::2], strict=False)
    return [Line([first, second], role, 2.0) for first, second in pairs]


def curve_scene(result):
    """Return the Scene of a Trained: recall and false alarms per hour over the cutoff.

    Dashed lines show the validation voices, solid lines the test voices.
    """
    curves = ((result.validation_curve, True), (result.test_curve, False))
    worst = max(point.alarms_per_hour for points, _ in curves for point in points)
    top = next((n for n in _ALARMS[1:] if n >= worst), _ALARMS[-1])
    scene = Scene(_LEFT + _WIDTH + 60, _TOP + _HEIGHT + 60, f"{result.phrase}: cutoffs")
    scene.add(
        Label(_LEFT, 24, f"“{result.phrase}”: effect of the cutoff", size=14, bold=True),
        Label(_LEFT, 44, "phrases detected", "good"),
        Label(_LEFT + _WIDTH, 44, "false alarms per hour", "peak", anchor="end"),
        Label(_LEFT + _WIDTH / 2, 44, "solid: test, dashed: validation", "dim", anchor="middle"),
        Rect(_LEFT, _TOP, _WIDTH, _HEIGHT, "band"),
    )
    for i in range(6):
        share, cutoff = i / 5, _MIN_CUTOFF + i / 10
        scene.add(
            Line([(_LEFT, _y(share)), (_LEFT + _WIDTH, _y(share))], "grid"),
            Label(_LEFT - 8, _y(share) + 4, f"{100 * share:.0f} %", "good", anchor="end"),
            Label(_LEFT + _WIDTH + 8, _y(share) + 4, f"{top * share:g}", "peak"),
            Label(_x(cutoff), _TOP + _HEIGHT + 20, f"{cutoff:.1f}", "dim", anchor="middle"),
        )
    for points, dashed in curves:
        scene.add(*_line(points, lambda point: point.recall, "good", dashed))
        scene.add(*_line(points, lambda point: point.alarms_per_hour / top, "peak", dashed))
    at = _x(result.chosen.cutoff)
    scene.add(
        Line([(at, _TOP), (at, _TOP + _HEIGHT)], "ink", 1.0, dashed=True),
        Label(at, _TOP + _HEIGHT + 40, f"cutoff {result.chosen.cutoff:.2f}", anchor="middle"),
    )
    return scene
