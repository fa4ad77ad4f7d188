# tflm: heads: what a Learner puts on features of int8: means, neighbours, a trained layer
# MIT license; Copyright (c) 2026 the tflm authors

# Each head is learn(examples, numbers, count, classes), from nothing, and predict(features, ...),
# which allocates nothing. Features are read with their sign bit turned over, 0 to 255, which
# changes no difference. With 1024 features no sum passes 30 bits, so words of 32 and of 64 bits
# give the same.

from array import array

_PARTS = 4  # of a unit: means are that exact
_PASSES = 8
_STEP = 3  # a step moves weights by the feature >> 3
_MOST_WEIGHT = 4095


# The squared distance of features from row `i` of examples.
@micropython.viper
def _distance(features: ptr8, examples: ptr8, i: int, size: int) -> int:
    total = 0
    at = i * size
    for k in range(size):
        d = (int(features[k]) ^ 128) - (int(examples[at + k]) ^ 128)
        total += d * d
    return total


# The means of class `number`, in quarters; all examples with number -1.
@micropython.viper
def _mean(
    examples: ptr8, numbers: ptr8, count: int, size: int, number: int, means: ptr16, at: int
):
    rows = 0
    for i in range(count):
        if number < 0 or int(numbers[i]) == number:
            rows += 1
    if rows == 0:
        return
    for k in range(size):
        total = 0
        for i in range(count):
            if number < 0 or int(numbers[i]) == number:
                total += int(examples[i * size + k]) ^ 128
        means[at + k] = (8 * total + rows) // (2 * rows)


# The squared distance from means, in sixteenths.
@micropython.viper
def _from_mean(features: ptr8, means: ptr16, at: int, size: int) -> int:
    total = 0
    for k in range(size):
        d = 4 * (int(features[k]) ^ 128) - int(means[at + k])
        total += d * d
    return total


# The product of weights (offset by 4096) with features less their mean.
@micropython.viper
def _product(features: ptr8, first: int, means: ptr16, weights: ptr16, at: int, size: int) -> int:
    total = 0
    for k in range(size):
        v = (int(features[first + k]) ^ 128) - (int(means[k]) >> 2)
        total += (int(weights[at + k]) - 4096) * v
    return total


# The same with the features themselves.
@micropython.viper
def _square(features: ptr8, first: int, means: ptr16, size: int) -> int:
    total = 0
    for k in range(size):
        v = (int(features[first + k]) ^ 128) - (int(means[k]) >> 2)
        total += v * v
    return total


# Move weights by features less their mean, up or down.
@micropython.viper
def _move(features: ptr8, first: int, means: ptr16, weights: ptr16, at: int, size: int, up: int):
    for k in range(size):
        v = ((int(features[first + k]) ^ 128) - (int(means[k]) >> 2)) >> 3
        if up == 0:
            v = 0 - v
        w = int(weights[at + k]) + v
        if w < 1:
            w = 1
        if w > 8191:
            w = 8191
        weights[at + k] = w


# The distance of features from the nearest example but number `without`; 0 without any.
def nearest(features, examples, count, size, without):
    least = -1
    for i in range(count):
        if i != without:
            d = _distance(features, examples, i, size)
            if least < 0 or d < least:
                least = d
    return max(least, 0)


# The largest distance that an example has from the nearest one of the others.
def widest(examples, count, size):
    most = 0
    rows = memoryview(examples)
    for i in range(count):
        most = max(most, nearest(rows[i * size : (i + 1) * size], examples, count, size, i))
    return most


# The class whose mean is nearest; of equal ones the first.
class prototypes:
    def __init__(self, size, classes, _examples, _k):
        self._size = size
        self._means = array("H", bytes(2 * size * classes))
        self._classes = 0

    def learn(self, examples, numbers, count, classes):
        self._classes = classes
        for c in range(classes):
            _mean(examples, numbers, count, self._size, c, self._means, c * self._size)

    def predict(self, features, _examples, _numbers, _count):
        best, least = 0, -1
        for c in range(self._classes):
            d = _from_mean(features, self._means, c * self._size, self._size)
            if least < 0 or d < least:
                best, least = c, d
        return best


# The class that most of the k nearest examples have; of equal ones the first.
class neighbours:
    def __init__(self, size, classes, examples, k):
        self._size = size
        self._k = min(k, examples)
        self._far = array("i", bytes(4 * self._k))
        self._who = bytearray(self._k)
        self._votes = bytearray(classes)

    def learn(self, _examples, _numbers, _count, classes):
        self._classes = classes

    def predict(self, features, examples, numbers, count):
        far, who, found = self._far, self._who, 0
        for i in range(count):
            d = _distance(features, examples, i, self._size)
            at = found
            while at and far[at - 1] > d:  # kept in order, the nearest first
                at -= 1
            if at < self._k:
                found = min(found + 1, self._k)
                for j in range(found - 1, at, -1):
                    far[j], who[j] = far[j - 1], who[j - 1]
                far[at], who[at] = d, numbers[i]
        votes, best = self._votes, 0
        for c in range(self._classes):
            votes[c] = 0
        for i in range(found):
            votes[who[i]] += 1
        for c in range(self._classes):
            if votes[c] > votes[best]:
                best = c
        return best


# A layer of weights: the largest product wins. Where the right class does not win by half of the
# features' square, its weights go towards the example, those of the best other one away from it.
class sgd:
    def __init__(self, size, classes, _examples, _k):
        self._size = size
        self._means = array("H", bytes(2 * size))
        self._weights = array("H", bytes(2 * size * classes))
        self._classes = 0

    # The best class but `without`, and keep its product.
    def _best(self, features, first, without):
        best = -1
        for c in range(self._classes):
            if c != without:
                p = _product(
                    features, first, self._means, self._weights, c * self._size, self._size
                )
                if best < 0 or p > self._top:
                    best, self._top = c, p
        return best

    def learn(self, examples, numbers, count, classes):
        size, means, weights = self._size, self._means, self._weights
        self._classes = classes
        _mean(examples, numbers, count, size, -1, means, 0)
        for i in range(classes * size):
            weights[i] = _MOST_WEIGHT + 1
        for _ in range(_PASSES if classes > 1 else 0):
            for i in range(count):
                first, right = i * size, numbers[i]
                other = self._best(examples, first, right)
                got = _product(examples, first, means, weights, right * size, size)
                if got - self._top < _square(examples, first, means, size) >> 1:
                    _move(examples, first, means, weights, right * size, size, 1)
                    _move(examples, first, means, weights, other * size, size, 0)

    def predict(self, features, _examples, _numbers, _count):
        return self._best(features, 0, -1)
