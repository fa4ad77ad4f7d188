# Train the language model that writes stories, quantize it, measure it, and save it if it is good
# MIT license; Copyright (c) 2026 the tflm authors

import os
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums of threads would differ from run to run

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent)]

import byte_pairs  # noqa: E402
import numpy as np  # noqa: E402
import stories  # noqa: E402
import train  # noqa: E402
from tflm_tools.language import checkpoint, decoder_graph, ranges, tokens  # noqa: E402
from tflm_tools.language.convert import logits_of  # noqa: E402
from tflm_tools.language.decoder import Decoder, loss, sample  # noqa: E402
from tflm_tools.model.model_file import open_model  # noqa: E402
from training import save  # noqa: E402

SEED = 2026
STORIES, HELD_OUT, MEASURED = 12_000, 200, 20
TOKENS = 512
POSITIONS = 256
STEPS = 1000
CALIBRATION_TEXTS = 4
MAX_LOSS, MAX_LOSS_OF_INT8 = 0.25, 0.02
MODEL_FILE = _HERE / "story_int8.tflite"


def trained(texts):
    """Return the Checkpoint of a model that is trained on texts, which are lists of tokens."""
    size = train.Size(vocabulary=TOKENS, positions=POSITIONS)

    def report(step, mean, model):
        if step % 50 == 49:
            held_out = model.loss(train.padded(texts[:HELD_OUT]))
            print(f"step {step + 1}: loss {mean:.4f}, held out {held_out:.4f}", flush=True)

    weights = train.train(size, texts[HELD_OUT:], SEED, STEPS, progress=report)
    return checkpoint.Checkpoint(
        size.dim,
        size.hidden,
        size.layers,
        size.heads,
        size.kv_heads,
        TOKENS,
        POSITIONS,
        weights=weights,
    )


def quantized(model, pairs):
    """Return the int8 .tflite of a Checkpoint; pairs: its BytePairs."""
    reference = Decoder(model)
    stops = byte_pairs.BEGIN, byte_pairs.END
    texts = [
        sample(reference, POSITIONS, np.random.default_rng(SEED + i), byte_pairs.BEGIN, stops)
        for i in range(CALIBRATION_TEXTS)
    ]
    found = ranges.measure(model, texts)
    vocabulary = tokens.llama2c(pairs.tokens, [-i for i in range(len(pairs.tokens))])
    packed = vocabulary.pack(POSITIONS)
    return decoder_graph.build(model, found, decoder_graph.INT8, POSITIONS, packed)


def losses(model, tflite, texts):
    """Return (loss in float, loss in int8, share of equal likeliest tokens) on texts."""
    output = open_model(MODEL_FILE, tflite).outputs[0]
    before, after, targets = [], [], []
    for text in texts:
        before.append(Decoder(model).forward(text[:-1]))
        after.append(logits_of(tflite, text[:-1], output))
        targets += text[1:]
    before, after = np.concatenate(before), np.concatenate(after)
    same = (before.argmax(-1) == after.argmax(-1)).mean()
    return loss(before, targets), loss(after, targets), float(same)


def main():
    """Train, measure and save the model; exit with 1 if it is worse than wanted."""
    written = stories.stories(STORIES, SEED)
    pairs = byte_pairs.BytePairs(written, TOKENS)
    texts = [[*pairs.encode(text), byte_pairs.END] for text in written]
    model = trained(texts)
    tflite = quantized(model, pairs)
    before, after, same = losses(model, tflite, texts[:MEASURED])
    print(f"{model.parameters} parameters, {len(tflite)} bytes")
    print(f"loss {before:.4f} in float, {after:.4f} in int8, {same:.2%} of tokens equal")
    if before > MAX_LOSS or after - before > MAX_LOSS_OF_INT8:
        raise SystemExit(f"{MODEL_FILE.name} is not good enough, the old file stays")
    save.save(MODEL_FILE, tflite)


if __name__ == "__main__":
    main()
