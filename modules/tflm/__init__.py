# tflm: TensorFlow Lite Micro in pure MicroPython
# MIT license; Copyright (c) 2026 the tflm authors

# What each .tflm needs is loaded now, so that a model itself is loaded quickly. Full names: those
# that MicroPython has to put together from relative ones would be kept in the heap.
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

# Public names and the files they come from; a file is loaded when its name is first used. Written
# as keywords, MicroPython knows the names from the start, and TAB finds them. Those below are
# strings on purpose: TAB need not load what only a .tflite on the board needs.
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

# Files that `from tflm import NAME` finds; some of those above, too, as an import that ran out of
# memory leaves files of which the next one has no names. MicroPython's TAB and dir() ask for every
# word that the firmware knows, so nothing else may be looked for, let alone loaded.
_files = (
    "dtypes",
    "errors",
    "flat_program",
    "format",
    "learner",
    "litert",
    "ml",
    "op_resolver",
    "wake",
)


# Prints how tflm is used; help(tflm), which prints what is in this file, shows the same.
class _Help:
    def __call__(self):
        """Print how tflm is used, in a screen of 80 columns."""
        print(self)

    def __repr__(self):
        from .introspection.usage import TEXT

        return TEXT


help = _Help()


# Called for names that are not loaded yet.
def __getattr__(name):
    if name not in _names and name not in _files:
        raise AttributeError(name)
    file = _names.get(name, name)
    module = __import__("tflm." + file, None, None, (file,))
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
