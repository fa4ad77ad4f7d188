# Writes known networks with random weights as .tflite: `known_networks.py NAME -o FILE`
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from optimize.network import Network


def unet(up, side=32, depth=8):
    """A U-Net of two levels; up: "resize" (nearest neighbours) or "transposed" (3x3)."""
    net = Network(f"unet {up}", (side, side, 4))

    def twice(source, filters):
        return net.conv(net.conv(source, filters, 3), filters, 3)

    def joined(source, beside, filters):
        larger = net.enlarged(source) if up == "resize" else net.transposed(source, filters, 3)
        return net.conv(net.concatenation([larger, beside], 3), filters, 3)

    first = twice(net.inputs[0], depth)
    second = twice(net.pool("MAX_POOL_2D", first, 2), 2 * depth)
    third = twice(net.pool("MAX_POOL_2D", second, 2), 4 * depth)
    last = joined(joined(third, second, 2 * depth), first, depth)
    return net.build(net.conv(last, 4))


# For each stage: expansion of the depth inside a block, filters, blocks, stride of the first
# block.
_STAGES = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
    (6, 320, 1, 1),
)  # fmt: skip


def mobilenet_v2(alpha=0.35, side=144, classes=2):
    """MobileNetV2 as in Keras, with a MEAN and a FULLY_CONNECTED at its end."""
    net = Network(f"mobilenet {alpha} {side}", (side, side, 3))

    def rounded(filters):
        near = max(8, int(filters * alpha + 4) // 8 * 8)
        return near + 8 if near < 0.9 * filters * alpha else near

    now = net.conv(net.inputs[0], rounded(32), 3, 2)
    for times, filters, blocks, stride in _STAGES:
        for block in range(blocks):
            source, depth = now, net.shapes[now][3]
            inner = source if times == 1 else net.conv(source, times * depth)
            inner = net.depthwise(inner, 3, 1 if block else stride)
            now = net.conv(inner, rounded(filters), scale=0.05, zero_point=-3, activation="NONE")
            if block:
                now = net.binary("ADD", source, now, 0.05, -3)
    now = net.conv(now, 1280)
    mean = net.unary("MEAN", now, 0.0235, -128, (1, 1280), [net.constant([1, 2])])
    return net.build(net.dense(mean, classes, activation="NONE"))


NETS = {
    "unet_resize": lambda: unet("resize"),
    "unet_transposed": lambda: unet("transposed"),
    "unet_transposed_24": lambda: unet("transposed", 24),
    "mobilenet_v2_035_144": mobilenet_v2,
}

if __name__ == "__main__":
    Path(sys.argv[3]).write_bytes(NETS[sys.argv[1]]())
