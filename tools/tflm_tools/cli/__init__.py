# tflm_tools: cli: command `tflm`; command.py has it, the files beside hold more of its commands
# MIT license; Copyright (c) 2026 the tflm authors

from .command import cli, main

__all__ = ["cli", "main"]
