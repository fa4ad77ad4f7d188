# tflm_tools: fleet: updates: a model with its test vectors, signed; and whether a file is one
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import io
import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from tflm.fleet import update as layout
from tflm.version import __version__

from .. import files
from ..check.cases import make_cases
from ..errors import DeviceError, ToolError
from ..execution.device_model import input_bytes
from ..flat.flatten import flatten
from ..image.custom import load_resolver
from ..measure import dataset
from ..model.model_file import open_model
from ..port import invocation
from . import keys

_MOST_VECTOR_BYTES = 1 << 20  # a board keeps them beside the model until it has tried it


@dataclass
class Update:
    """A signed update: sizes in bytes; key: the public key that it is signed with, as hex."""

    path: str
    name: str
    version: int
    bytes: int
    model_bytes: int
    vectors: int
    vectors_bytes: int
    sha256: str
    key: str


def _sha256(data):
    return hashlib.sha256(data).hexdigest()


# Inputs of the vectors, as a board gets them, run by run: those of a data set, or random ones and
# one of extremes. told: what the flat model says of its inputs.
def _inputs(source, told, data, count):
    if data:
        runs = dataset.load(data, source.inputs, source.outputs, limit=count).runs[:count]
    else:
        cases = make_cases(source.inputs, count - 1, 0)
        runs = [case.inputs for case in [*cases[: count - 1], cases[-1]]]
    return [input_bytes(run, told.inputs) for run in runs]


# The vectors of a flat model, which MicroPython runs here: inputs and outputs, one run after the
# other. A model with state goes on from one to the next, as it will on the board.
def _vectors(flat, inputs, custom, timeout):
    try:
        _, outputs, _ = invocation.invoke(
            flat, b"".join(inputs), len(inputs), custom=custom, timeout=timeout
        )
    except DeviceError as error:
        raise ToolError(
            f"the model does not run here, so it has no test vectors: {error}; for a model of "
            "another instruction set give its .tflite, and --target"
        ) from None
    size = len(outputs) // len(inputs)
    parts = [outputs[at : at + size] for at in range(0, len(outputs), size)]
    return b"".join(a + b for a, b in zip(inputs, parts, strict=True))


def pack(private, name, version, count, vectors, model):
    """(bytes of an update, public key) of a model and `count` vectors, with a private key."""
    said = {
        "name": name,
        "version": version,
        "tflm": __version__,
        "vectors": {"count": count, "bytes": len(vectors), "sha256": _sha256(vectors)},
        "model": {"bytes": len(model), "sha256": _sha256(model)},
    }
    text = json.dumps(said, separators=(",", ":")).encode()
    signed = struct.pack(layout.HEADER, layout.MAGIC, layout.FORMAT, len(text)) + text
    signature, public = keys.sign(private, signed)
    return signed + signature + vectors + model, public


def sign(path, key, version, output=None, name=None, vectors=4, data=None, target=None,
         custom=(), timeout=None):  # fmt: skip
    """Write the signed update of a .tflm, or of a .tflite flattened for `target`: an Update.

    key: the file of the private key. version: higher than that of any model that boards have.
    output: the file, NAME-VERSION.tflu here if it is None. name: of the model, the file's own if
    it is None. vectors: how many inputs, from the data set `data` (as `tflm eval` takes it), or
    made up. Raises ToolError.
    """
    private = keys.load_private(key)
    name = re.sub(r"\W", "_", Path(path).stem, flags=re.ASCII) if name is None else name
    if not layout.is_name(name):
        raise ToolError(
            f"{name!r} cannot be a model's name; give --name: 1 to {layout.MOST_NAME} letters, "
            "digits and _"
        )
    if not layout.is_version(version):
        raise ToolError(
            f"{version} is no version; give a whole number from 1 to 2147483647 to --version"
        )
    output = output or f"{name}-{version}.tflu"
    files.check_output(output, path, key)
    source = open_model(path)
    if source.kind == "tflm" and target:
        raise ToolError(f"{path} is a .tflm already; --target needs the .tflite it was made from")
    resolver = load_resolver(custom)
    here = source.data if source.kind == "tflm" else flatten(source.data, resolver)
    model = flatten(source.data, resolver, target=target) if target else here
    told = open_model(path, here)
    if any(info.by_rows for info in told.inputs):
        raise ToolError(
            "the model's input comes by rows, which no test vector does; flatten it without "
            "--input-by-rows"
        )
    inputs = _inputs(source, told, data, vectors)
    tests = _vectors(here, inputs, custom, timeout)
    if len(tests) > _MOST_VECTOR_BYTES:
        raise ToolError(
            f"the {len(inputs)} test vectors have {len(tests):,} bytes, 1 MB is the most; give a "
            "smaller number to --vectors"
        )
    packed, public = pack(private, name, version, len(inputs), tests, model)
    files.write(output, packed)
    return verify(output, public)


def verify(path, public):
    """The Update in a file, when it is whole and signed by the owner of a key (64 bytes).

    It is read with the board's own code. Raises UpdateError, ToolError.
    """
    data = files.read(path)
    stream = io.BytesIO(data)
    manifest = layout.read_manifest(stream.read, public)
    tests, model = stream.read(manifest.vectors_bytes), stream.read(manifest.model_bytes)
    if len(data) != manifest.bytes():
        raise ToolError(
            f"{path} has {len(data):,} bytes, {manifest.bytes():,} were signed; copy it again"
        )
    for part, wanted, what in (
        (tests, manifest.vectors_sha256, "test vectors"),
        (model, manifest.model_sha256, "model"),
    ):
        if _sha256(part) != wanted:
            raise ToolError(f"the {what} in {path} are not what was signed; copy it again")
    return Update(
        path=str(path),
        name=manifest.name,
        version=manifest.version,
        bytes=len(data),
        model_bytes=len(model),
        vectors=manifest.vectors,
        vectors_bytes=len(tests),
        sha256=_sha256(data),
        key=public.hex(),
    )
