# tflm_tools: runs the command `tflm` as `python -m tflm_tools`
# MIT license; Copyright (c) 2026 the tflm authors

from .cli import main

main()
