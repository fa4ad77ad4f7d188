# tflm: kernels for LX106 (ESP8266), in an example of a new instruction set
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel files that records may name; `make tables` writes this.
FILES = """
"""
