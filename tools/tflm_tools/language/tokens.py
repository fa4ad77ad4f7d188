# tflm_tools: tokens: reads tokenizers of llama2.c and tokenizer.json, and packs them for boards
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from tflm.text import vocabulary as layout

from .. import files
from ..errors import ToolError

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
NEVER, ALWAYS, UNLESS_SPACE = 0, layout.PREFIX_SPACE, layout.PREFIX_SPACE | layout.UNLESS_SPACE
_NORMALIZERS = "Prepend", "Replace", "NFC", "NFKC", "NFD", "NFKD"  # leave ASCII texts as they are
_SPACE = "\u2581"  # stands for a space in SentencePiece's vocabularies


@dataclass
class Tokens:
    """The tokens of a model.

    texts: the bytes of each token, b"" for tokens that only control the model. ranks: {token:
    rank};
    pairs are joined to the token of the lowest rank first. byte_tokens: {byte: token}. begin, end,
    unknown: tokens that begin and end a text, and replace text without token. prefix: ALWAYS if a
    space is put before each text, UNLESS_SPACE if only before texts that begin without one, NEVER.
    """

    texts: list[bytes]
    ranks: dict[int, int]
    byte_tokens: dict[int, int]
    begin: int
    end: int
    unknown: int
    prefix: int

    def pack(self, positions):
        """Return the bytes that Vocabulary reads; positions: the longest text of the model."""
        if len(self.texts) > layout.MAX_TOKENS:
            raise ToolError(
                f"the vocabulary has {len(self.texts):,} tokens, and a board's has at most "
                f"{layout.MAX_TOKENS:,}; choose a model with a smaller vocabulary"
            )
        fallback = set(self.byte_tokens.values())
        chosen = {}
        for token in sorted(range(len(self.texts)), key=lambda token: token in fallback):
            if self.texts[token]:
                chosen.setdefault(self.texts[token], token)
        order = [chosen[text] for text in sorted(chosen)]
        offsets = [0]
        for text in self.texts:
            offsets.append(offsets[-1] + len(text))
        ranks = [min(self.ranks.get(i, layout.NONE), layout.NONE) for i in range(len(self.texts))]
        halves = [*order, *ranks, *(self.byte_tokens.get(i, layout.NONE) for i in range(256))]
        return b"".join(
            (
                struct.pack(
                    layout.HEADER,
                    len(self.texts),
                    len(order),
                    self.prefix,
                    self.begin,
                    self.end,
                    self.unknown,
                    positions,
                ),
                struct.pack(f"<{len(offsets)}I", *offsets),
                struct.pack(f"<{len(halves)}H", *halves),
                *self.texts,
            )
        )


def llama2c(pieces, scores):
    """Return the Tokens of a llama2.c vocabulary: texts (str) and scores, a higher one first.

    Tokens 0, 1 and 2 are unknown, begin and end.
    """
    byte_tokens, texts = {}, []
    for token, piece in enumerate(pieces):
        match = _BYTE_TOKEN.fullmatch(piece)
        if match:
            byte_tokens[int(match[1], 16)] = token
            texts.append(bytes([int(match[1], 16)]))
        else:
            texts.append(b"" if token < 3 else piece.encode(errors="surrogateescape"))
    order = sorted(range(len(texts)), key=lambda token: -scores[token])
    ranks = {token: rank for rank, token in enumerate(order)}
    return Tokens(texts, ranks, byte_tokens, begin=1, end=2, unknown=0, prefix=ALWAYS)


def read(path, count, checkpoint=None):
    """Return the Tokens in a file: a tokenizer.bin of llama2.c, or a tokenizer.json.

    count: the tokens of the model. checkpoint: the folder of the model, whose config.json names
    the tokens that begin and end a text.
    """
    path, data = Path(path), files.read(path)
    is_json = path.suffix.lower() == ".json"
    found = _from_json(path, data, count, checkpoint) if is_json else _from_llama2c(path, data)
    if len(found.texts) > count:
        raise ToolError(
            f"{path} has {len(found.texts):,} tokens, and the model has {count:,}; give the "
            "tokenizer of this model with --tokenizer"
        )
    found.texts += [b""] * (count - len(found.texts))  # rows of the embedding that fill it up
    return found


def _from_llama2c(path, data):
    pieces, scores, at = [], [], 4
    try:
        while at < len(data):
            score, size = struct.unpack_from("<fi", data, at)
            at += 8
            if not 0 <= size <= len(data) - at:
                raise ValueError
            pieces.append(data[at : at + size].decode(errors="surrogateescape"))
            scores.append(score)
            at += size
    except (struct.error, ValueError):
        raise ToolError(
            f"{path} is no tokenizer of llama2.c; give the tokenizer.bin or tokenizer.json that "
            "belongs to the model"
        ) from None
    return llama2c(pieces, scores)


def _from_json(path, data, limit, checkpoint):
    try:
        content = json.loads(data)
        model = content["model"]
        vocabulary, merges = dict(model["vocab"]), list(model["merges"])
        added = {each["content"]: each for each in content.get("added_tokens") or []}
        added = {text: each for text, each in added.items() if each["id"] < limit}
        count = max([*vocabulary.values(), *(each["id"] for each in added.values())]) + 1
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ToolError(
            f"{path} is no tokenizer.json of byte pairs (BPE); choose another model"
        ) from None
    _check_normalizer(path, content.get("normalizer"))
    is_bytes = "ByteLevel" in json.dumps([content.get("pre_tokenizer"), content.get("decoder")])
    texts, byte_tokens = [b""] * count, {}
    of_character = {character: value for value, character in _characters().items()}
    for piece, token in vocabulary.items():
        match = _BYTE_TOKEN.fullmatch(piece)
        if piece in added:
            continue
        if match and not is_bytes:
            byte_tokens[int(match[1], 16)] = token
            texts[token] = bytes([int(match[1], 16)])
        elif is_bytes:
            texts[token] = bytes(of_character.get(c, 63) for c in piece)
            if len(piece) == 1 and piece in of_character:
                byte_tokens[of_character[piece]] = token
        else:
            texts[token] = piece.replace(_SPACE, " ").encode()
    for text, entry in added.items():
        if not entry.get("special", True):
            texts[entry["id"]] = text.encode()
    ranks = {}
    for rank, merge in enumerate(merges):
        joined = "".join(merge.split(" ", 1) if isinstance(merge, str) else merge)
        if joined in vocabulary:
            ranks.setdefault(vocabulary[joined], rank)
    numbers = vocabulary | {text: entry["id"] for text, entry in added.items()}
    begin, end = _ends(checkpoint, numbers)
    if not 0 <= begin < limit:
        raise ToolError(
            f"{path}: token {begin} begins a text, and the model has {limit:,}; correct "
            "bos_token_id in config.json"
        )
    unknown = numbers.get(model.get("unk_token") or "<unk>", begin)
    return Tokens(texts, ranks, byte_tokens, begin, end, unknown, _prefix(content))


# The parts of a normalizer or pre-tokenizer of a tokenizer.json, which may be a sequence.
def _steps(entry, key):
    if not isinstance(entry, dict):
        return []
    return [entry] if entry.get("type") != "Sequence" else list(entry.get(key) or [])


def _check_normalizer(path, normalizer):
    for step in _steps(normalizer, "normalizers"):
        if step.get("type") not in _NORMALIZERS:
            raise ToolError(
                f"{path} changes texts ({step.get('type')}), and tflm does not; choose another "
                "model"
            )


# Whether a space is put before a text.
def _prefix(content):
    for step in _steps(content.get("normalizer"), "normalizers"):
        if step["type"] == "Prepend":
            return ALWAYS
    for step in _steps(content.get("pre_tokenizer"), "pretokenizers"):
        if step.get("type") == "ByteLevel" and step.get("add_prefix_space"):
            return UNLESS_SPACE
        if step.get("type") == "Metaspace":
            is_first = step.get("prepend_scheme", "always") != "never"
            return UNLESS_SPACE if is_first and step.get("add_prefix_space", True) else NEVER
    return NEVER


# (token that begins a text, token that ends it).
def _ends(checkpoint, numbers):
    config = {}
    if checkpoint is not None and (Path(checkpoint) / "config.json").exists():
        config = json.loads(files.read(Path(checkpoint) / "config.json"))
    begin, end = config.get("bos_token_id"), config.get("eos_token_id")
    end = end[0] if isinstance(end, list) and end else end
    if end is None:
        end = numbers.get("</s>", numbers.get("<|endoftext|>", 2))
    if begin is None:
        begin = numbers.get("<s>", end)
    return begin, end


# {byte: the character that stands for it} in vocabularies of bytes, as GPT-2 has them: printable
# characters of Latin-1 stand for themselves, the other bytes for characters from 256 on.
def _characters():
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [value for value in range(256) if value not in plain]
    return {v: chr(v) for v in plain} | {v: chr(256 + i) for i, v in enumerate(others)}
