# tflm: the first element of one of many matrices, for BATCH_MATMUL
# MIT license; Copyright (c) 2026 the tflm authors


# The number of the first element of matrix `batch`. Batches have three dimensions; `middle` and
# `last` are the sizes of the second and the third. Word `block` of the record and the next two
# words are the strides of a tensor along these dimensions in elements, 0 if the tensor is
# repeated.
@micropython.viper
def first_element(op, block: int, batch: int, middle: int, last: int) -> int:
    r = ptr32(int(ptr32(op)) + 4 * block)
    row = batch // last
    plane = row // middle
    return plane * r[0] + (row - plane * middle) * r[1] + (batch - row * last) * r[2]
