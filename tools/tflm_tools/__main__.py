# tflm_tools: `python -m tflm_tools` is the command `tflm`
# MIT license; Copyright (c) 2026 the tflm authors

from .cli import main

main()
