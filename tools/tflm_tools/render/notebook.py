# tflm_tools: render: lets notebooks show a result as the command prints it
# MIT license; Copyright (c) 2026 the tflm authors

from importlib import import_module

from . import common

_WIDTH = 100
_PAGE = '<pre style="font-family:monospace;line-height:1.2">{code}</pre>'


class Shown:
    """Mixin for results; `_shown` is (module of this package, its function that prints them)."""

    _shown = ("", "")

    def _repr_html_(self):
        file, function = self._shown
        target = common.recorder(_WIDTH)
        getattr(import_module(f".{file}", __package__), function)(self, target)
        return target.export_html(inline_styles=True, code_format=_PAGE)
