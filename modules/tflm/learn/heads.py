# tflm: The heads of a Learner: nearest mean, nearest neighbours, a trained layer.
# MIT license; Copyright (c) 2026 the tflm authors

# A head stores what it learns in the Learner's memory, in the layout of the kernel that predicts
# from it (kernels/learnt.py); model_file.py copies it to a .tflm. Results are equal with 32-bit
# and 64-bit words.

from array import array

from ..kernels import learnt

_PASSES = 8
_ZERO_WEIGHT = const(4096)  # the stored value of a weight of 0


# Return the squared distance of features from row `i` of the examples.
@micropython.viper
def _distance(features: ptr8, examples: ptr8, i: int, size: int) -> int:
    total = 0
    at = i * size
    for k in range(size):
        d = (int(features[k]) ^ 128) - (int(examples[at + k]) ^ 128)
        total += d * d
    return total


# Compute the means of class `number`, in quarters; with number -1 of all examples.
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


# Train with all examples once; return 1 if weights changed. For each example:
#   1. Subtract the mean from its features (`seen` is memory for that).
#   2. Compute the score of each class.
#   3. If the right class does not win by half of the squared length of the features, add an eighth
#      of the features to its weights, and subtract them from the weights of the best other class.
@micropython.viper
def _train(
    row: ptr8,
    numbers: ptr8,
    count: int,
    size: int,
    classes: int,
    means: ptr16,
    weights: ptr16,
    seen: ptr16,
) -> int:
    changed = 0
    n = 0
    while n < count:
        square = 0
        total = 0
        k = 0
        while k < size:
            v = (int(row[k]) ^ 128) - (int(means[k]) >> 2)
            seen[k] = v + 256
            square += v * v
            total += v
            k += 1
        zero = 0 - _ZERO_WEIGHT * total
        right = int(numbers[n])
        got = 0
        best = -1
        most = 0
        w = ptr16(int(weights))
        c = 0
        while c < classes:
            total = zero
            k = 0
            while k < size:
                total += int(w[k]) * (int(seen[k]) - 256)
                k += 1
            if c == right:
                got = total
            elif best < 0 or total > most:
                best = c
                most = total
            w = ptr16(int(w) + 2 * size)
            c += 1
        if got - most < square >> 1:
            changed = 1
            up = ptr16(int(weights) + 2 * size * right)
            down = ptr16(int(weights) + 2 * size * best)
            k = 0
            while k < size:
                v = (int(seen[k]) - 256) >> 3
                a = int(up[k]) + v
                up[k] = 1 if a < 1 else 8191 if a > 8191 else a
                a = int(down[k]) - v
                down[k] = 1 if a < 1 else 8191 if a > 8191 else a
                k += 1
        row = ptr8(int(row) + size)
        n += 1
    return changed


# Copy bytes. This and remove() are viper so that they change all or nothing: Ctrl-C arrives only
# at jumps of bytecode.
@micropython.viper
def copy(target: ptr8, source: ptr8, size: int):
    i = 0
    while i < size:
        target[i] = source[i]
        i += 1


# Remove the examples of a class; the numbers of later classes become one less. Return how many
# examples are left.
@micropython.viper
def remove(examples: ptr8, numbers: ptr8, count: int, size: int, number: int) -> int:
    left = 0
    i = 0
    while i < count:
        own = int(numbers[i])
        if own != number:
            k = 0
            while k < size:
                examples[left * size + k] = examples[i * size + k]
                k += 1
            numbers[left] = own - 1 if own > number else own
            left += 1
        i += 1
    return left


# Return the class with the first of the largest scores.
@micropython.viper
def _largest(scores: ptr32, classes: int) -> int:
    # On x64, words have 64 bits and loads zero-extend: the shift restores the sign.
    sign = 0x20000000
    sign = sign << 3 >> 27
    best = -1
    most = 0
    for c in range(classes):
        score = (scores[c] << sign) >> sign
        if best < 0 or score > most:
            best = c
            most = score
    return best


# Return the distance of features from the nearest example except number `without`; 0 without any.
def nearest(features, examples, count, size, without):
    least = -1
    for i in range(count):
        if i != without:
            d = _distance(features, examples, i, size)
            if least < 0 or d < least:
                least = d
    return max(least, 0)


# Return the largest distance between an example and its nearest one.
def widest(examples, count, size):
    most = 0
    for i in range(count):
        row = examples[i * size : (i + 1) * size]
        most = max(most, nearest(row, examples, count, size, i))
    return most


# A kernel on the Learner's memory. Operand 1 of its record is the features, operand 2 the scores
# (one for each class, the largest wins), then follow the learnt tensors. Offsets count from the
# start of the memory.
class _Head:
    def __init__(self, memory, kernel, operands, numbers):
        self.memory = memory
        self.kernel = kernel
        self._eval = getattr(learnt, kernel)
        self.record = array("I", [0, 0] + [at << 2 | 1 for at in operands] + numbers)
        self._scores = memory[operands[0] :]
        self.classes = 0

    # Return the class of features; allocates nothing.
    def predict(self, features):
        self._eval(self.record, features, self.memory, 0, self.record[0])
        return _largest(self._scores, self.classes)


# The class with the nearest mean.
class Prototypes(_Head):
    def __init__(self, memory, at, size, classes, _examples, _k):
        means = at + 4 * classes
        super().__init__(memory, "eval_prototypes", [at, means], [size])
        self._means = memory[means:]
        self._size = size

    @staticmethod
    def bytes(size, classes, _k):
        return 4 * classes + 2 * size * classes

    def learn(self, examples, numbers, count, classes):
        self.classes = self.record[0] = classes
        for c in range(classes):
            _mean(examples, numbers, count, self._size, c, self._means, c * self._size)

    # Return {name of the operand in model_file.LAYOUTS: bytes} of the learnt tensors.
    def learnt_bytes(self, _count):
        return {"means": 2 * self._size * self.classes}


# The most frequent class of the k nearest examples.
class Neighbours(_Head):
    def __init__(self, memory, at, size, classes, examples, k):
        operands = [at, 0, size * examples, at + 4 * classes]
        super().__init__(memory, "eval_neighbours", operands, [size, 0, 0, k])
        self._size = size
        self._k = k

    @staticmethod
    def bytes(_size, classes, k):
        return 4 * classes + 8 * k

    def learn(self, _examples, _numbers, count, classes):
        self.record[0] = 1
        self.record[7] = count
        self.classes = self.record[8] = classes

    def learnt_bytes(self, count):
        return {"examples": self._size * count, "numbers": count, "found": 8 * self._k}


# A layer of weights, one row for each class.
class Sgd(_Head):
    def __init__(self, memory, at, size, classes, _examples, _k):
        means = at + 4 * classes
        weights = means + 2 * size
        super().__init__(memory, "eval_sgd", [at, means, weights], [size])
        self._means, self._weights = memory[means:weights], memory[weights:]
        self._seen = memory[weights + 2 * size * classes :]
        self._size = size

    @staticmethod
    def bytes(size, classes, _k):
        return 4 * classes + 2 * size * (classes + 2)

    def learn(self, examples, numbers, count, classes):
        size, means, weights = self._size, self._means, self._weights
        self.classes = self.record[0] = classes
        _mean(examples, numbers, count, size, -1, means, 0)
        for i in range(2 * classes * size):
            weights[i] = _ZERO_WEIGHT >> 8 if i & 1 else 0
        for _ in range(_PASSES if classes > 1 else 0):
            if not _train(examples, numbers, count, size, classes, means, weights, self._seen):
                break  # further passes would change nothing

    def learnt_bytes(self, _count):
        return {"means": 2 * self._size, "weights": 2 * self._size * self.classes}


BY_METHOD = {"prototypes": Prototypes, "neighbours": Neighbours, "sgd": Sgd}
