# Example of a custom operator with state: the median of the last three inputs, for int8
# MIT license; Copyright (c) 2026 the tflm authors


class Median:
    """The registration of the operator. It keeps the last two inputs between invokes."""

    def init(self, context, options):
        return {}

    def prepare(self, context, node):
        size = node.inputs[0].nbytes()
        node.data["last"] = context.allocate_persistent_buffer(2 * size)
        node.data["three"] = context.request_scratch_buffer(3)

    def invoke(self, context, node):
        x, y = node.inputs[0].raw, node.outputs[0].raw
        last = context.get_persistent_buffer(node.data["last"])
        three = context.get_scratch_buffer(node.data["three"])
        size = len(x)
        for i in range(size):
            three[0], three[1], three[2] = last[i], last[size + i], x[i]
            y[i] = sorted(three)[1]
            last[i], last[size + i] = last[size + i], x[i]

    def reset(self, context, node):
        last = context.get_persistent_buffer(node.data["last"])
        last[:] = bytes(len(last))


def register(resolver):
    """Add the operator to a resolver, under the name that atan_int8.tflite has."""
    resolver.add_custom("Atan", Median())
