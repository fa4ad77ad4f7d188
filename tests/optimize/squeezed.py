# Networks with squeeze and excite for tests: the forms in which converters write it
# MIT license; Copyright (c) 2026 the tflm authors

from optimize.graphs import Network


def _pooled(net, source, form):
    batch, height, width, depth = net.shapes[source]
    if form == "pool":
        options = {"filter_height": height, "filter_width": width, "padding": "VALID"}
        options.update(stride_h=height, stride_w=width)
        return net.unary("AVERAGE_POOL_2D", source, shape=(1, 1, 1, depth), **options)
    scale, zero_point = 0.02, -120
    if form == "twice":  # along the width, then along the height
        axis, shape = [net.constant([2])], (1, height, 1, depth)
        source = net.unary("MEAN", source, scale, zero_point, shape, axis, keep_dims=True)
        axis, shape = [net.constant([1])], (1, 1, 1, depth)
    else:
        axis, shape = [net.constant([1, 2])], (1, depth) if form == "dense" else (1, 1, 1, depth)
    return net.unary("MEAN", source, scale, zero_point, shape, axis, keep_dims=form != "dense")


def excited(net, source, form="mean", gate="LOGISTIC", squeezed=4):
    """What squeeze and excite makes of a tensor.

    form: "mean", "dense" (a MEAN without its dimensions, and FULLY_CONNECTED), "twice" or "pool".
    gate: "LOGISTIC", "HARD_SWISH", or "hard" (ADD and MUL of constants).
    """
    depth = net.shapes[source][3]
    pooled = _pooled(net, source, form)
    if form == "dense":
        factors = net.dense(net.dense(pooled, squeezed), depth, activation="NONE")
        factors = net.reshape(factors, (1, 1, 1, depth))
    else:
        factors = net.conv(pooled, squeezed)
        factors = net.conv(factors, depth, scale=0.05, zero_point=3, activation="NONE")
    if gate == "hard":
        factors = net.binary("ADD", factors, net.tensor((1,), 3 / 127, 0, [127]), 6 / 255, -128)
        factors = net.binary("MUL", factors, net.tensor((1,), 1 / 762, 0, [127]), 1 / 255, -128)
    else:
        scale = 1 / 256 if gate == "LOGISTIC" else 0.03
        factors = net.unary(gate, factors, scale, -128 if gate == "LOGISTIC" else -110)
    return net.binary("MUL", source, factors, 0.02, -128)


def block(net, source, times=6, filters=None, stride=1, size=3, **squeeze):
    """MobileNet's block with squeeze and excite; a residual ADD where shapes allow."""
    depth = net.shapes[source][3]
    inner = net.depthwise(net.conv(source, times * depth), size, stride)
    inner = excited(net, inner, **squeeze)
    last = net.conv(inner, filters or depth, scale=0.05, zero_point=-3, activation="NONE")
    if net.shapes[last] == net.shapes[source]:
        return net.binary("ADD", source, last, 0.05, -3)
    return last


def chain(name, shape=(16, 16, 8), ends=True, blocks=2, **options):
    """Blocks behind each other; `ends`: with a strided convolution before, and a classifier."""
    net = Network(f"squeezed {name}", shape)
    now = net.conv(net.inputs[0], 8, 3, 2) if ends else net.inputs[0]
    for _ in range(blocks):
        now = block(net, now, **options)
    if ends:
        pooled = net.unary(
            "MEAN", now, shape=(1, net.shapes[now][3]), inputs=[net.constant([1, 2])]
        )
        now = net.dense(pooled, 4)
    return net.build(now)


def first_layer(name, form="mean", side=16):
    """What the first layer makes is squeezed, and no smaller tensor is there to begin with."""
    net = Network(f"squeezed {name}", (side, side, 4))
    now = excited(net, net.conv(net.inputs[0], 16, 3, 1), form)
    return net.build(net.conv(now, 4, 1, 2))
