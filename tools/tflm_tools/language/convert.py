# tflm_tools: converts a checkpoint of Llama's type to a .tflite, and measures what it loses
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..board.fit import Fit, fits
from ..errors import ToolError
from ..inspection.inspection import inspect
from ..port import invocation
from ..render.common import Shown
from . import checkpoint, decoder_graph, ranges, tokens
from .decoder import Decoder, loss, sample
from .decoder_graph import DYNAMIC, FLOAT32, INT8

PRECISIONS = INT8, FLOAT32, DYNAMIC
POSITIONS = 256
_SEED = 2026
_CALIBRATION_TEXTS, _SCORED_TEXTS = 3, 2
_SCORED_TOKENS = 128  # of each text
_TOKENIZERS = "tokenizer.json", "tokenizer.bin"
_NOTED_LOSS = 0.1
_GRAPH_BYTES = 25_000  # of the operators and records of a .tflm, roughly
_ARENA_BYTES = 5_000  # beside the keys and values, roughly


@dataclass
class Footprint:
    """What a checkpoint needs as int8, float32 or dynamic range, estimated before it is converted.

    flash_bytes, arena_bytes: of the .tflm. boards: a Fit for some boards.
    """

    precision: str
    parameters: int
    positions: int
    flash_bytes: int
    arena_bytes: int
    boards: list[Fit]


@dataclass
class ConvertedText(Shown):
    """The result of `tflm convert` for a language model.

    parameters: weights of the checkpoint. positions: the longest text. loss_before, loss_after:
    mean loss of a token, in nats, of the float model and of the written one in MicroPython, over
    `scored` tokens of texts that the float model wrote. same: share of tokens for which both
    models have the same likeliest token. pico_ms: estimated time of a token on a Pico.
    """

    _shown = ("language", "print_converted_text")

    source: str
    tokenizer: str
    output: str
    precision: str
    parameters: int
    vocabulary: int
    layers: int
    positions: int
    tflite_bytes: int
    flash_bytes: int | None
    arena_bytes: int
    pico_ms: float | None
    loss_before: float
    loss_after: float
    same: float
    scored: int
    sample: str
    boards: list[Fit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class CheckpointConversion:
    """The conversion of one checkpoint, which is read when the object is made.

    model: a llama2.c .bin, a .safetensors, or the folder of one. tokenizer: a tokenizer.json or a
    tokenizer.bin; by default the one beside the model. precision: INT8, FLOAT32 or DYNAMIC.
    positions:
    the longest text in tokens; by default 256, or the model's if that is shorter. Raises
    ToolError.
    """

    def __init__(self, model, tokenizer=None, precision=INT8, positions=None):
        self.source, self.precision = str(model), precision
        self.checkpoint = checkpoint.read(model)
        longest = self.checkpoint.positions
        self.positions = min(longest, POSITIONS) if positions is None else positions
        if not 2 <= self.positions <= longest:
            raise ToolError(
                f"{model} was trained for 2 to {longest} positions; give --positions in this range"
            )
        folder = Path(model) if Path(model).is_dir() else Path(model).parent
        self.tokenizer = str(tokenizer or _tokenizer_in(folder, model))
        self.tokens = tokens.read(self.tokenizer, self.checkpoint.vocabulary, folder)

    def footprint(self):
        """Return the Footprint, which is known before any computation."""
        model = self.checkpoint
        weights = model.parameters + (
            0 if "classifier" in model.weights else model.classifier.size
        )
        width = 4 if self.precision == FLOAT32 else 1
        flash = weights * width + len(self.tokens.pack(self.positions)) + _GRAPH_BYTES
        arena = decoder_graph.cache_bytes(model, self.precision, self.positions) + _ARENA_BYTES
        return Footprint(
            self.precision, model.parameters, self.positions, flash, arena, fits(arena, flash)
        )

    def convert(self, output):
        """Write the .tflite into `output`; return a ConvertedText. Raises TflmError."""
        files.check_output(output, Path(self.source))
        reference = Decoder(self.checkpoint)
        stops = (self.tokens.begin, self.tokens.end)
        texts = []
        for i in range(_CALIBRATION_TEXTS + _SCORED_TEXTS):
            random = np.random.default_rng(_SEED + i)
            texts.append(sample(reference, self.positions, random, self.tokens.begin, stops))
        found = ranges.measure(self.checkpoint, texts[:_CALIBRATION_TEXTS])
        tflite = decoder_graph.build(
            self.checkpoint,
            found,
            self.precision,
            self.positions,
            self.tokens.pack(self.positions),
        )
        files.write(output, tflite)
        return self._result(output, tflite, texts[_CALIBRATION_TEXTS:])

    def _result(self, output, tflite, texts):
        model, report = self.checkpoint, inspect(output)
        before, after, targets = [], [], []
        for text in texts:
            inputs, following = text[:-1][:_SCORED_TOKENS], text[1:][:_SCORED_TOKENS]
            reference = Decoder(model)
            before.append(reference.forward(inputs))
            after.append(logits_of(tflite, inputs, report.outputs[0]))
            targets += following
        before, after = np.concatenate(before), np.concatenate(after)
        result = ConvertedText(
            source=self.source,
            tokenizer=self.tokenizer,
            output=str(output),
            precision=self.precision,
            parameters=model.parameters,
            vocabulary=model.vocabulary,
            layers=model.layers,
            positions=self.positions,
            tflite_bytes=len(tflite),
            flash_bytes=report.flat_bytes,
            arena_bytes=report.arena_bytes,
            pico_ms=report.pico_ms,
            loss_before=loss(before, targets),
            loss_after=loss(after, targets),
            same=float((before.argmax(-1) == after.argmax(-1)).mean()),
            scored=len(targets),
            sample=self._text(texts[0]),
            boards=report.boards,
        )
        if result.loss_after - result.loss_before > _NOTED_LOSS:
            result.notes.append("the text may be worse; compare with --dynamic, which is slower")
        if self.precision == FLOAT32:
            result.notes.append(
                "float32 runs in software on most boards, in four times the memory"
            )
        return result

    def _text(self, numbers):
        return b"".join(self.tokens.texts[i] for i in numbers).decode(errors="replace").strip()


# The tokenizer in the folder of a model; raises ToolError if there is none, or several.
def _tokenizer_in(folder, model):
    found = [folder / name for name in _TOKENIZERS if (folder / name).exists()]
    if not found:
        raise ToolError(f"no {' or '.join(_TOKENIZERS)} is beside {model}; give --tokenizer FILE")
    return found[0]


def logits_of(tflite, numbers, output):
    """Return the logits after each token, as MicroPython computes them: float32 [n, vocabulary].

    tflite: the bytes of a model of decoder_graph.build(), also as .tflm. numbers: the tokens of a
    text. output: the TensorInfo of the logits.
    """
    inputs = b"".join(struct.pack("<2i", token, i) for i, token in enumerate(numbers))
    _, outputs, _ = invocation.invoke(tflite, inputs, runs=len(numbers))
    if output.dtype == "float32":
        return np.frombuffer(outputs, np.float32).reshape(len(numbers), -1)
    steps = np.frombuffer(outputs, np.int8).reshape(len(numbers), -1)
    return (steps - np.float32(output.zero_point)) * np.float32(output.scale)
