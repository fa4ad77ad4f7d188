# tflm.fleet: the file of an update: a signed manifest, then test vectors, then the model
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..errors import TflmError
from ..micropython_port import struct
from .p256 import is_signed

# Magic, version of this format, bytes of the manifest; the manifest, JSON; the signature over all
# before it; then what the manifest has the hashes of: the vectors, and the model.
HEADER = "<4sHH"
HEADER_BYTES = 8
MAGIC = b"TFLU"
FORMAT = 1
SIGNATURE_BYTES = 64
MOST_MANIFEST = 2048
MOST_NAME = 32
_MOST_VERSION = 0x7FFFFFFF
_MOST_BYTES = 0x7FFFFFFF
_SHA_DIGITS = 64


class UpdateError(TflmError):
    """An update that is not taken; the text says why."""


def is_name(name):
    """True for what may be a model's name: it becomes the name of a file."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
    is_text = isinstance(name, str) and 0 < len(name) <= MOST_NAME
    return is_text and not [letter for letter in name if letter not in letters]


def is_version(version):
    """True for a whole number that may be a version."""
    return isinstance(version, int) and 0 < version <= _MOST_VERSION


class Manifest:
    """What an update says of itself: name, version, and of vectors and model what they are.

    vectors: how many. vectors_bytes, model_bytes: their sizes; vectors_sha256, model_sha256: their
    hashes, as hex digits. before: bytes of the file before the vectors.
    """

    def __init__(self, said, before):
        self.name = said["name"]
        self.version = said["version"]
        self.vectors = said["vectors"]["count"]
        self.vectors_bytes = said["vectors"]["bytes"]
        self.vectors_sha256 = said["vectors"]["sha256"]
        self.model_bytes = said["model"]["bytes"]
        self.model_sha256 = said["model"]["sha256"]
        self.before = before
        counts = self.vectors, self.vectors_bytes, self.model_bytes
        hashes = self.vectors_sha256, self.model_sha256
        are_counts = [isinstance(n, int) and 0 < n <= _MOST_BYTES for n in counts]
        are_hashes = [isinstance(h, str) and len(h) == _SHA_DIGITS for h in hashes]
        if not (is_name(self.name) and is_version(self.version) and all(are_counts + are_hashes)):
            raise ValueError

    def bytes(self):
        """Bytes of the whole file."""
        return self.before + self.vectors_bytes + self.model_bytes


def read_manifest(read, key):
    """The Manifest of an update, whose bytes `read(n)` gives: n of them, fewer at the end.

    Nothing of it is looked at before its signature by the owner of `key` (p256) has been. Raises
    UpdateError.
    """
    header = read(HEADER_BYTES)
    if len(header) < HEADER_BYTES or header[:4] != MAGIC:
        raise UpdateError("this is no update; make one with: tflm fleet sign")
    _, form, size = struct.unpack(HEADER, header)
    if form != FORMAT:
        raise UpdateError(
            "the update is of format %d, this tflm knows %d; sign it with the tflm of the board"
            % (form, FORMAT)
        )
    if size > MOST_MANIFEST:
        raise UpdateError(
            "the update's manifest has %d bytes, %d are allowed; sign the model again"
            % (size, MOST_MANIFEST)
        )
    text = read(size)
    signature = read(SIGNATURE_BYTES)
    if len(text) < size or len(signature) < SIGNATURE_BYTES:
        raise UpdateError("the update is cut off in its manifest; copy it again")
    if not is_signed(header + text, signature, key):
        raise UpdateError(
            "the update is not signed by this key; sign it with the fleet's own, and leave it as "
            "it is then"
        )
    try:
        return Manifest(json.loads(text.decode()), HEADER_BYTES + size + SIGNATURE_BYTES)
    except (ValueError, KeyError, TypeError, RuntimeError):
        pass
    raise UpdateError("the update's manifest is not as tflm writes it; sign the model again")
