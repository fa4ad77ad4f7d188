# tflm: the heads of a Learner on int8 features: nearest means, nearest examples, a trained layer
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package learn; check learnt

# Features are read with their sign bit flipped, as 0 to 255, which changes no difference. With
# 1024 features no sum exceeds 30 bits, so that words of 32 and of 64 bits give the same results.

_INPUT = const(1)
_OUTPUT = const(2)
_MEANS = const(3)
_MEANS_SIZE = const(4)
_WEIGHTS = const(4)
_WEIGHTS_SIZE = const(5)
_EXAMPLES = const(3)
_NUMBERS = const(4)
_FOUND = const(5)
_EXAMPLES_SIZE = const(6)
_COUNT = const(7)
_CLASSES = const(8)
_K = const(9)


# Units are classes: minus the squared distance from a class's mean, in sixteenths. Means have 16
# bits and are in quarters.
@micropython.viper
def eval_prototypes(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_OUTPUT]
    y = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    size = op[_MEANS_SIZE]
    word = op[_MEANS]
    means = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + 2 * size * start)
    while start < stop:
        total = 0
        i = 0
        while i < size:
            d = 4 * (int(x[i]) ^ 128) - int(means[i])
            total -= d * d
            i += 1
        y[start] = total
        means = ptr16(int(means) + 2 * size)
        start += 1


# Units are classes: the product of a class's weights and the features less their mean. Weights
# have 16 bits; 4096 stands for 0.
@micropython.viper
def eval_sgd(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_OUTPUT]
    y = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_MEANS]
    means = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    size = op[_WEIGHTS_SIZE]
    word = op[_WEIGHTS]
    weights = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + 2 * size * start)
    while start < stop:
        total = 0
        i = 0
        while i < size:
            v = (int(x[i]) ^ 128) - (int(means[i]) >> 2)
            total += (int(weights[i]) - 4096) * v
            i += 1
        y[start] = total
        weights = ptr16(int(weights) + 2 * size)
        start += 1


# One unit: the number of examples of each class among the k nearest examples. `found` lists these,
# the nearest first: distance, class.
@micropython.viper
def eval_neighbours(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_OUTPUT]
    y = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_EXAMPLES]
    row = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_NUMBERS]
    numbers = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    word = op[_FOUND]
    found = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    size = op[_EXAMPLES_SIZE]
    count = op[_COUNT]
    k = op[_K]
    near = 0
    n = 0
    while n < count:
        total = 0
        i = 0
        while i < size:
            d = (int(x[i]) ^ 128) - (int(row[i]) ^ 128)
            total += d * d
            i += 1
        at = near
        while at > 0:
            if found[2 * at - 2] <= total:
                break
            at -= 1
        if at < k:
            if near < k:
                near += 1
            i = near - 1
            while i > at:
                found[2 * i] = found[2 * i - 2]
                found[2 * i + 1] = found[2 * i - 1]
                i -= 1
            found[2 * at] = total
            found[2 * at + 1] = int(numbers[n])
        row = ptr8(int(row) + size)
        n += 1
    classes = op[_CLASSES]
    i = 0
    while i < classes:
        y[i] = 0
        i += 1
    i = 0
    while i < near:
        number = found[2 * i + 1]
        y[number] += 1
        i += 1
