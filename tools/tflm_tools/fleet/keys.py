# tflm_tools: fleet: makes and reads the ECDSA P-256 keys that sign models
# MIT license; Copyright (c) 2026 the tflm authors

import os
from contextlib import suppress
from pathlib import Path

from tflm.fleet.p256 import is_key

from .. import files
from ..errors import ToolError
from ..extras import installing

_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_BYTES = 32
PUBLIC_SUFFIX = ".pub"


# Modules of the package cryptography.
def _cryptography():
    try:
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
    except ImportError:
        raise ToolError(
            f"signing requires the package cryptography; install it with: {installing('fleet')}"
        ) from None
    return hashes, serialization, ec, utils


# x and y of a public key: the 64 bytes that boards store.
def _point(key):
    numbers = key.public_numbers()
    return numbers.x.to_bytes(_BYTES, "big") + numbers.y.to_bytes(_BYTES, "big")


def generate(path):
    """Make a key pair; return the path of the public key.

    The private key is written to `path` as PEM, the public key to a file with the suffix .pub as
    128 hex digits. Raises ToolError if one of the files exists: no key is ever replaced. If a file
    cannot be written, no file remains.
    """
    _, serialization, ec, _ = _cryptography()
    path = Path(path)
    if not path.name or path.suffix == PUBLIC_SUFFIX:
        raise ToolError(
            f"{path} cannot name the private key, as the public key ends in {PUBLIC_SUFFIX}; give "
            "a name like fleet.key"
        )
    public = path.with_suffix(PUBLIC_SUFFIX)
    _check_new(path, public)
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    # The public key comes first: an interruption may leave it alone, but never a private key whose
    # public key is lost.
    files.write(public, (_point(key.public_key()).hex() + "\n").encode())
    try:
        files.create_private(path, text)
    except BaseException:
        with suppress(OSError):
            os.remove(public)
        raise
    return public


# Raise ToolError if a file of the new key pair exists.
def _check_new(path, public):
    if os.path.lexists(path):
        raise ToolError(f"{path} exists, and boards may use its key; name another file")
    if os.path.lexists(public):
        raise ToolError(
            f"{public} exists without {path}; remove it if no board uses its key, or name another "
            "file"
        )


def load_private(path):
    """Return the private key of a PEM file from generate() or another tool. Raises ToolError."""
    _, serialization, ec, _ = _cryptography()
    try:
        key = serialization.load_pem_private_key(files.read(path), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(getattr(key, "curve", None), ec.SECP256R1):
        raise ToolError(
            f"{path} is not a private key for P-256 without a password; make one with: "
            "tflm fleet keygen"
        )
    return key


def load_public(path):
    """Return the 64 bytes of a .pub file. Raises ToolError."""
    try:
        key = bytes.fromhex(files.read(path).decode("ascii"))
    except ValueError:
        key = b""
    if not is_key(key):
        raise ToolError(f"{path} is not a public key; give the .pub of tflm fleet keygen")
    return key


def sign(key, message):
    """Return (signature of 64 bytes, public key of 64 bytes) of a message and a private key."""
    hashes, _, ec, utils = _cryptography()
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    s = min(s, _ORDER - s)  # boards accept only the smaller of the two valid values
    return r.to_bytes(_BYTES, "big") + s.to_bytes(_BYTES, "big"), _point(key.public_key())
