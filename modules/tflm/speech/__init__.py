# tflm.speech: Voice detection and spoken words: models on log-mel features, one iterator for both.
# MIT license; Copyright (c) 2026 the tflm authors

__all__ = (
    "Clips", "Denoiser", "Listener", "LogMel", "PwmSpeaker", "Segmenter", "Settings",
    "SpeechDetector", "Vocoder", "Voice", "WordRecognizer", "listen", "load",
)  # fmt: skip

# Public names and their modules. Each is imported at its first use, so that load() can read a
# model before the heap holds the code.
_names = {
    "Clips": "play",
    "Denoiser": "denoise",
    "Listener": "listener",
    "LogMel": "log_mel",
    "PwmSpeaker": "play",
    "Segmenter": "segmenter",
    "Settings": "log_mel",
    "SpeechDetector": "detector",
    "Vocoder": "vocoder",
    "Voice": "voice",
    "WordRecognizer": "recognizer",
    "listen": "listener",
    "load": "metadata",
}
_files = (
    "denoise",
    "detector",
    "listener",
    "log_mel",
    "mel",
    "metadata",
    "play",
    "recognizer",
    "segmenter",
    "sound",
    "suppression",
    "synthesis",
    "vocoder",
    "voice",
)


# MicroPython calls this for attributes of the package that do not exist yet.
def __getattr__(name):
    if name not in _names and name not in _files:
        raise AttributeError(name)
    file = _names.get(name, name)
    module = __import__("tflm.speech." + file, None, None, (file,))
    value = getattr(module, name) if name in _names else module
    globals()[name] = value
    return value
