# tflm: the version, in one place
# MIT license; Copyright (c) 2026 the tflm authors

__version__ = "1.1.0"
