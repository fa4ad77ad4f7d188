# tflm.text: Language models: split a text into tokens, choose the next token, write texts.
# MIT license; Copyright (c) 2026 the tflm authors

__all__ = ("Generator", "Sampler", "Vocabulary")

# Public names and their modules. Each is imported at its first use.
_names = {"Generator": "generator", "Sampler": "sampler", "Vocabulary": "vocabulary"}
_files = ("generator", "sampler", "vocabulary")


# MicroPython calls this for attributes of the package that do not exist yet.
def __getattr__(name):
    if name not in _names and name not in _files:
        raise AttributeError(name)
    file = _names.get(name, name)
    module = __import__("tflm.text." + file, None, None, (file,))
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
