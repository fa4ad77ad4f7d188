# tflm_tools: reasons: turns a converter's errors about a model into one sentence with a remedy
# MIT license; Copyright (c) 2026 the tflm authors

import re

from ..errors import ToolError

_EXPORT = "save it where it was made with model.export(FOLDER), and convert that folder"
# A class in the configuration of a Keras 3 file that Keras does not define.
_FOREIGN = re.compile(r"'module': (?!'(?:keras|builtins))[^,]+, 'class_name': '(\w+)'")
_UNKNOWN = re.compile(r"(?:Unknown layer|Could not locate class):? '(?:[\w.]+>)?(\w+)'")
_NO_OPERATOR = re.compile(r"(?:Custom|Flex|TF Select) ops: ([\w., ]+)")
_NOT_QUANTIZABLE = re.compile(r"[Qq]uantization not yet supported for op: '?([\w., ]+)")
_MAX_CHARACTERS = 160  # of TensorFlow's text in a ToolError


# The ToolError for a model that TensorFlow could not read.
def _unread(path, said, written_by, keras):
    foreign = _UNKNOWN.search(said) or _FOREIGN.search(said)
    if "No model config found" in said:
        return ToolError(
            f"{path} holds weights without their layers; save the whole model with model.save()"
        )
    if "has no defined inputs" in said:
        return ToolError(
            f"{path} does not define its input; begin the model with keras.Input(SHAPE), and save "
            "it again"
        )
    if "Lambda" in said and "unsafe" in said:
        return ToolError(
            f"{path} has a Lambda layer, Python code that is not run from a file; {_EXPORT}"
        )
    if said.startswith("LookupError: signatures: "):
        return ToolError(
            f"{path} has no signature serving_default ({said[13:]}); write it with "
            "model.export(FOLDER), or tf.saved_model.save(model, FOLDER, signatures=...)"
        )
    if written_by.startswith(("1.", "2.")) and not keras.startswith("2."):
        return ToolError(
            f"{path} was written by Keras {written_by}, which Keras {keras} cannot read; save it "
            "there with tf.saved_model.save(model, FOLDER), and convert that folder"
        )
    if foreign:
        return ToolError(
            f"{path} has the class {foreign[1]}, which Keras does not have; {_EXPORT}"
        )
    return ToolError(f"TensorFlow cannot read {path}: {_shortened(said)}; {_EXPORT}")


# The ToolError for a model that TensorFlow could not convert.
def _unconverted(path, said):
    lacking = _NO_OPERATOR.search(said)
    if lacking:
        names = lacking[1].strip()
        return ToolError(
            f"{path} cannot become a .tflite: there is no operator for {names}; replace the layer "
            "that uses it (docs/how-to/quantize.md)"
        )
    unquantized = _NOT_QUANTIZABLE.search(said)
    if unquantized:
        return ToolError(
            f"{path} cannot be quantized: there is no integer version of "
            f"{unquantized[1].strip()}; replace the layer (docs/how-to/quantize.md), or give "
            "--no-quantize"
        )
    if "TensorListReserve" in said:
        return ToolError(
            f"{path} has a loop over an open batch, probably of LSTM or GRU; give a .keras, whose "
            "layers can be unrolled, or build it with Input(..., batch_size=1)"
        )
    return ToolError(
        f"TensorFlow cannot convert {path}: {_shortened(said)}; "
        "see docs/tutorial/your-own-model.md"
    )


# One line of an exception's text: the last line after a traceback, else the first line.
def _shortened(said):
    _, _, inner = said.rpartition("Exception encountered: ")
    lines = [line.strip() for line in inner.splitlines() if line.strip()]
    is_traced = bool(lines) and lines[0].endswith("in user code:")  # a traceback follows
    text = (lines[-is_traced] if lines else "no reason given").rstrip(".;")
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


# Errors of LiteRT and its quantizer.
def _unquantized(path, step, reason):
    if step == "open":
        return ToolError(
            f"LiteRT cannot read {path}: {_shortened(reason)}; convert it to a .tflite again"
        )
    if "CUSTOM" in reason or "unresolved custom op" in reason.lower():
        return ToolError(
            f"{path} has an operator that LiteRT does not have: {_shortened(reason)}; convert "
            "the model that it was made from"
        )
    if step == "trace":
        return ToolError(
            f"LiteRT cannot run {path}: {_shortened(reason)}; check --input-shape, or convert "
            "the model that it was made from"
        )
    return ToolError(
        f"LiteRT's quantizer cannot quantize {path}: {_shortened(reason)}; try --dynamic, or "
        "convert the model that it was made from"
    )


def error(framework, path, step, said, written_by="", keras=""):
    """Return the ToolError for an error text of a converter.

    framework: the name of the converter. step: the method of the Worker that failed. said: the
    exception's type and text. written_by: the version of Keras that wrote the model. keras: the
    installed version.
    """
    if said.startswith(("ImportError", "ModuleNotFoundError")):
        return ToolError(f"{framework} does not load: {_shortened(said)}; install it again")
    if framework == "LiteRT's quantizer":
        return _unquantized(path, step, said)
    if framework != "TensorFlow":
        verb = "read" if step == "open" else "convert"
        return ToolError(
            f"{framework} cannot {verb} {path}: {_shortened(said)}; "
            "see docs/tutorial/your-own-model.md"
        )
    if step == "open":
        return _unread(path, said, written_by, keras)
    return _unconverted(path, said)


def ended(framework, path, step, signal):
    """Return the ToolError for a converter's process when a signal ended it."""
    if framework == "TensorFlow" and step == "convert":
        return ToolError(
            f"TensorFlow itself crashed ({signal}) with {path}, as it does when it quantizes "
            "loops; build LSTM and GRU with unroll=True, or give --no-quantize"
        )
    return ToolError(
        f"{framework} itself crashed ({signal}) with {path}; install it again, in another "
        "environment"
    )
