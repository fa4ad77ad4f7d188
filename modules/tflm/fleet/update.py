# tflm.fleet: The file of an update: a signed manifest, test vectors, and the model.
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..errors import TflmError
from ..micropython_port import struct
from .p256 import is_signed

# Header: magic, format, bytes of the manifest. Then follow the manifest (JSON), the signature over
# header and manifest, and what the manifest has hashes of: the vectors and the model.
HEADER = "<4sHH"
HEADER_BYTES = 8
MAGIC = b"TFLU"
FORMAT = 1
SIGNATURE_BYTES = 64
MAX_MANIFEST = 2048
MAX_NAME = 32
_MAX_VERSION = 0x7FFFFFFF
_MAX_BYTES = 0x7FFFFFFF
_SHA_DIGITS = 64
_HEX_DIGITS = "0123456789abcdef"


class UpdateError(TflmError):
    """An update that is refused; the text says why."""


def is_name(name):
    """Return True if a text can be a model's name, which becomes the name of a file."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
    is_text = isinstance(name, str) and 0 < len(name) <= MAX_NAME
    return is_text and not [letter for letter in name if letter not in letters]


def is_version(version):
    """Return True if a value can be a version."""
    return isinstance(version, int) and 0 < version <= _MAX_VERSION


class Manifest:
    """The description of an update: name and version, and sizes and hashes of its contents.

    vectors: their number. vectors_bytes, model_bytes: sizes. vectors_sha256, model_sha256: hashes
    as hex digits. before: bytes of the file before the vectors. Raises ValueError, KeyError or
    TypeError for invalid data.
    """

    def __init__(self, data, before):
        self.name = data["name"]
        self.version = data["version"]
        self.vectors = data["vectors"]["count"]
        self.vectors_bytes = data["vectors"]["bytes"]
        self.vectors_sha256 = data["vectors"]["sha256"]
        self.model_bytes = data["model"]["bytes"]
        self.model_sha256 = data["model"]["sha256"]
        self.before = before
        counts = self.vectors, self.vectors_bytes, self.model_bytes
        hashes = self.vectors_sha256, self.model_sha256
        are_counts = [isinstance(n, int) and 0 < n <= _MAX_BYTES for n in counts]
        are_hashes = [
            isinstance(h, str) and len(h) == _SHA_DIGITS and not h.strip(_HEX_DIGITS)
            for h in hashes
        ]
        if not (is_name(self.name) and is_version(self.version) and all(are_counts + are_hashes)):
            raise ValueError

    def bytes(self):
        """Return the bytes of the whole file."""
        return self.before + self.vectors_bytes + self.model_bytes


def read_manifest(read, key):
    """Return the Manifest of an update, after verifying its signature.

    read: a function of n that returns the next n bytes of the file, fewer at its end. key: the
    public key (p256). Raises UpdateError.
    """
    header = read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or header[:4] != MAGIC:
        raise UpdateError("this is no update; use tflm fleet sign")
    _, version, size = struct.unpack(HEADER, header)
    if version != FORMAT:
        raise UpdateError(
            "the update has format %d, this tflm reads format %d; sign it with the board's version"
            % (version, FORMAT)
        )
    if size > MAX_MANIFEST:
        raise UpdateError(
            "the update's manifest has %d bytes, at most %d are allowed; sign the model again"
            % (size, MAX_MANIFEST)
        )
    text = read(size)
    signature = read(SIGNATURE_BYTES)
    if len(text) < size or len(signature) < SIGNATURE_BYTES:
        raise UpdateError("the update is cut off in its manifest; copy it again")
    if not is_signed(header + text, signature, key):
        raise UpdateError(
            "the update is not signed by this key; sign it with the fleet's key and do not change "
            "it afterwards"
        )
    try:
        return Manifest(json.loads(text.decode()), HEADER_BYTES + size + SIGNATURE_BYTES)
    except (ValueError, KeyError, TypeError, RuntimeError):
        pass
    raise UpdateError("the update's manifest is invalid; sign the model again")
