# tflm_tools: from a .tflite file to a .tflm file, with the sizes that come out
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from . import files
from .custom import load_resolver
from .errors import ToolError
from .flat_file import FlatFile
from .flatten import flatten
from .model_file import open_model
from .plan import tflm_head_bytes


@dataclass
class Conversion:
    """What `tflm flatten` made; sizes in bytes. `tflm_head_bytes`: TFLM's plan of the tensors."""

    source: str
    output: str
    tflite_bytes: int
    flat_bytes: int
    arena_bytes: int
    tflm_head_bytes: int


# The .tflite of a path; a .tflm cannot be converted again.
def open_tflite(path, what):
    model = open_model(path)
    if model.kind != "tflite":
        raise ToolError(f"{path} is a .tflm already; {what} needs the .tflite it was made from")
    return model


def convert(source, output, keep_tensors=False, custom=(), target=None, flash_budget=None):
    """Flatten the .tflite `source` into the file `output`.

    keep_tensors: each tensor gets a place of its own, to be read after invoke.
    custom: Python files that register custom operators.
    target, flash_budget: as for flatten.flatten().
    Raises TflmError for a model that cannot be flattened and for files.
    """
    from tflm.tflite import TfliteModel

    model = open_tflite(source, "flatten")
    flat = flatten(model.data, load_resolver(custom), keep_tensors, target, flash_budget)
    files.write(output, flat)
    return Conversion(
        source=str(source),
        output=str(output),
        tflite_bytes=len(model.data),
        flat_bytes=len(flat),
        arena_bytes=FlatFile(flat).arena_bytes,
        tflm_head_bytes=tflm_head_bytes(TfliteModel(model.data)),
    )
