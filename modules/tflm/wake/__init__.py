# tflm.wake: Wake words: run models of microWakeWord on one front end.
# MIT license; Copyright (c) 2026 the tflm authors

from .listener import Listener
from .manifest import load
from .word import WakeWord

__all__ = ("Listener", "WakeWord", "load")
