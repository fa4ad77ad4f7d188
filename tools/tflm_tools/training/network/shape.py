# tflm_tools: training: the shape of the network: features, layers, receptive field
# MIT license; Copyright (c) 2026 the tflm authors

CHANNELS = 40
STRIDE = 3  # new features for an inference
FIRST = 5  # kernel size of the first layer, in features
WIDTH = 32  # channels of the first layer
# Blocks of mixed depthwise convolutions (MixConv): channels, and the kernel size of each group of
# channels, in inferences. The kernel of the last block is chosen so that the phrase fits.
_BLOCKS = ((64, (5,)), (64, (7, 11)), (64, (9, 15)))
_MIN_LAST_KERNEL = 5


def blocks(hops):
    """Return the blocks of a network whose receptive field is at least `hops` features."""
    last = max(_MIN_LAST_KERNEL, -(-hops // STRIDE) - receptive_field(_BLOCKS) + 1)
    return (*_BLOCKS, (64, (last,)))


def receptive_field(shape):
    """Return the receptive field of a network with these blocks, in inferences."""
    return 1 + sum(max(sizes) - 1 for _, sizes in shape)
