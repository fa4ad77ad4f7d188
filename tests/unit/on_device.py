# Runs code in MicroPython on sample models, for the tests of the runtime
# MIT license; Copyright (c) 2026 the tflm authors

import json
import struct
import textwrap
from pathlib import Path

from support.script import run_script
from tflm_tools.flat.flatten import flatten

_FUZZ = Path(__file__).parent / "device" / "fuzz.py"

# The beginning of each code; raises() returns the text of the error that a call must raise.
_PRELUDE = """
import sys
import micropython
import tflm
from tflm.errors import *


def raises(kind, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        assert type(error) is kind, "%r instead of %s" % (error, kind)
        return str(error)
    raise AssertionError("no %s was raised" % kind)
"""


def model_files(folder, model, name="model"):
    """Write a .tflite (bytes) and its .tflm to a folder; return {"FLAT": path, "TFLITE": path}."""
    paths = {}
    for key, data in (("TFLITE", model), ("FLAT", flatten(model))):
        path = folder / f"{name}.{key.lower()}"
        path.write_bytes(data)
        paths[key] = str(path)
    return paths


def device(code, heap="16M", timeout=60.0, **names):
    """Run `code` in MicroPython with `names` as variables; return the printed lines."""
    variables = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    source = _PRELUDE + variables + textwrap.dedent(code)
    return run_script(source, timeout=timeout, heap=heap).splitlines()


def run_all(models, folder, invoke=True):
    """Load, prepare and (when `invoke`) invoke each model; how many ran, and how many did not.

    The keys are "ran" and the names of errors. Fails on any other exception, on a write outside
    the arena, and on a crash.
    """
    path = folder / "models.bin"
    path.write_bytes(b"".join(struct.pack("<I", len(model)) + model for model in models))
    output = run_script(_FUZZ, str(path), "invoke" if invoke else "load")
    return json.loads(output.splitlines()[-1])
