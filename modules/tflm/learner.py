# tflm.learner: Learner: learn classes on the board, from features of a trained network.
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import align_up
from .errors import InputError, StateError, check, check_count
from .learn import heads, store

_MAX_FEATURES = 1024  # so that no sum of squares or products is above 30 bits
_METHODS = ("prototypes", "neighbours", "sgd")  # keys of heads.BY_METHOD, as errors list them


class Learner:
    """Learn classes from examples, in integers, with the same result on boards and computers.

    interp: an Interpreter. layer: name or number of the tensor with the features, of type int8 and
        at most 1,024 elements; interp.tensors() must have it. By default the only kept tensor
        (`tflm flatten --feature`), else output 0.
    method: "prototypes" (the nearest mean of a class), "neighbours" (the most frequent class
        among the k nearest examples), or "sgd" (a last layer, trained example by example).
    classes, examples: the most that the Learner can hold. It allocates their memory at once,
        features + 1 bytes for each example.

    len(learner): the number of examples. labels: the classes. features: the features of the last
    invoke, int8 in the arena. threshold: an input whose distance() is above it resembles no
    example; by default twice the largest distance between an example and its nearest one.
    All that is learnt follows from the examples and their order, so save() writes only these.
    Raises InputError for invalid arguments.
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
        check("the layer's size", size, size <= _MAX_FEATURES, "%d or less" % _MAX_FEATURES)
        self.labels = []
        self._threshold = None
        self._is_learnt = False  # the head has learnt the examples
        self._size = size
        self._count = 0
        self._classes = classes
        # One block of memory: the examples, their classes, then the memory of the head.
        head = heads.BY_METHOD[method]
        at = align_up(examples * (size + 1), 4)
        memory = memoryview(bytearray(at + head.bytes(size, classes, k)))
        self._examples = memory[: size * examples]
        self._numbers = memory[size * examples : (size + 1) * examples]
        self._head = head(memory, at, size, classes, examples, k)

    # Compute the features of an input; None: the features of the last invoke.
    def _compute(self, values):
        if values is not None:
            self._interp.input(0).quantize(values)
            self._interp.invoke()

    def __len__(self):
        return self._count

    def add(self, label, values=None):
        """Learn an example of a class.

        label: a text or an int. values: an input, as for Tensor.quantize(); None: the features of
        the last invoke. Raises InputError if the Learner has no space for more.
        """
        check("label", label, isinstance(label, (str, int)), "a text or an int")
        if self._count == len(self._numbers):
            raise InputError(
                "the learner holds its %d examples; forget() a class, or pass a larger examples="
                % self._count
            )
        self._compute(values)
        is_new = label not in self.labels
        if is_new and len(self.labels) == self._classes:
            raise InputError(
                "the learner holds its %d classes; forget() one, or pass a larger classes="
                % self._classes
            )
        at = self._count * self._size
        self._examples[at : at + self._size] = self.features
        self._numbers[self._count] = len(self.labels) if is_new else self.labels.index(label)
        self._change()
        if is_new:
            self.labels.append(label)
        self._count += 1
        self._learn()

    # Call this before each change of the examples. The statements of a change neither allocate nor
    # jump, so that MemoryError and Ctrl-C leave the old or the new examples.
    def _change(self):
        self._is_learnt = False
        self._threshold = None

    # Compute what follows from the examples. If this is interrupted, the next use does it again.
    def _learn(self):
        self._head.learn(self._examples, self._numbers, self._count, len(self.labels))
        self._is_learnt = True

    # Return the head after it has learnt the examples.
    def _learnt_head(self):
        if not self._is_learnt:
            self._learn()
        return self._head

    @property
    def threshold(self):
        """The distance() above which an input resembles no example; see the class."""
        if self._threshold is None:  # computed on demand: it compares all pairs of examples
            self._threshold = 2 * heads.widest(self._examples, self._count, self._size)
        return self._threshold

    def predict(self, values=None):
        """Return the label of an input, or of the last invoke's features; allocates nothing.

        values: as for add(). Raises InputError without examples.
        """
        if not self._count:
            raise InputError("the learner has no examples; add() some of each class")
        self._compute(values)
        return self.labels[self._learnt_head().predict(self.features)]

    def distance(self, values=None):
        """Return the squared distance of an input's features to the nearest example."""
        self._compute(values)
        return heads.nearest(self.features, self._examples, self._count, self._size, -1)

    def is_unusual(self, values=None):
        """Return True if the distance() of an input is above the threshold."""
        return self.distance(values) > self.threshold

    def forget(self, label):
        """Remove a class and its examples. Raises InputError for an unknown class."""
        if label not in self.labels:
            raise InputError("there is no class %r; pass one of %s" % (label, self.labels))
        number = self.labels.index(label)
        self._change()
        self._count = heads.remove(self._examples, self._numbers, self._count, self._size, number)
        self.labels.pop(number)
        self._learn()

    def save(self, path):
        """Write the examples to a file. After a power cut it has the old or the new examples."""
        check("path", path, isinstance(path, str), "a text")
        rows = self._examples[: self._count * self._size]
        store.save(path, self.labels, rows, self._numbers[: self._count], self._size)

    def load(self, path):
        """Replace all examples by the examples of a file that save() wrote.

        Raises InputError for a file of another layer or with too many examples, ModelError for a
        damaged file, and OSError if the file cannot be read.
        """
        check("path", path, isinstance(path, str), "a text")
        labels, rows, numbers = store.load(path, self._size)
        if len(labels) > self._classes or len(numbers) > len(self._numbers):
            raise InputError(
                "%s has %d classes and %d examples; pass a larger classes= or examples="
                % (path, len(labels), len(numbers))
            )
        self._change()
        heads.copy(self._examples, rows, len(rows))
        heads.copy(self._numbers, numbers, len(numbers))
        self.labels = labels
        self._count = len(numbers)
        self._learn()

    def save_model(self, path):
        """Write a .tflm with network and head, which tflm.load() runs without a Learner.

        Its output 0 are int32 scores, one for each of model.labels(); the first of the largest is
        the label that predict() returns. The outputs of the network follow. Raises InputError
        without examples, and for a network that is a .tflite.
        """
        check("path", path, isinstance(path, str), "a text")
        flat = self._interp._prepared().flat
        if not self._count or flat is None:
            raise InputError(
                "there are no examples; add() some of each class"
                if flat
                else "the network is a .tflite; use tflm flatten MODEL --feature last"
            )
        from .learn.model_file import save_model

        save_model(path, flat, self._number, self._learnt_head(), self._count, self.labels)


# Return (number, Tensor) of the features; the number is None for output 0.
def _tensor_of(interp, layer):
    try:
        tensors = interp.tensors()
    except StateError:  # no tensors are kept
        if layer is not None:
            raise
        tensors = {}
    if layer is None:
        return list(tensors.items())[0] if len(tensors) == 1 else (None, interp.output(0).kept)
    for number in tensors:
        if layer in (number, tensors[number].name):
            return number, tensors[number]
    names = ["%d %s" % (number, tensors[number].name) for number in sorted(tensors)]
    raise InputError("layer is %r; pass one of: %s" % (layer, ", ".join(names)))
