# tflm.learner: Learner: a few examples taught on the board, on the features of a frozen network
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import align_up
from .errors import InputError, StateError, check, check_count
from .learn import heads, store

_MOST_FEATURES = 1024  # so that no sum of squares or products passes 30 bits
_METHODS = ("prototypes", "neighbours", "sgd")  # heads.BY_METHOD, which error sentences name


class Learner:
    """Learns classes from examples, in integers: the same on a board and on a computer.

    interp: an Interpreter whose features are int8. layer: name or number of the tensor that has
    them, which interp.tensors() must keep; None takes the only one that is kept (tflm flatten
    --feature), or output 0. method: "prototypes" (the nearest mean
    of a class), "neighbours" (the class that most of the k nearest examples have) or "sgd" (a
    last layer, trained by one example after the other). classes, examples: how many there is
    room for; their memory is taken now, features + 1 bytes an example.

    Everything that is learnt follows from the examples and their order: save() keeps no more.
    features: those of what was invoked last, the bytes of int8 in the arena. threshold: the
    distance() from which on an input is unlike all examples; it is twice the largest one that an
    example has from the others. Raises InputError.
    """

    def __init__(self, interp, layer=None, *, method="prototypes", classes=8, examples=64, k=3):
        check("interp", interp, hasattr(interp, "output"), "an Interpreter")
        check("method", method, method in _METHODS, "one of " + ", ".join(_METHODS))
        check_count("classes", classes)
        check_count("examples", examples)
        check_count("k", k)
        check("classes", classes, classes < 256, "255 or fewer")
        check("examples", examples, examples < 65536, "65535 or fewer")
        check("k", k, k < 256, "255 or less")
        self._interp = interp
        self._number, tensor = _tensor_of(interp, layer)
        self.features = tensor.raw
        size = len(tensor.raw)
        check("the layer's type", tensor.dtype, tensor.dtype == "int8", "int8")
        check("the layer's size", size, size <= _MOST_FEATURES, "%d or less" % _MOST_FEATURES)
        self.labels = []
        self._threshold = None
        self._size = size
        self._count = 0
        self._classes = classes
        # One piece of memory: examples, the number of each one's class, then what the head needs.
        head = heads.BY_METHOD[method]
        at = align_up(examples * (size + 1), 4)
        memory = memoryview(bytearray(at + head.bytes(size, classes, k)))
        self._examples = memory[: size * examples]
        self._numbers = memory[size * examples : (size + 1) * examples]
        self._head = head(memory, at, size, classes, examples, k)

    # Have the features of an input, or of what was invoked last.
    def _see(self, values):
        if values is not None:
            self._interp.input(0).quantize(values)
            self._interp.invoke()

    def __len__(self):
        return self._count

    def add(self, label, values=None):
        """Learn an example of a class: of the input `values`, or of what was invoked last.

        label: a text or a whole number. Raises InputError when there is no room.
        """
        check("label", label, isinstance(label, (str, int)), "a text or a whole number")
        if self._count == len(self._numbers):
            raise InputError(
                "the learner has its %d examples; forget() a class, or pass a larger examples="
                % self._count
            )
        self._see(values)
        if label not in self.labels:
            if len(self.labels) == self._classes:
                raise InputError(
                    "the learner has its %d classes; forget() one, or pass a larger classes="
                    % self._classes
                )
            self.labels.append(label)
        at = self._count * self._size
        self._examples[at : at + self._size] = self.features
        self._numbers[self._count] = self.labels.index(label)
        self._count += 1
        self._learn()

    # Everything that follows from the examples.
    def _learn(self):
        self._head.learn(self._examples, self._numbers, self._count, len(self.labels))
        self._threshold = None

    @property
    def threshold(self):
        """The distance() from which on an input is unlike all examples; see the class."""
        if self._threshold is None:  # each example with each other one: only for who asks
            self._threshold = 2 * heads.widest(self._examples, self._count, self._size)
        return self._threshold

    def predict(self, values=None):
        """The label of the input `values`, or of what was invoked last; that takes no memory."""
        if not self._count:
            raise InputError("the learner has no examples; add() some of each class")
        self._see(values)
        return self.labels[self._head.predict(self.features)]

    def distance(self, values=None):
        """The squared distance of an input from the nearest example, in units of the features."""
        self._see(values)
        return heads.nearest(self.features, self._examples, self._count, self._size, -1)

    def is_unusual(self, values=None):
        """True for an input that is unlike all examples: distance() is above the threshold."""
        return self.distance(values) > self.threshold

    def forget(self, label):
        """Forget a class and its examples."""
        if label not in self.labels:
            raise InputError("there is no class %r; there are %s" % (label, self.labels))
        gone = self.labels.index(label)
        size, kept = self._size, 0
        for i in range(self._count):
            number = self._numbers[i]
            if number != gone:
                row = self._examples[i * size : (i + 1) * size]
                self._examples[kept * size : (kept + 1) * size] = row
                self._numbers[kept] = number - 1 if number > gone else number
                kept += 1
        self.labels.remove(label)
        self._count = kept
        self._learn()

    def save(self, path):
        """Write the examples to a file; after a power cut it has the old ones or the new ones."""
        check("path", path, isinstance(path, str), "a text")
        rows = self._examples[: self._count * self._size]
        store.save(path, self.labels, rows, self._numbers[: self._count], self._size)

    def load(self, path):
        """Take the examples of a file that save() wrote, in place of those there are.

        Raises InputError for a file of another layer or with too many examples, ModelError for a
        damaged one, OSError where there is none.
        """
        check("path", path, isinstance(path, str), "a text")
        labels, rows, numbers = store.load(path, self._size)
        if len(labels) > self._classes or len(numbers) > len(self._numbers):
            raise InputError(
                "%s has %d classes and %d examples; pass a larger classes= or examples="
                % (path, len(labels), len(numbers))
            )
        self._examples[: len(rows)] = rows
        self._numbers[: len(numbers)] = numbers
        self.labels, self._count = labels, len(numbers)
        self._learn()

    def save_model(self, path):
        """Write a .tflm with network and head, which tflm.load() runs without a Learner.

        Its output 0 are the scores, int32, one for each label of model.labels(): the first of the
        largest is what predict() says. Raises InputError without examples and for a network
        that is a .tflite.
        """
        check("path", path, isinstance(path, str), "a text")
        flat = self._interp._program.flat
        if not self._count or flat is None:
            raise InputError(
                "there are no examples yet; add() some of each class"
                if flat
                else "the network is a .tflite; flatten it: tflm flatten MODEL --feature last"
            )
        from .learn.tail import save_model

        save_model(path, flat[0], self._number, self._head, self._count, self.labels)


# The features' number, as flat models list it (None: output 0), and their Tensor in the arena.
def _tensor_of(interp, layer):
    try:
        tensors = interp.tensors()
    except StateError:  # none is kept
        if layer is not None:
            raise
        tensors = {}
    if layer is None:
        return list(tensors.items())[0] if len(tensors) == 1 else (None, interp.output(0).kept)
    for number in tensors:
        if layer in (number, tensors[number].name):
            return number, tensors[number]
    names = ["%d %s" % (number, tensors[number].name) for number in sorted(tensors)]
    raise InputError("layer is %r; it has to be one of: %s" % (layer, ", ".join(names)))
