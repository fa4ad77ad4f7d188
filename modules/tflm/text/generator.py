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
    text; Ctrl-C works during each token.
    """

    def __init__(self, interpreter, vocabulary, prompt, n, sampler):
        self.position = self.tokens = 0
        self._interpreter, self._vocabulary, self._sampler = interpreter, vocabulary, sampler
        self._prompt, self._most = prompt, n
        self._next = prompt[0]  # the token that the model reads next; None at the end
        self._bytes = b""  # of a character that is not complete

    def stop(self):
        """End the text: the iterator has no more items."""
        self._next = None

    def __iter__(self):
        return self

    def __aiter__(self):
        return self

    def __next__(self):
        words = ""
        while not words:
            if not self._has_next():
                raise StopIteration
            self._set_inputs()
            self._interpreter.invoke()
            words = self._words()
        return words

    async def __anext__(self):
        words = ""
        while not words:
            if not self._has_next():
                raise StopAsyncIteration
            self._set_inputs()
            await self._interpreter.invoke_async()
            words = self._words()
        return words

    def _has_next(self):
        if self._next is None or self.position >= self._vocabulary.positions:
            return False
        return self._most is None or self.tokens < self._most

    def _set_inputs(self):
        self._interpreter.input(_TOKEN).data[0] = self._next
        self._interpreter.input(_POSITION).data[0] = self.position

    # Choose the next token after an invoke; return the text that is complete now, maybe "".
    def _words(self):
        if self._next is None:  # stop() was called during the invoke
            return ""
        self.position += 1
        if self.position < len(self._prompt):
            self._next = self._prompt[self.position]
            return ""
        token = self._sampler.choose()
        vocabulary = self._vocabulary
        if token in (vocabulary.begin, vocabulary.end):
            self._next = None
            return ""
        self._next = token
        self.tokens += 1
        piece = vocabulary.piece(token)
        if vocabulary.is_prefixed and self.position == 1:
            piece = piece.lstrip()
        return self._decoded(piece)

    # The text of a piece; the bytes of an incomplete character wait for the next piece.
    def _decoded(self, piece):
        data = self._bytes + piece
        try:
            words = data.decode()
            self._bytes = b""
        except UnicodeError:
            words = ""
            self._bytes = data
            if len(data) > 4:
                words = "?"
                self._bytes = b""
        return words
