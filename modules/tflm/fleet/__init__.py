# tflm.fleet: models that come signed over HTTP: pulled, tried, and only then active
# MIT license; Copyright (c) 2026 the tflm authors

from .agent import FAILED, NOTHING, REFUSED, STAGED, UPDATED, Fleet

__all__ = ("FAILED", "NOTHING", "REFUSED", "STAGED", "UPDATED", "Fleet")
