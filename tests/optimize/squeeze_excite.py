# Test support: networks with squeeze and excite, in the variants that converters write
# MIT license; Copyright (c) 2026 the tflm authors

from optimize.network import Network


# The mean of each channel of a tensor; variant: see squeeze_excite().
def _channel_means(net, source, variant):
    batch, height, width, depth = net.shapes[source]
    if variant == "pool":
        options = {"filter_height": height, "filter_width": width, "padding": "VALID"}
        options.update(stride_h=height, stride_w=width)
        return net.unary("AVERAGE_POOL_2D", source, shape=(1, 1, 1, depth), **options)
    scale, zero_point = 0.02, -120
    if variant == "twice":  # along the width, then along the height
        axis, shape = [net.constant([2])], (1, height, 1, depth)
        source = net.unary("MEAN", source, scale, zero_point, shape, axis, keep_dims=True)
        axis, shape = [net.constant([1])], (1, 1, 1, depth)
    else:
        axis = [net.constant([1, 2])]
        shape = (1, depth) if variant == "dense" else (1, 1, 1, depth)
    keep_dims = variant != "dense"
    return net.unary("MEAN", source, scale, zero_point, shape, axis, keep_dims=keep_dims)


def squeeze_excite(net, source, variant="mean", gate="LOGISTIC", squeezed=4):
    """Add squeeze and excite to a Network; return the number of the output.

    variant: "mean", "dense" (a MEAN that drops dimensions, and FULLY_CONNECTED), "twice" (a MEAN
    for each axis) or "pool". gate: "LOGISTIC", "HARD_SWISH", or "hard" (ADD and MUL of constants).
    squeezed: channels between the two convolutions.
    """
    depth = net.shapes[source][3]
    means = _channel_means(net, source, variant)
    if variant == "dense":
        factors = net.dense(net.dense(means, squeezed), depth, activation="NONE")
        factors = net.reshape(factors, (1, 1, 1, depth))
    else:
        factors = net.conv(means, squeezed)
        factors = net.conv(factors, depth, scale=0.05, zero_point=3, activation="NONE")
    if gate == "hard":
        factors = net.binary("ADD", factors, net.tensor((1,), 3 / 127, 0, [127]), 6 / 255, -128)
        factors = net.binary("MUL", factors, net.tensor((1,), 1 / 762, 0, [127]), 1 / 255, -128)
    else:
        scale = 1 / 256 if gate == "LOGISTIC" else 0.03
        factors = net.unary(gate, factors, scale, -128 if gate == "LOGISTIC" else -110)
    return net.binary("MUL", source, factors, 0.02, -128)


def mobilenet_block(net, source, expansion=6, filters=None, stride=1, size=3, **options):
    """Add a MobileNet block with squeeze and excite, and a residual ADD if shapes allow it."""
    depth = net.shapes[source][3]
    inner = net.depthwise(net.conv(source, expansion * depth), size, stride)
    inner = squeeze_excite(net, inner, **options)
    last = net.conv(inner, filters or depth, scale=0.05, zero_point=-3, activation="NONE")
    if net.shapes[last] == net.shapes[source]:
        return net.binary("ADD", source, last, 0.05, -3)
    return last


def squeezed_mobilenet(name, shape=(16, 16, 8), ends=True, blocks=2, **options):
    """Return a .tflite of consecutive mobilenet_block()s.

    ends: add a strided convolution before the blocks, and a classifier after them.
    """
    net = Network(f"squeezed {name}", shape)
    now = net.conv(net.inputs[0], 8, 3, 2) if ends else net.inputs[0]
    for _ in range(blocks):
        now = mobilenet_block(net, now, **options)
    if ends:
        pooled = net.unary(
            "MEAN", now, shape=(1, net.shapes[now][3]), inputs=[net.constant([1, 2])]
        )
        now = net.dense(pooled, 4)
    return net.build(now)


def squeezed_first_layer(name, variant="mean", side=16):
    """Return a .tflite with squeeze and excite after its first layer."""
    net = Network(f"squeezed {name}", (side, side, 4))
    now = squeeze_excite(net, net.conv(net.inputs[0], 16, 3, 1), variant)
    return net.build(net.conv(now, 4, 1, 2))
