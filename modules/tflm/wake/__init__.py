# tflm.wake: Wake words: run models of microWakeWord on one front end.
# MIT license; Copyright (c) 2026 the tflm authors

__all__ = ("Listener", "WakeWord", "load")

# Public names and their modules. Each is imported at its first use, so that load() can read a
# model before the heap holds the code.
_names = {"Listener": "listener", "WakeWord": "word", "load": "manifest"}
_files = ("features", "listener", "manifest", "word")


# MicroPython calls this for attributes of the package that do not exist yet.
def __getattr__(name):
    if name not in _names and name not in _files:
        raise AttributeError(name)
    file = _names.get(name, name)
    module = __import__("tflm.wake." + file, None, None, (file,))
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
