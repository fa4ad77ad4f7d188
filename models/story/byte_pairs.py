# Learn a vocabulary of byte pairs from texts, and split texts into its tokens
# MIT license; Copyright (c) 2026 the tflm authors

import re
from collections import Counter

UNKNOWN, BEGIN, END = range(3)
_SPECIAL = ("<unk>", "<s>", "</s>")
_BYTES = tuple(f"<0x{value:02X}>" for value in range(256))
_WORD = re.compile(r" ?[A-Za-z]+|[^A-Za-z]")


class BytePairs:
    """A vocabulary as llama2.c has it: 3 special tokens, 256 bytes, characters, then merges.

    tokens: the texts of all tokens, merges in the order in which they were learned (Sennrich et
    al., 2016). A token never spans two words; a word begins with its space.
    """

    def __init__(self, texts, size):
        self._pieces = {}  # word: its tokens
        words = Counter(word for text in texts for word in _words(text))
        self._pieces = {word: list(word) for word in words}
        self.tokens = [*_SPECIAL, *_BYTES, *sorted({c for word in words for c in word})]
        while len(self.tokens) < size:
            pairs = Counter()
            for word, count in words.items():
                pieces = self._pieces[word]
                for pair in zip(pieces, pieces[1:], strict=False):
                    pairs[pair] += count
            if not pairs:
                break
            best = max(pairs, key=lambda pair: (pairs[pair], pair))
            self.tokens.append("".join(best))
            self._pieces = {word: _merged(pieces, best) for word, pieces in self._pieces.items()}
        self._number = {token: i for i, token in enumerate(self.tokens) if i >= len(_SPECIAL)}

    def encode(self, text):
        """Return the numbers of the tokens of a text, which starts with BEGIN."""
        return [BEGIN] + [self._number[piece] for w in _words(text) for piece in self._pieces[w]]


# The words of a text; llama2.c puts a space before the text.
def _words(text):
    return _WORD.findall(" " + text)


# Join each occurrence of a pair in a list of tokens.
def _merged(pieces, pair):
    result = []
    for piece in pieces:
        if result and (result[-1], piece) == pair:
            result[-1] += piece
        else:
            result.append(piece)
    return result
