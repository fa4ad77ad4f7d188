# tflm: Vocabulary: splits texts into the tokens of a language model, and gives their texts.
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError
from ..micropython_port import struct

NAME = "tflm.text"  # of the metadata of a model

# Number of tokens, how many of them are sorted, flags, the numbers of the tokens that begin a
# text, end a text, and stand for text that no token has, and the model's longest text in tokens.
#
# After the header: the offset of each token's text ("I", one more for the end), the tokens sorted
# by their texts ("H"), the rank of each token ("H"), the token of each of the 256 bytes ("H"), and
# the texts. The pair of tokens whose joined text has the lowest rank is joined first.
HEADER = "<7I"
HEADER_BYTES = 28
PREFIX_SPACE = 1  # flags: a space is put before each text
UNLESS_SPACE = 2  # that does not begin with one
NONE = 0xFFFF
MAX_TOKENS = NONE


class Vocabulary:
    """The tokens of a model: `data` is the bytes of its metadata, read in place.

    begin, end, unknown: tokens that begin a text, end a text, and stand for text that no token
    has.
    positions: the longest text of the model in tokens. is_prefixed: a space is put before a text.
    """

    def __init__(self, data):
        if len(data) < HEADER_BYTES:
            raise ModelError("the vocabulary of the model is cut off; convert the model again")
        header = struct.unpack_from(HEADER, data, 0)
        self.size, self._sorted, flags, self.begin, self.end, self.unknown = header[:6]
        self.positions = header[6]
        self.is_prefixed = flags & PREFIX_SPACE != 0
        self._keeps_space = flags & UNLESS_SPACE != 0
        self._data = memoryview(data)
        self._order = HEADER_BYTES + 4 * (self.size + 1)
        self._ranks = self._order + 2 * self._sorted
        self._bytes = self._ranks + 2 * self.size
        self._texts = self._bytes + 512
        if (
            not 0 < self.size <= MAX_TOKENS
            or self._sorted > self.size
            or self._texts > len(data)
            or self._texts + self._offset(self.size) > len(data)
        ):
            raise ModelError("the vocabulary of the model is damaged; convert the model again")

    def _offset(self, token):
        return struct.unpack_from("<I", self._data, HEADER_BYTES + 4 * token)[0]

    def _half(self, at):
        return struct.unpack_from("<H", self._data, at)[0]

    def piece(self, token):
        """Return the text of a token as bytes, b"" for tokens that only control the model."""
        if not 0 <= token < self.size:
            raise InputError("there is no token %d; give a number below %d" % (token, self.size))
        at, end = struct.unpack_from("<2I", self._data, HEADER_BYTES + 4 * token)
        return bytes(self._data[self._texts + at : self._texts + end])

    def find(self, text):
        """Return the token whose text is `text` (bytes), or -1."""
        low, high = 0, self._sorted
        while low < high:
            middle = (low + high) >> 1
            token = self._half(self._order + 2 * middle)
            found = self.piece(token)
            if found == text:
                return token
            if found < text:
                low = middle + 1
            else:
                high = middle
        return -1

    def encode(self, text):
        """Return the tokens of a text, without a token that begins it."""
        data = text.encode()
        if data and self.is_prefixed and not (self._keeps_space and data[0] == 32):
            data = b" " + data
        tokens = self._split(data)
        pairs = [self._joined(tokens, i) for i in range(len(tokens))]
        while True:
            best = -1
            rank = NONE
            for i in range(len(tokens) - 1):
                if pairs[i] >= 0 and self._half(self._ranks + 2 * pairs[i]) < rank:
                    rank = self._half(self._ranks + 2 * pairs[i])
                    best = i
            if best < 0:
                return tokens
            tokens[best] = pairs[best]
            tokens.pop(best + 1)
            pairs.pop(best + 1)
            for i in range(max(0, best - 1), best + 1):
                pairs[i] = self._joined(tokens, i)

    # Return the token that joins tokens `i` and `i + 1`, or -1.
    def _joined(self, tokens, i):
        if i + 1 >= len(tokens):
            return -1
        first, second = self.piece(tokens[i]), self.piece(tokens[i + 1])
        return self.find(first + second) if first and second else -1

    # Return a token for each character, or for each of its bytes.
    def _split(self, data):
        tokens = []
        at = 0
        while at < len(data):
            end = at + 1
            while end < len(data) and data[end] & 0xC0 == 0x80:
                end += 1
            token = self.find(data[at:end])
            if token >= 0:
                tokens.append(token)
            else:
                for value in data[at:end]:
                    token = self._half(self._bytes + 2 * value)
                    tokens.append(self.unknown if token == NONE else token)
            at = end
        return tokens
