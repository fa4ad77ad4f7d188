# tflm.fleet: Signed model updates over HTTP: download, trial, activation, rollback.
# MIT license; Copyright (c) 2026 the tflm authors

from .agent import FAILED, NOTHING, REFUSED, STAGED, UPDATED, Fleet

__all__ = ("FAILED", "NOTHING", "REFUSED", "STAGED", "UPDATED", "Fleet")
