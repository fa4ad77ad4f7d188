# Builds updates for the tests of tflm.fleet: small models with vectors, signed by test keys
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec
from tflm.fleet import update as layout
from tflm_tools.flat.flatten import flatten
from tflm_tools.fleet import keys, update
from tflm_tools.port import invocation
from unit import sample_models

NAME = "gestures"
KEY = ec.derive_private_key(0x7F1E, ec.SECP256R1())
OTHER_KEY = ec.derive_private_key(0x7F1F, ec.SECP256R1())
PUBLIC, OTHER_PUBLIC = keys.sign(KEY, b"")[1], keys.sign(OTHER_KEY, b"")[1]
INPUT = bytes(range(12))
_INPUTS = [INPUT, bytes(12), bytes(range(200, 212))]


@cache
def model(version):
    """Return the .tflm of a version; its weights depend on the version."""
    return flatten(sample_models.classifier(seed=version))


@cache
def vectors(flat):
    """Return test vectors of a .tflm, as bytes."""
    _, outputs, _ = invocation.invoke(flat, b"".join(_INPUTS), runs=len(_INPUTS))
    size = len(outputs) // len(_INPUTS)
    expected = [outputs[at : at + size] for at in range(0, len(outputs), size)]
    return b"".join(a + b for a, b in zip(_INPUTS, expected, strict=True))


def pack(version, flat=None, tests=None, name=NAME, key=KEY, count=3):
    """Return the bytes of an update, valid except for the arguments."""
    flat = model(version) if flat is None else flat
    tests = vectors(flat) if tests is None else tests
    return update.pack(key, name, version, count, tests, flat)[0]


def sign_text(text, key=KEY, version=layout.FORMAT):
    """Return an update with any bytes as manifest and a valid signature."""
    signed = struct.pack(layout.HEADER, layout.MAGIC, version, len(text)) + text
    return signed + keys.sign(key, signed)[0]


def manifest_bytes(packed):
    """Return the number of bytes before the vectors of an update."""
    return layout.HEADER_BYTES + struct.unpack_from(layout.HEADER, packed)[2] + 64
