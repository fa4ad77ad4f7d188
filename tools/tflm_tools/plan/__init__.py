# tflm_tools: plan: which bytes of the arena each buffer of a flat model has, and when
# MIT license; Copyright (c) 2026 the tflm authors

from ..callable_rooms import make_callable

make_callable(__name__)
