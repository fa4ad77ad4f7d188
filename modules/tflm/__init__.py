# tflm: TensorFlow Lite Micro in pure MicroPython
# MIT license; Copyright (c) 2026 the tflm authors

from .version import __version__

# Public names and the files they come from; a file is loaded when its name is first used.
_names = {
    "Arena": "arena",
    "ArenaError": "errors",
    "GreedyMemoryPlanner": "planner",
    "InputError": "errors",
    "Interpreter": "interpreter",
    "MicroAllocator": "allocator",
    "MicroContext": "context",
    "ModelError": "errors",
    "OpResolver": "op_resolver",
    "Profiler": "profiler",
    "SingleArenaBufferAllocator": "arena",
    "StateError": "errors",
    "Tensor": "tensor",
    "TflmError": "errors",
    "UnsupportedError": "errors",
    "load": "interpreter",
}

__all__ = ("__version__",) + tuple(_names)


# Called for names that are not loaded yet, those of this package's files included.
def __getattr__(name):
    file = _names.get(name, name)
    try:
        module = __import__("tflm." + file, None, None, (file,))
    except ImportError:
        if name in _names:
            raise
        raise AttributeError(name) from None
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
