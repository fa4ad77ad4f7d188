# tflm: TensorFlow Lite Micro in pure MicroPython.
# MIT license; Copyright (c) 2026 the tflm authors

# Import everything that a .tflm needs now, so that loading a model later is quick. The imports
# spell the full names because MicroPython would keep names that it joins from relative ones in
# the heap.
import tflm.arena
import tflm.dtypes
import tflm.errors
import tflm.flat_program
import tflm.format
import tflm.interpreter
import tflm.loading
import tflm.micropython_port
import tflm.model
import tflm.op_resolver
import tflm.program
import tflm.tensor

from .version import __version__

del tflm

# Public names and their modules; a module is imported when one of its names is first used. The
# first names are keywords: MicroPython then knows them from the start and TAB completes them. The
# names below are strings, so TAB does not import what only a .tflite on the board needs.
_names = dict(
    Arena="arena",
    ArenaError="errors",
    InputError="errors",
    Interpreter="interpreter",
    ModelError="errors",
    OpResolver="op_resolver",
    Profiler="introspection.profiler",
    StateError="errors",
    Tensor="tensor",
    TflmError="errors",
    UnsupportedError="errors",
    load="loading",
)
_names["GreedyMemoryPlanner"] = "tflite.planner"
_names["MicroAllocator"] = "tflite.allocator"
_names["MicroContext"] = "tflite.context"
_names["SingleArenaBufferAllocator"] = "arena"

__all__ = ("__version__", "help") + tuple(_names)

# Modules that `from tflm import NAME` finds. Some are imported above as well: after an import that
# ran out of memory, modules exist that their package does not name. MicroPython's TAB and dir()
# ask for every word that the firmware knows, so no other name may start an import.
_files = (
    "dtypes",
    "errors",
    "features",
    "flat_program",
    "format",
    "learner",
    "litert",
    "ml",
    "op_resolver",
    "wake",
)


# help() and help(tflm) print the same text; without __repr__, help(tflm) would list the module.
class _Help:
    def __call__(self):
        """Print how to use tflm, in at most 80 columns."""
        print(self)

    def __repr__(self):
        from .introspection.usage import TEXT

        return TEXT


help = _Help()


# MicroPython calls this for attributes of the package that do not exist yet.
def __getattr__(name):
    if name not in _names and name not in _files:
        raise AttributeError(name)
    file = _names.get(name, name)
    module = __import__("tflm." + file, None, None, (file,))
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
