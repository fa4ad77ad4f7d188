# Small random language models, written as llama2.c and as safetensors with their tokenizers
# MIT license; Copyright (c) 2026 the tflm authors

import json
import struct

import numpy as np
from tflm_tools.language.checkpoint import Checkpoint

CHARACTERS = [chr(value) for value in range(97, 123)] + [" ", "."]
MERGES = [("t", "h"), ("th", "e"), (" ", "a"), (" ", "the"), ("i", "n")]
PIECES = [
    "<unk>", "<s>", "</s>", *(f"<0x{value:02X}>" for value in range(256)), *CHARACTERS,
    *("".join(merge) for merge in MERGES),
]  # fmt: skip


def random_checkpoint(
    seed=2026, dim=16, hidden=24, layers=2, heads=4, kv_heads=2, positions=32,
    vocabulary=None, is_tied=True,
):  # fmt: skip
    """Return a Checkpoint with random weights. is_tied: the embedding is the classifier, too."""
    random = np.random.default_rng(seed)
    vocabulary = vocabulary or len(PIECES)
    found = Checkpoint(dim, hidden, layers, heads, kv_heads, vocabulary, positions)
    shapes = found.shapes()
    if not is_tied:
        shapes["classifier"] = shapes["embedding"]
    for name, shape in shapes.items():
        is_gain = name.endswith("norm")
        values = random.uniform(0.5, 1.5, shape) if is_gain else random.normal(0, 0.3, shape)
        found.weights[name] = values.astype(np.float32)
    return found


# PIECES, and words without a merge for larger vocabularies.
def _pieces(checkpoint):
    return PIECES + [f"[{i}]" for i in range(len(PIECES), checkpoint.vocabulary)]


def write_llama2c(folder, checkpoint):
    """Write model.bin and tokenizer.bin into a folder; return the path of the model."""
    weights = checkpoint.weights
    sign = -1 if "classifier" in weights else 1  # of the vocabulary
    sizes = (
        checkpoint.dim, checkpoint.hidden, checkpoint.layers, checkpoint.heads,
        checkpoint.kv_heads, sign * checkpoint.vocabulary, checkpoint.positions,
    )  # fmt: skip
    rotary = np.zeros(checkpoint.positions * checkpoint.head_dim, "<f4")
    arrays = [weights[name] for name in checkpoint.shapes()] + [rotary]
    arrays += [weights["classifier"]] if "classifier" in weights else []
    data = struct.pack("<7i", *sizes) + b"".join(a.astype("<f4").tobytes() for a in arrays)
    (folder / "model.bin").write_bytes(data)
    pieces = _pieces(checkpoint)
    raw = struct.pack("<i", max(map(len, pieces)))
    for i, piece in enumerate(pieces):
        raw += struct.pack("<fi", -i, len(piece.encode())) + piece.encode()
    (folder / "tokenizer.bin").write_bytes(raw)
    return folder / "model.bin"


_NAMES = {
    "attention_norm": "input_layernorm", "query": "self_attn.q_proj", "key": "self_attn.k_proj",
    "value": "self_attn.v_proj", "output": "self_attn.o_proj",
    "feed_norm": "post_attention_layernorm", "gate": "mlp.gate_proj", "down": "mlp.down_proj",
    "up": "mlp.up_proj",
}  # fmt: skip


# Rows of a head in the order of safetensors files, which rotate row i with row i + half.
def _halves(weight, heads):
    pairs = weight.reshape(heads, -1, 2, weight.shape[-1])
    return pairs.swapaxes(1, 2).reshape(weight.shape)


def _safetensors(tensors, dtype):
    entries, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        if dtype == "BF16":
            raw = (array.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            raw = array.astype("<f4" if dtype == "F32" else "<f2").tobytes()
        offsets = [len(data), len(data) + len(raw)]
        entries[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        data += raw
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + data


def write_safetensors(folder, checkpoint, dtype="F32", files=1, **config):
    """Write config.json, tokenizer.json and the weights into a folder; return the folder.

    files: the number of .safetensors; several have an index.
    """
    tensors = {
        "model.embed_tokens.weight": checkpoint.weights["embedding"],
        "model.norm.weight": checkpoint.weights["final_norm"],
    }
    heads = {"query": checkpoint.heads, "key": checkpoint.kv_heads}
    for i in range(checkpoint.layers):
        for name, theirs in _NAMES.items():
            weight = checkpoint.weights[name][i]
            if name in heads:
                weight = _halves(weight, heads[name])
            tensors[f"model.layers.{i}.{theirs}.weight"] = weight
    if "classifier" in checkpoint.weights:
        tensors["lm_head.weight"] = checkpoint.weights["classifier"]
    names = ["model.safetensors"]
    if files > 1:
        names = [f"model-{i + 1:05}-of-{files:05}.safetensors" for i in range(files)]
        index = {key: names[i % files] for i, key in enumerate(tensors)}
        text = json.dumps({"metadata": {}, "weight_map": index})
        (folder / "model.safetensors.index.json").write_text(text)
    for i, name in enumerate(names):
        chosen = {key: tensors[key] for key in list(tensors)[i::files]}
        (folder / name).write_bytes(_safetensors(chosen, dtype))
    settings = {
        "model_type": "llama", "hidden_size": checkpoint.dim, "vocab_size": checkpoint.vocabulary,
        "intermediate_size": checkpoint.hidden, "num_hidden_layers": checkpoint.layers,
        "num_attention_heads": checkpoint.heads, "num_key_value_heads": checkpoint.kv_heads,
        "max_position_embeddings": checkpoint.positions, "hidden_act": "silu",
        "rms_norm_eps": checkpoint.epsilon,
        "tie_word_embeddings": "classifier" not in checkpoint.weights,
        "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings | config))
    space = "\u2581"
    tokenizer = {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": space}]},
        "pre_tokenizer": None,
        "added_tokens": [{"id": i, "content": PIECES[i]} for i in range(3)],
        "model": {
            "type": "BPE", "unk_token": "<unk>", "byte_fallback": True,
            "vocab": {piece.replace(" ", space): i for i, piece in enumerate(_pieces(checkpoint))},
            "merges": [[text.replace(" ", space) for text in merge] for merge in MERGES],
        },
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder
