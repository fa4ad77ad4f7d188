# Tests of the conversion of language models from llama2.c and safetensors files
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
from host.language import checkpoints
from tflm.text.vocabulary import NAME, Vocabulary
from tflm.tflite.reader import TfliteModel
from tflm_tools.errors import ToolError
from tflm_tools.language import checkpoint, tokens
from tflm_tools.language.convert import DYNAMIC, FLOAT32, INT8, CheckpointConversion, logits_of
from tflm_tools.language.decoder import Decoder, loss
from tflm_tools.model.model_file import open_model

TEXT = [1, 262, 285, 290, 263, 270, 286, 291, 260, 268]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    model = checkpoints.random_checkpoint()
    one, two = tmp_path_factory.mktemp("llama2c"), tmp_path_factory.mktemp("safetensors")
    checkpoints.write_llama2c(one, model)
    checkpoints.write_safetensors(two, model)
    return one, two


# A straightforward float64 computation of one token after the other, with loops over heads.
def plain_logits(model, numbers):
    w = {name: weight.astype(np.float64) for name, weight in model.weights.items()}
    caches = [([], []) for _ in range(model.layers)]
    size, group, result = model.head_dim, model.heads // model.kv_heads, []

    def norm(x):
        return x / np.sqrt((x * x).mean() + model.epsilon)

    def turned(head, position):
        out = head.copy()
        for i in range(0, size, 2):
            angle = position * model.theta ** (-i / size)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            out[i : i + 2] = turn @ head[i : i + 2]
        return out

    for position, number in enumerate(numbers):
        x = w["embedding"][number]
        for i, (keys, values) in enumerate(caches):
            h = norm(x) * w["attention_norm"][i]
            q, k, v = (w[name][i] @ h for name in ("query", "key", "value"))
            keys.append([turned(each, position) for each in k.reshape(-1, size)])
            values.append(v.reshape(-1, size))
            mixed = []
            for head, query in enumerate(q.reshape(-1, size)):
                query = turned(query, position)
                scores = np.array([key[head // group] @ query for key in keys]) / np.sqrt(size)
                weights = np.exp(scores - scores.max())
                weights /= weights.sum()
                both = zip(weights, values, strict=True)
                mixed.append(sum(p * value[head // group] for p, value in both))
            x = x + w["output"][i] @ np.concatenate(mixed)
            h = norm(x) * w["feed_norm"][i]
            gate = w["gate"][i] @ h
            x = x + w["down"][i] @ (gate / (1 + np.exp(-gate)) * (w["up"][i] @ h))
        result.append(w["embedding"] @ (norm(x) * w["final_norm"]))
    return np.array(result)


def test_decoder_equals_plain_computation():
    model = checkpoints.random_checkpoint()
    wanted = plain_logits(model, TEXT)
    decoder = Decoder(model)
    together = decoder.forward(TEXT)
    decoder.reset()
    one_by_one = np.concatenate([decoder.forward([number]) for number in TEXT])
    assert np.allclose(together, wanted, atol=1e-4)
    assert np.allclose(one_by_one, wanted, atol=1e-4)


def test_both_formats_give_the_same_weights(folders):
    one, two = (checkpoint.read(path) for path in (folders[0] / "model.bin", folders[1]))
    assert one.shapes() == two.shapes()
    for name in one.weights:
        assert np.array_equal(one.weights[name], two.weights[name]), name
    texts = [tokens.read(folders[0] / "tokenizer.bin", 292), None]
    texts[1] = tokens.read(folders[1] / "tokenizer.json", 292, folders[1])
    assert texts[0].texts == texts[1].texts
    both = [Vocabulary(each.pack(32)) for each in texts]
    for text in ("the thin hat", "a", "", "in the Zoo: 5\n", "\u00e4\U0001f600"):
        assert both[0].encode(text) == both[1].encode(text)
        joined = b"".join(map(both[0].piece, both[0].encode(text)))
        assert joined.decode() == (" " + text if text else "")


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_narrow_weights(tmp_path, dtype):
    model = checkpoints.random_checkpoint()
    found = checkpoint.read(checkpoints.write_safetensors(tmp_path, model, dtype))
    for name, weight in model.weights.items():
        assert np.allclose(found.weights[name], weight, rtol=1e-2, atol=1e-3), name


# Weights in several files, a classifier, and the base of the rotation as newer versions write it.
def test_weights_in_several_files(folders, tmp_path):
    model = checkpoints.random_checkpoint()
    model.weights["classifier"] = model.weights["embedding"][::-1].copy()
    rope = {"rope_type": "default", "rope_theta": 5000.0}
    changes = {"rope_parameters": rope, "sliding_window": 24, "tie_word_embeddings": False}
    checkpoints.write_safetensors(
        tmp_path, model, files=3, model_type="mistral", head_dim=None, **changes
    )
    found = checkpoint.read(tmp_path)
    assert (found.theta, found.positions) == (5000.0, 24)
    assert found.weights.keys() == model.weights.keys()
    for name, weight in model.weights.items():
        assert np.array_equal(found.weights[name], weight), name
    next(tmp_path.glob("model-00002*")).unlink()
    with pytest.raises(ToolError, match="cannot read .*model-00002"):
        checkpoint.read(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../b"}}')
    with pytest.raises(ToolError, match="names no files"):
        checkpoint.read(tmp_path)
    (tmp_path / "model.safetensors.index.json").unlink()
    with pytest.raises(ToolError, match="has no model.safetensors"):
        checkpoint.read(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ToolError, match="save_pretrained"):
        checkpoint.read(tmp_path)


# Byte pairs as GPT-2 has them: characters stand for bytes, and a space may be put before a text.
# The expected tokens were computed by the package tokenizers.
@pytest.mark.parametrize("pre_tokenizer, prefix", [
    ({"type": "ByteLevel", "add_prefix_space": False}, ""),
    ({"type": "Sequence", "pretokenizers": [
        {"type": "Digits"}, {"type": "ByteLevel", "add_prefix_space": True}
    ]}, " "),
])  # fmt: skip
def test_byte_level_tokenizer(tmp_path, pre_tokenizer, prefix):
    of_byte = tokens._characters()
    vocabulary = {of_byte[value]: value for value in range(256)}
    merges = [("t", "h"), ("th", "e"), ("\u0120", "the"), ("\u00c3", "\u00a4")]
    for one, other in merges:
        vocabulary[one + other] = len(vocabulary)
    content = {
        "added_tokens": [
            {"id": 260, "content": "<|endoftext|>", "special": True},
            {"id": 261, "content": "  ", "special": False},
            {"id": 999, "content": "<pad>", "special": True},
        ],
        "pre_tokenizer": pre_tokenizer,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": [" ".join(m) for m in merges]},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    found = Vocabulary(tokens.read(tmp_path / "tokenizer.json", 262).pack(32))
    assert (found.begin, found.end, found.size) == (260, 260, 262)
    assert found.encode(" the \u00e4\U0001f600") == [258, 32, 259, 240, 159, 152, 128]
    assert found.encode("the") == ([258] if prefix else [257])
    assert (found.piece(260), found.piece(261), found.piece(128)) == (b"", b"  ", b"\x80")
    content["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ToolError, match="changes texts .Lowercase."):
        tokens.read(tmp_path / "tokenizer.json", 262)


@pytest.mark.parametrize("precision, most", [(INT8, 0.1), (FLOAT32, 1e-4), (DYNAMIC, 0.05)])
def test_conversion(folders, tmp_path, precision, most):
    output = tmp_path / "model.tflite"
    conversion = CheckpointConversion(folders[0] / "model.bin", precision=precision)
    expected = conversion.footprint()
    result = conversion.convert(output)
    assert abs(result.loss_after - result.loss_before) < most
    assert result.same > 0.9
    assert (
        result.positions
        == 32
        == Vocabulary(TfliteModel(output.read_bytes()).metadata()[NAME]).positions
    )
    assert expected.arena_bytes >= result.arena_bytes
    logits = logits_of(output.read_bytes(), TEXT, open_model(output).outputs[0])
    wanted = plain_logits(conversion.checkpoint, TEXT)
    targets = TEXT[1:]
    assert abs(loss(logits[:-1], targets) - loss(wanted[:-1], targets)) < most
    if precision == FLOAT32:
        assert np.allclose(logits, wanted, atol=1e-3)


def test_command(folders, tmp_path, tflm):
    output = tmp_path / "model.tflite"
    report = tflm("convert", folders[1], "-o", output, "--positions", 16, "--json")
    report = json.loads(report.out)
    assert (report["precision"], report["positions"], report["vocabulary"]) == ("int8", 16, 292)
    arguments = "run", output, "--prompt", "the", "--temperature", 0
    first = json.loads(tflm(*arguments, "--json").out)["text"]
    assert tflm(*arguments).out == f"the{first}\n"
    refused = tflm("convert", folders[1], "--data", "x.npz", "-o", output)
    assert refused.code == 2 and "--data is not for language models" in refused.err
    shown = tflm("convert", folders[0] / "model.bin", "-o", output)
    assert shown.out.index("of flash and") < shown.out.index("loss")


def changed(folder, target, **config):
    settings = json.loads((folder / "config.json").read_text()) | config
    for name in ("model.safetensors", "tokenizer.json"):
        (target / name).write_bytes((folder / name).read_bytes())
    (target / "config.json").write_text(json.dumps(settings))
    return target


@pytest.mark.parametrize(
    "config, message",
    [
        ({"model_type": "gpt2"}, "is of type gpt2"),
        ({"hidden_act": "gelu"}, "hidden_act is gelu"),
        ({"rope_scaling": {"factor": 2}}, "rope_scaling"),
        ({"num_hidden_layers": 3}, "lacks model.layers.2"),
        ({"hidden_size": 32}, "do not belong together"),
        ({"num_attention_heads": 5}, "do not divide"),
        ({"vocab_size": 100}, "do not belong together"),
        ({"vocab_size": 10_000_000}, "has 160,0.* weights, about 160 MB as int8"),
        ({"hidden_size": "16"}, "'16' is no valid dim"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "rope_scaling, yarn"),
        ({"bos_token_id": 292}, "correct bos_token_id"),
    ],
)
def test_refused_configurations(folders, tmp_path, config, message):
    with pytest.raises(ToolError, match=message):
        CheckpointConversion(changed(folders[1], tmp_path, **config))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda data: data[:10], "too short"),
        (lambda data: data[:-4000], "weights, and its header requires"),
        (lambda data: b"PK\x03\x04" + data, "is a PyTorch file"),
        (lambda data: b"\xff" * len(data), "no llama2.c file: its header"),
        (lambda data: (0x616B3432).to_bytes(4, "little") + data, "version 1 or 2"),
    ],
)
def test_refused_files(folders, tmp_path, change, message):
    data = (folders[0] / "model.bin").read_bytes()
    (tmp_path / "model.bin").write_bytes(change(data))
    with pytest.raises(ToolError, match=message):
        CheckpointConversion(tmp_path / "model.bin", folders[0] / "tokenizer.bin")


def test_refused_options(folders, tmp_path):
    with pytest.raises(ToolError, match="give --positions in this range"):
        CheckpointConversion(folders[0] / "model.bin", positions=33)
    (tmp_path / "model.bin").write_bytes((folders[0] / "model.bin").read_bytes())
    with pytest.raises(ToolError, match="give --tokenizer FILE"):
        CheckpointConversion(tmp_path / "model.bin")
    (tmp_path / "tokenizer.bin").write_bytes(b"\0" * 6)
    with pytest.raises(ToolError, match="no tokenizer of llama2.c"):
        CheckpointConversion(tmp_path / "model.bin")
