# tflm_tools: fleet: the keys that sign models: ECDSA over P-256, private ones as PEM
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

from tflm.fleet.p256 import is_key

from .. import files
from ..errors import ToolError
from ..extras import installing

_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_BYTES = 32
PUBLIC_SUFFIX = ".pub"


# The parts of the package cryptography that make keys and signatures.
def _cryptography():
    try:
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
    except ImportError:
        raise ToolError(
            f"signing needs the package cryptography; install it with: {installing('fleet')}"
        ) from None
    return hashes, serialization, ec, utils


# x and y of a public key, as boards have it.
def _point(key):
    numbers = key.public_numbers()
    return numbers.x.to_bytes(_BYTES, "big") + numbers.y.to_bytes(_BYTES, "big")


def generate(path):
    """Write a new private key to `path`, the public one beside it as 128 hex digits; that's path.

    Raises ToolError where one of the files is there: no key is ever replaced.
    """
    _, serialization, ec, _ = _cryptography()
    public = Path(path).with_suffix(PUBLIC_SUFFIX)
    for each in (Path(path), public):
        if each.exists():
            raise ToolError(f"{each} is there already; boards know its key, so name another file")
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error.strerror}; check the folder") from None
    with open(file, "wb") as stream:
        stream.write(text)
    files.write(public, (_point(key.public_key()).hex() + "\n").encode())
    return public


def load_private(path):
    """The private key of a PEM file of `generate` or of another tool; raises ToolError."""
    _, serialization, ec, _ = _cryptography()
    try:
        key = serialization.load_pem_private_key(files.read(path), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(getattr(key, "curve", None), ec.SECP256R1):
        raise ToolError(
            f"{path} is no private key for P-256 without a password; make one with: "
            "tflm fleet keygen"
        )
    return key


def load_public(path):
    """The 64 bytes of a .pub file; raises ToolError."""
    try:
        key = bytes.fromhex(files.read(path).decode("ascii"))
    except ValueError:
        key = b""
    if not is_key(key):
        raise ToolError(f"{path} is no public key; give the .pub that tflm fleet keygen wrote")
    return key


def sign(key, message):
    """(signature of 64 bytes, public key of 64 bytes) with a private key."""
    hashes, _, ec, utils = _cryptography()
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    s = min(s, _ORDER - s)  # boards take only the smaller of the two
    return r.to_bytes(_BYTES, "big") + s.to_bytes(_BYTES, "big"), _point(key.public_key())
