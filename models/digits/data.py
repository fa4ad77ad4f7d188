# The handwritten digits and their fixed split, for training, demo and tests
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np

SPLIT_SEED = 2026
TEST_COUNT = 360  # a fifth of the 1797 images
LABELS = tuple("0123456789")
TEST_FILE = Path(__file__).resolve().parent / "digits_test.npz"


def load():
    """Return (train_x, train_y, test_x, test_y).

    x: images, uint8 [n, 8, 8, 1] of 0..16. y: labels, uint8 [n].

    Source: scikit-learn's load_digits(), the 1797 test images of UCI's "Optical Recognition of
    Handwritten Digits". The split is one permutation by SPLIT_SEED. Needs numpy and scikit-learn.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    x = digits.images.astype(np.uint8)[..., None]
    y = digits.target.astype(np.uint8)
    order = np.random.RandomState(SPLIT_SEED).permutation(len(x))
    train, test = order[TEST_COUNT:], order[:TEST_COUNT]
    return x[train], y[train], x[test], y[test]
