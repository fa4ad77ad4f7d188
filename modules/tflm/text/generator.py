# tflm: Generator: writes texts with a language model, token by token.
# MIT license; Copyright (c) 2026 the tflm authors

import sys

from ..errors import InputError, ModelError
from ..interpreter import Interpreter
from ..loading import load
from .sampler import Sampler
from .vocabulary import NAME, Vocabulary

_TOKEN, _POSITION = 0, 1  # the inputs of a model
_KEPT_BYTES = 24000  # of weights in an RP2040's RAM


# Return the delegates of an Interpreter: an RP2040 streams the weights, which limit its speed.
def _delegates():
    if "RP2040" not in getattr(sys.implementation, "_machine", ""):
        return ()
    try:
        from ..run.streaming import Streaming
    except ImportError:  # a firmware without streaming
        return ()
    return (Streaming(_KEPT_BYTES),)


class Generator:
    """Writes texts with a model of `tflm convert`: `for word in Generator(m).generate("Once")`.

    model: as for Interpreter, whose options may follow. Without options an RP2040 streams the
    weights from flash (tflm.run.streaming). vocabulary: the Vocabulary of the model. Raises
    ModelError if the model is no language model.
    """

    def __init__(self, model, **options):
        if not hasattr(model, "metadata"):
            model = load(model)
        data = model.metadata().get(NAME)
        if data is None:
            raise ModelError(
                "the model has no vocabulary; make a language model with tflm convert CHECKPOINT"
            )
        self.vocabulary = Vocabulary(data)
        if not options:
            options = {"delegates": _delegates()}
        self.interpreter = Interpreter(model, **options)
        self._text = None

    def generate(self, prompt="", n=None, temperature=0.8, top_k=0, seed=1):
        """Return a Text: an iterator and async iterator over the words that follow `prompt`.

        n: the most tokens to write; by default until the model ends the text, or its longest text
        is reached. temperature, top_k, seed: see Sampler. A new text ends the one before it.
        """
        vocabulary = self.vocabulary
        tokens = [vocabulary.begin] + vocabulary.encode(prompt)
        if len(tokens) >= vocabulary.positions:
            raise InputError(
                "the prompt has %d tokens, and the model's longest text %d; shorten the prompt"
                % (len(tokens), vocabulary.positions)
            )
        sampler = Sampler(self.interpreter.output(0), temperature, top_k, seed)
        self.interpreter.reset()
        if self._text is not None:
            self._text.stop()
        self._text = Text(self.interpreter, vocabulary, tokens, n, sampler)
        return self._text


class Text:
    """A text that a Generator writes; each item is a str of one or more tokens.

    position: how many tokens the model has read. tokens: how many it has written. stop() ends the
    text. Ctrl-C works during each token; the iterator goes on where it was.
    """

    def __init__(self, interpreter, vocabulary, prompt, n, sampler):
        self.position = self.tokens = 0
        self._interpreter, self._vocabulary, self._prompt = interpreter, vocabulary, prompt
        self._choose = sampler.choose
        self._token, self._position = (interpreter.input(i).data for i in (_TOKEN, _POSITION))
        self._stops = vocabulary.begin, vocabulary.end
        self._end = vocabulary.positions  # the position at which the text ends
        if n is not None:
            self._end = min(self._end, len(prompt) - 1 + n) if n > 0 else 0
        self._next = prompt[0]  # the token that the model reads next; None at the end
        self._bytes = b""  # of a character that is not complete
        self._ready = ""  # text that the next item returns

    def stop(self):
        """End the text: the iterator has no more items."""
        self._next = None

    def __iter__(self):
        return self

    def __aiter__(self):
        return self

    def __next__(self):
        while not self._ready:
            if self._next is None or self.position >= self._end:
                raise StopIteration
            self._token[0] = self._next
            self._position[0] = self.position
            self._interpreter.invoke()
            self._read_token()
        words = self._ready
        self._ready = ""
        return words

    async def __anext__(self):
        while not self._ready:
            if self._next is None or self.position >= self._end:
                raise StopAsyncIteration
            self._token[0] = self._next
            self._position[0] = self.position
            await self._interpreter.invoke_async()
            self._read_token()
        words = self._ready
        self._ready = ""
        return words

    # Choose the next token after an invoke. `_ready` becomes the text that is complete now.
    def _read_token(self):
        if self._next is None:  # stop() was called during the invoke
            return
        position = self.position + 1
        words, rest = "", b""
        written = 0
        if position < len(self._prompt):
            token = self._prompt[position]
        else:
            token = self._choose()
            if token in self._stops:
                token = None
            else:
                words, rest = self._decoded(token, position)
                written = 1
        # No branch is between these lines, so that Ctrl-C does not separate them.
        self._next = token
        self._bytes = rest
        self._ready = words
        self.tokens += written
        self.position = position

    # Return (the text of a token, the bytes of a character that is not complete).
    def _decoded(self, token, position):
        data = self._vocabulary.piece(token)
        if position == 1 and self._vocabulary.is_prefixed:
            data = data.lstrip()
        data = self._bytes + data
        try:
            return data.decode(), b""
        except UnicodeError:
            pass
        words = ""
        at = 0
        while at < len(data):
            first = data[at]
            size = 1 if first < 0xC2 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
            character = data[at : at + size]
            if len(character) < size and all(value & 0xC0 == 0x80 for value in character[1:]):
                return words, character
            try:
                words += character.decode()
                at += size
            except UnicodeError:
                words += "\ufffd"
                at += 1
        return words, b""
