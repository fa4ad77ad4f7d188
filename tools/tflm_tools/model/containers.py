# tflm_tools: model: finds the model inside a C source file, a zip archive or a gzip file
# MIT license; Copyright (c) 2026 the tflm authors

import gzip
import io
import re
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from tflm.errors import ModelError
from tflm.model import is_flat
from tflm.tflite.reader import is_tflite

from .labels import archived_labels, with_labels
from .signature_choice import choose_signature

SOURCE_SUFFIXES = (".h", ".hh", ".hpp", ".c", ".cc", ".cpp", ".cxx", ".ino")
MAX_MODEL_BYTES = 1 << 28  # of all models that one file unpacks to
MAX_SOURCE_BYTES = 1 << 26  # of C source; a byte of the model has five or six characters
MAX_MEMBERS = 10_000  # of a zip archive
_MAX_LABEL_BYTES = 1 << 20
_LISTED = 8  # names in an error message
_GZIP = b"\x1f\x8b"  # the first bytes of a gzip file
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OSError, RuntimeError,
    NotImplementedError,
)  # fmt: skip

# One array definition: its name, and the text between the braces. Comments are removed before.
# The limits in the patterns keep hostile text from taking quadratic time.
_ARRAY = re.compile(
    r"\b([A-Za-z_]\w{,200})\s{,9}\[[^\]\n]{,200}\][^={};]{,200}=\s{,200}\{([^{}]*)\}"
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.S)
_NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]{1,8}|\d{1,9})[uUlL]{,3}")


def split_name(path):
    """Return (path, name) of "file.h#name"; the name is "" if `path` names a file as a whole."""
    text = str(path)
    file, mark, name = text.rpartition("#")
    if mark and file and name and not Path(text).exists():
        return type(path)(file), name
    return path, ""


def find_model(path, data, name=""):
    """Return the bytes of the model in a file.

    path: of the file, for its suffix and for messages. data: the content (bytes) of the file: a
    .tflite or .tflm, C source with an array, a zip archive (Teachable Machine's, an Edge Impulse
    library) or a gzip file. name: the array or member to take, if there are several; of a .tflite
    the signature to run.
    C source is parsed as text; nothing is compiled or run, and nothing is unpacked to a file.
    Labels (labels*.txt) beside a .tflite in a zip archive are appended to the model in the format
    of TFLite Metadata. Raises ModelError if there is no model, or more than one without `name`.
    """
    if is_tflite(data) and name:
        return choose_signature(path, data, name)
    if is_flat(data) or is_tflite(data):
        return data
    if data[:2] == _GZIP:
        unpacked = _gunzip(path, data)
        if unpacked[:2] == _GZIP:
            raise ModelError(
                f"{path} is a gzip file of a gzip file; unpack it, and give the .tflite"
            )
        return find_model(Path(path).with_suffix(""), unpacked, name)
    if data[:4] == b"PK\x03\x04":
        return _from_zip(path, data, name)
    if Path(path).suffix.lower() in SOURCE_SUFFIXES:
        return _from_source(path, data, name)
    return data


def _listed(names):
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


# The model that `name` means, or the only one, of {name: bytes}.
def _choose(path, models, name, kind, others):
    if name:
        fits = [key for key in models if key == name or PurePosixPath(key).name == name]
        if len(fits) == 1:
            return models[fits[0]]
        found = _listed(models) or "none"
        raise ModelError(f"{path} has no model {name}; its models are: {found}")
    if len(models) == 1:
        return next(iter(models.values()))
    if models:
        first = next(iter(models))
        raise ModelError(
            f"{path} has {len(models)} models ({_listed(models)}); name one, like {path}#{first}"
        )
    others = _listed(others)
    found = f"it has {kind}s {others}" if others else f"it has no {kind}"
    raise ModelError(f"{path} has no model: {found}; give the file that holds a .tflite")


def _gunzip(path, data):
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(MAX_MODEL_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise ModelError(f"{path} is a damaged gzip file; get it again") from None
    if len(found) > MAX_MODEL_BYTES:
        raise ModelError(
            f"{path} unpacks to more than {MAX_MODEL_BYTES >> 20} MB; give the unpacked .tflite"
        )
    return found


# The bytes of the text between the braces of an array, or None if it holds something else.
def _numbers(text):
    words = text.split(",")
    if words and not words[-1].strip():
        words.pop()
    found = bytearray()
    for word in words:
        word = word.strip()
        if not _NUMBER.fullmatch(word):
            return None
        word = word.rstrip("uUlL")
        is_octal = re.fullmatch(r"[-+]?0[0-7]+", word)
        value = int(word, 8 if is_octal else 16 if "x" in word.lower() else 10)
        if not -128 <= value <= 255:
            return None
        found.append(value & 255)
    return bytes(found)


def _arrays(path, data):
    if len(data) > MAX_SOURCE_BYTES:
        raise ModelError(f"{path} has more than {MAX_SOURCE_BYTES >> 20} MB; give the .tflite")
    text = _COMMENT.sub(" ", data.decode("utf-8", "replace"))
    return {match[1]: match[2] for match in _ARRAY.finditer(text)}


# {name: bytes} of the arrays of C source that hold a model, and the names of all arrays.
def _source_models(path, data):
    arrays = _arrays(path, data)
    models = {}
    for name, text in arrays.items():
        found = _numbers(text)
        if found and (is_tflite(found) or is_flat(found)):
            models[name] = found
    return models, list(arrays)


def _from_source(path, data, name):
    models, arrays = _source_models(path, data)
    return _choose(path, models, name, "array", arrays)


# The bytes of a member, at most `limit`; None for a larger one.
def _member(archive, info, limit):
    if info.file_size > limit or info.compress_type not in _METHODS:
        return None
    with archive.open(info) as file:
        found = file.read(limit + 1)
    return found if len(found) <= limit else None


# Labels of a converter often begin with their number: "0 cat".
def _plain_labels(text):
    lines = text.decode("utf-8", "replace").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line.strip()]
    if all(len(words) == 2 and words[0] == str(i) for i, words in enumerate(pairs)):
        return "\n".join(words[1] for words in pairs).encode()
    return text


def _labels(archive, members):
    for info in members:
        name = PurePosixPath(info.filename).name.lower()
        if name.startswith("label") and name.endswith(".txt"):
            return _member(archive, info, _MAX_LABEL_BYTES)
    return None


# Yield (name, bytes) of the members with these suffixes, at most `limit` bytes in all; the largest
# first, since the model is the largest file of its kind in a library.
def _members(archive, members, suffixes, limit):
    chosen = [i for i in members if PurePosixPath(i.filename).suffix.lower() in suffixes]
    for info in sorted(chosen, key=lambda info: -info.file_size):
        data = _member(archive, info, limit)
        if data is not None:
            limit -= len(data)
            yield info.filename, data


def _zip_models(path, archive, members):
    found = _members(archive, members, (".tflite", ".lite", ".tflm"), MAX_MODEL_BYTES)
    models = {name: data for name, data in found if is_tflite(data) or is_flat(data)}
    if models:
        return models
    for file, text in _members(archive, members, SOURCE_SUFFIXES, MAX_SOURCE_BYTES):
        for name, data in _source_models(path, text)[0].items():
            models[f"{file}:{name}"] = data
    return models


# Raise ModelError for an Edge Impulse library whose model is compiled to C++ code.
def _refuse_compiled(path, members):
    for info in members:
        if info.filename.endswith("_compiled.cpp"):
            raise ModelError(
                f"{path} was built with the EON compiler, which leaves no .tflite; build it with "
                "the TensorFlow Lite engine, or download the .tflite from the dashboard"
            )


def _from_zip(path, data, name):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if len(members) > MAX_MEMBERS:
                raise ModelError(f"{path} has more than {MAX_MEMBERS} files; give the .tflite")
            models = _zip_models(path, archive, members)
            if not models:
                _refuse_compiled(path, members)
            model = _choose(path, models, name, "file", [info.filename for info in members])
            has_labels = is_flat(model) or archived_labels(model, {}) is not None
            text = None if has_labels else _labels(archive, members)
    except _ZIP_ERRORS as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is a damaged or encrypted zip archive; get it again") from None
    return with_labels(model, _plain_labels(text)) if text else model
