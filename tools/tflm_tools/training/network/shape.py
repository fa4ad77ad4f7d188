# tflm_tools: training: the shape of the network: features, layers, how far back they hear
# MIT license; Copyright (c) 2026 the tflm authors

CHANNELS = 40
STRIDE = 3  # features of an inference
FIRST = 5  # features that the first layer sees
WIDTH = 32  # channels of the first layer
# Blocks: channels, and how many inferences back each of their parts hears. The last one is made
# so long that the phrase fits.
_BLOCKS = ((64, (5,)), (64, (7, 11)), (64, (9, 15)))
_LEAST_LAST = 5


def blocks(hops):
    """The blocks of a network that hears `hops` features at once, at least."""
    last = max(_LEAST_LAST, -(-hops // STRIDE) - heard(_BLOCKS) + 1)
    return (*_BLOCKS, (64, (last,)))


def heard(shape):
    """How many inferences back a network of these blocks hears, its own one among them."""
    return 1 + sum(max(sizes) - 1 for _, sizes in shape)
