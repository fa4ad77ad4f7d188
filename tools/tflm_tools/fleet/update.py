# tflm_tools: fleet: makes and verifies updates, which are signed models with test vectors
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
from ..measure.examples import ReadOptions
from ..model.model_file import open_model
from ..port import invocation
from . import keys

_MAX_VECTOR_BYTES = 1 << 20  # a board stores them with the model until it has tested the model


@dataclass
class Update:
    """A signed update; sizes in bytes. key: the public key of its signature, as hex."""

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


# The bytes of the inputs of each test vector: examples of a data set, or random inputs and one
# with extreme values. source, flat: ModelFiles of the model and of its .tflm.
def _inputs(source, flat, data, count):
    if data:
        options = ReadOptions(limit=count, with_targets=False)
        arrays = dataset.read(data, source.inputs, source.outputs, options).arrays
        arrays.pop("y", None)
        examples = dataset.from_arrays(
            arrays, source.inputs, source.outputs, count, with_targets=False, name=data
        )
        runs = examples.runs
    else:
        cases = make_cases(source.inputs, count - 1, 0)
        runs = [case.inputs for case in [*cases[: count - 1], cases[-1]]]
    return [input_bytes(run, flat.inputs) for run in runs]


# The test vectors (bytes) of a flat model: inputs and outputs of each run in the unix port.
# Variables keep their values from one run to the next, as on the board.
def _vectors(flat, inputs, custom, timeout):
    try:
        options = invocation.InvokeOptions(custom=custom, timeout=timeout)
        _, outputs, _ = invocation.invoke(flat, b"".join(inputs), options, len(inputs))
    except DeviceError as error:
        raise ToolError(
            f"the model does not run on this computer, so it has no test vectors: {error}; for a "
            "model of another instruction set give its .tflite, and --target"
        ) from None
    size = len(outputs) // len(inputs)
    by_run = [outputs[at : at + size] for at in range(0, len(outputs), size)]
    return b"".join(a + b for a, b in zip(inputs, by_run, strict=True))


def pack(private, name, version, count, vectors, model):
    """Return (bytes of an update, public key).

    private: the private key. count, vectors: number and bytes of the test vectors. model: bytes.
    """
    manifest = {
        "name": name,
        "version": version,
        "tflm": __version__,
        "vectors": {"count": count, "bytes": len(vectors), "sha256": _sha256(vectors)},
        "model": {"bytes": len(model), "sha256": _sha256(model)},
    }
    text = json.dumps(manifest, separators=(",", ":")).encode()
    signed = struct.pack(layout.HEADER, layout.MAGIC, layout.FORMAT, len(text)) + text
    signature, public = keys.sign(private, signed)
    return signed + signature + vectors + model, public


@dataclass(frozen=True)
class SignOptions:
    """How sign() makes an update.

    vectors: number of test vectors, from the data set `data` (as for `tflm eval`) or with random
    inputs. target: flatten a .tflite for this instruction set. custom: Python files that register
    custom operators. timeout: seconds for the test vectors.
    """

    vectors: int = 4
    data: str | None = None
    target: str | None = None
    custom: tuple[str, ...] = ()
    timeout: float | None = None


def sign(path, key, version, output=None, name=None, **options):
    """Write the signed update of a .tflm or .tflite and return an Update.

    key: the file of the private key. version: must be higher than the versions that boards have.
    output: the file; by default NAME-VERSION.tflu. name: the model's name; by default the file's
    name. options: the fields of SignOptions. Raises ToolError.
    """
    options = SignOptions(**options)
    target, custom = options.target, options.custom
    private = keys.load_private(key)
    name = re.sub(r"\W", "_", Path(path).stem, flags=re.ASCII) if name is None else name
    if not layout.is_name(name):
        raise ToolError(
            f"{name!r} is not a valid model name; give --name 1 to {layout.MAX_NAME} letters, "
            "digits and _"
        )
    if not layout.is_version(version):
        raise ToolError(
            f"{version} is not a valid version; give --version a number from 1 to 2147483647"
        )
    output = output or f"{name}-{version}.tflu"
    files.check_output(output, path, key, options.data, *custom)
    source = open_model(path)
    if source.kind == "tflm" and target:
        raise ToolError(f"{path} is a .tflm already; --target needs the .tflite it was made from")
    resolver = load_resolver(custom)
    local = source.data if source.kind == "tflm" else flatten(source.data, resolver)
    model = flatten(source.data, resolver, target=target) if target else local
    flat = open_model(path, local)
    if any(info.by_rows for info in flat.inputs):
        raise ToolError(
            "the model reads its input by rows, which test vectors do not support; flatten it "
            "without --input-by-rows"
        )
    inputs = _inputs(source, flat, options.data, options.vectors)
    tests = _vectors(local, inputs, custom, options.timeout)
    if len(tests) > _MAX_VECTOR_BYTES:
        raise ToolError(
            f"the {len(inputs)} test vectors have {len(tests):,} bytes, more than 1 MB; give "
            "--vectors a smaller number"
        )
    packed, public = pack(private, name, version, len(inputs), tests, model)
    files.write(output, packed)
    return verify(output, public)


def verify(path, public):
    """Return the Update in a file after checking its signature and its completeness.

    public: the public key, 64 bytes. The code of the board reads the file. Raises UpdateError and
    ToolError.
    """
    data = files.read(path)
    stream = io.BytesIO(data)
    manifest = layout.read_manifest(stream.read, public)
    tests, model = stream.read(manifest.vectors_bytes), stream.read(manifest.model_bytes)
    if len(data) != manifest.bytes():
        raise ToolError(
            f"{path} has {len(data):,} bytes, {manifest.bytes():,} were signed; copy it again"
        )
    if _sha256(tests) != manifest.vectors_sha256:
        raise ToolError(f"the test vectors in {path} differ from the signed ones; copy it again")
    if _sha256(model) != manifest.model_sha256:
        raise ToolError(f"the model in {path} differs from the signed one; copy it again")
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
