# tflm_tools: render: the curves to choose a wake word's cutoff by, as a picture
# MIT license; Copyright (c) 2026 the tflm authors

from .scene import Label, Line, Rect, Scene

_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 70, 480, 240
_LEAST, _MOST = 0.5, 1.0  # cutoffs
_ALARMS = (0, 1, 2, 5, 10, 20, 50, 100)  # an hour: one of these is the top of the scale


def _x(cutoff):
    return _LEFT + _WIDTH * (cutoff - _LEAST) / (_MOST - _LEAST)


def _y(share):
    return _TOP + _HEIGHT * (1 - min(max(share, 0), 1))


# Points of a line: shares of the height at cutoffs.
def _line(points, share, role, dashed=False):
    spots = [(_x(point.cutoff), _y(share(point))) for point in points]
    if not dashed:
        return [Line(spots, role, 2.0)]
    pairs = zip(spots[::2], spots[1::2], strict=False)
    return [Line([first, second], role, 2.0) for first, second in pairs]


def curve_scene(result):
    """A Scene of a Trained: recall and false alarms an hour at each cutoff, of the voices that
    validate (broken lines) and of the test's (whole ones).
    """
    curves = ((result.validation_curve, True), (result.test_curve, False))
    worst = max(point.alarms_per_hour for points, _ in curves for point in points)
    top = next((n for n in _ALARMS[1:] if n >= worst), _ALARMS[-1])
    scene = Scene(_LEFT + _WIDTH + 60, _TOP + _HEIGHT + 60, f"{result.phrase}: cutoffs")
    scene.add(
        Label(_LEFT, 24, f"“{result.phrase}”: what a cutoff means", size=14, bold=True),
        Label(_LEFT, 44, "phrases heard", "good"),
        Label(_LEFT + _WIDTH, 44, "false alarms an hour", "peak", anchor="end"),
        Label(_LEFT + _WIDTH / 2, 44, "whole: test, broken: validation", "dim", anchor="middle"),
        Rect(_LEFT, _TOP, _WIDTH, _HEIGHT, "band"),
    )
    for i in range(6):
        share, cutoff = i / 5, _LEAST + i / 10
        scene.add(
            Line([(_LEFT, _y(share)), (_LEFT + _WIDTH, _y(share))], "grid"),
            Label(_LEFT - 8, _y(share) + 4, f"{100 * share:.0f} %", "good", anchor="end"),
            Label(_LEFT + _WIDTH + 8, _y(share) + 4, f"{top * share:g}", "peak"),
            Label(_x(cutoff), _TOP + _HEIGHT + 20, f"{cutoff:.1f}", "dim", anchor="middle"),
        )
    for points, broken in curves:
        scene.add(*_line(points, lambda point: point.recall, "good", broken))
        scene.add(*_line(points, lambda point: point.alarms_per_hour / top, "peak", broken))
    at = _x(result.chosen.cutoff)
    scene.add(
        Line([(at, _TOP), (at, _TOP + _HEIGHT)], "ink", 1.0, dashed=True),
        Label(at, _TOP + _HEIGHT + 40, f"cutoff {result.chosen.cutoff:.2f}", anchor="middle"),
    )
    return scene
