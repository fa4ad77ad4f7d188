# tflm_tools: rooms that are functions, too: tflm_tools.run(MODEL, ...), tflm_tools.plan(MODEL)
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from importlib import import_module
from types import ModuleType


# A room whose name is that of a function of api.py. Python sets a package's attribute to the room
# once it is imported, so the room itself has to be callable.
class _Room(ModuleType):
    def __call__(self, *arguments, **options):
        package, _, name = self.__name__.rpartition(".")
        return getattr(import_module(f"{package}.api"), name)(*arguments, **options)


def make_callable(name):
    """Let the room (module) of this name be called as the function of api.py of its name."""
    sys.modules[name].__class__ = _Room
