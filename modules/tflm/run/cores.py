# tflm: two cores: the delegate that shares the units of large ops with a second core
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import align_up
from .second_core import make_job, share, worker

try:
    from .core_channels import parts_of
except ImportError:  # firmware with some kernels alone is without it
    parts_of = None

# Kernel files whose units neither read what other units write nor keep anything from one to the
# next: these may run at the same time. All others stay on one core. `make tables` writes this.
_INDEPENDENT = (
    " add add_int16 add_int32 add_table arithmetic_float batch_matmul batch_matmul_float "
    "batch_matmul_int16 conv conv_dsp conv_float conv_int16 conv_lanes conv_mac16 dense dense_lut "
    "depthwise_column depthwise_conv depthwise_conv_dsp depthwise_conv_float depthwise_conv_int16 "
    "depthwise_conv_lanes depthwise_conv_mac16 dequantize elu_float exp_float fully_connected "
    "fully_connected_dsp fully_connected_float fully_connected_int16 fully_connected_lanes "
    "fully_connected_mac16 hard_swish_float leaky_relu_float log_float logistic_float lookup "
    "maximum_minimum maximum_minimum_float mul mul_int16 pad pooling pooling_float pooling_int16 "
    "pooling_unsigned pow_float prelu prelu_float quantize resize_bilinear resize_bilinear_float "
    "resize_nearest_neighbor sigmoid_int16 softmax softmax_float softmax_int16 squared_difference "
    "strided_copy tanh_float transpose_conv transpose_conv_float "
)

# Units of these come in groups of 1 << so many.
_GROUPS = {
    "depthwise_conv_lanes": 2,
    "depthwise_conv_mac16": 2,
    "fully_connected_lanes": 2,
    "fully_connected_mac16": 2,
}

# CONV_2D whose weights are a stream of groups of four channels.
_STREAMED = ("conv_lanes", "conv_mac16")


def _file(step):
    return step.kernel.split(".")[0]


# The kernel that runs a builtin one on both cores.
class _Shared:
    def __init__(self, step, scratch_at, owner):
        self.name = "cores." + step.kernel
        self.invoke = share  # no method: binding one takes heap
        self.units = step.units
        # Twice the units of one core, in slices of about equal size with two equal halves.
        slices = (step.units - 1) // (2 * step.slice_units) + 1
        each = (step.units - 1) // slices + 1
        group = _GROUPS.get(_file(step), 0)
        group = group if each >> group >= 4 else 0
        pair = 2 << group
        self.slice_units = min(step.units, (each + pair - 1) & (0 - pair))
        self._group = group
        self._at = scratch_at
        self._owner = owner

    # Core 1 gets a copy of the record that names other scratch buffers.
    def init(self, context, steps):
        step = steps[0]
        core_1 = core_0 = None
        size = step.record_bytes
        ahead = 0
        if step.scratch:
            at = align_up(self._at + size)
            copy = context.arena[self._at : self._at + size]
            patches = []
            parts = parts_of and _file(step) in _STREAMED and parts_of(step)
            if parts:
                patches, own_patches, ahead = parts
                core_0 = context.arena[at : at + size], own_patches
                at = align_up(at + size)
            for operand, length in step.scratch:
                patches.append((operand, at << 2))
                at = align_up(at + length)
            core_1 = copy, patches
        self._owner.acquire()
        self.record = make_job(
            step.function, step.record, context.arena, context.rom, self._group,
            size >> 2 if core_1 else 0, core_1, core_0, ahead,
        )  # fmt: skip

    def free(self):
        self._owner.release()


# Bytes of arena that core 1 needs to run an op.
def _bytes(op):
    if not op.scratch:
        return 0
    records = align_up(op.record_bytes) * (2 if _file(op) in _STREAMED else 1)
    return records + sum([align_up(size) for _, size in op.scratch])


# True for what may run on both cores.
def _is_shared(op):
    return " %s " % _file(op) in _INDEPENDENT and not op.is_ordered


class Cores:
    """The delegate behind Interpreter(model, cores=2)."""

    name = "cores"
    _user = None  # what keeps core 1 while this is there

    # Its kernels, which hold it, take core 1 together.
    def acquire(self):
        if self._user is None:
            self._user = worker.acquire()

    def release(self):
        if self._user is not None:
            self._user.close()
            self._user = None
            worker.join()

    def arena_bytes(self, ops):
        return max([0] + [_bytes(op) for op in ops if _is_shared(op)])

    def prepare(self, context):
        found = []
        size = 0
        for number in range(context.lists_length()):
            steps = context.steps(number)
            for i in range(len(steps)):
                if steps[i].units > 1 and _is_shared(steps[i]):
                    found.append((number, i, steps[i]))
                    size = max(size, _bytes(steps[i]))
        at = context.allocate_persistent_buffer(size) if size else 0
        for number, i, step in found:
            context.replace(_Shared(step, at, self), i, 1, number)
