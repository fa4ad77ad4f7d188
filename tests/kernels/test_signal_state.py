# Tests of the signal operators with a state, and of CIRCULAR_BUFFER, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.builder import ModelBuilder
from support.check import Cases
from support.schema import DTYPES
from support.single_op import Tensor, single_op

cases = Cases()


# A model of one operator; `options` are its custom options.
def signal(name, inputs, outputs, **options):
    return single_op(name, inputs, outputs, custom=options)


# Add a case twice: with a state over several invokes, and with a reset before each invoke.
def add(name, model, runs=6, **keywords):
    keywords = {"inputs": "random", "repeat": "reset", "ignore_undefined": True, **keywords}
    cases.add(name, model, runs=runs, **keywords)
    cases.add(f"{name} with resets", model, runs=3, **{**keywords, "reset": True})


for shape in [(16,), (3, 5), (2, 2, 3), (1,) * 6]:
    for delay in (0, 1, 4, 5, 12, 33):
        tensors = [Tensor(shape, "int16")], [Tensor(shape, "int16")]
        add(f"delay {shape} {delay}", signal("SignalDelay", *tensors, delay_length=delay))
tensors = [Tensor((4,), "int16")], [Tensor((4,), "int16")]
cases.add("delay < 0", signal("SignalDelay", *tensors, delay_length=-1), error="'delay_length' is")


# A model of SignalFramer.
def framer(shape, size, step, prefill, extra=0):
    frames = shape[-1] // step + extra
    outputs = [Tensor((*shape[:-1], frames, size), "int16"), Tensor((), "bool")]
    options = {"frame_size": size, "frame_step": step, "prefill": prefill}
    return signal("SignalFramer", [Tensor(shape, "int16")], outputs, **options)


for shape, size, step in [
    ((4,), 4, 4),
    ((4,), 10, 4),
    ((16,), 40, 16),
    ((12,), 7, 3),
    ((3, 6), 8, 2),
    ((2, 1, 4), 5, 1),
]:
    for prefill in (False, True):
        add(f"framer {shape} {size} {step} {prefill}", framer(shape, size, step, prefill))
add("framer skips", framer((6,), 2, 3, False))
cases.add("framer skips prefilled", framer((6,), 2, 3, True), error="smaller than frame_step")
cases.add("framer odd", framer((7,), 4, 3, False), error="do not fit")
cases.add("framer frames", framer((6,), 4, 3, False, 1), error="does not hold")


# A model of SignalStacker.
def stacker(channels, left, right, step, size=None):
    length = channels * (left + right + 1)
    outputs = [Tensor((length,), "int16"), Tensor((), "bool")]
    return signal(
        "SignalStacker",
        [Tensor((size or channels,), "int16")],
        outputs,
        num_channels=channels,
        stacker_left_context=left,
        stacker_right_context=right,
        stacker_step=step,
    )


for channels, left, right, step in [
    (40, 2, 0, 2),
    (3, 0, 0, 1),
    (1, 0, 3, 1),
    (5, 3, 2, 4),
    (2, 1, 1, 3),
    (7, 0, 2, 2),
]:
    add(f"stacker {channels} {left} {right} {step}", stacker(channels, left, right, step), 9)
add("stacker of a part", stacker(3, 1, 1, 1, 5))
cases.add("stacker step", stacker(3, 1, 1, 4), error="'stacker_step' is 4")
cases.add("stacker input", stacker(3, 1, 1, 1, 2), error="'num_channels' is 3")


# A model of SignalOverlapAdd.
def overlap_add(dtype, shape, step):
    output = (*shape[:-2], shape[-2] * step)
    options = {"T": DTYPES[dtype][0], "frame_step": step}
    return signal("SignalOverlapAdd", [Tensor(shape, dtype)], [Tensor(output, dtype)], **options)


for dtype in ("int16", "float32"):
    for shape, step in [((1, 8), 4), ((3, 10), 4), ((2, 3, 5), 1), ((2, 1, 2, 6), 6), ((1, 1), 1)]:
        name = f"overlap add {dtype} {shape} {step}"
        add(name, overlap_add(dtype, shape, step))
        add(f"{name} extreme", overlap_add(dtype, shape, step), inputs="extreme")
    cases.add(
        f"overlap add {dtype} step", overlap_add(dtype, (1, 4), 5), error="'frame_step' is 5"
    )


# CIRCULAR_BUFFER, then RELU, which shows the invokes that it skips.
def circular_buffer(slots, shape=(3, 2), options=b"", zero_point=0, count=1, variable=True):
    model = ModelBuilder("CIRCULAR_BUFFER")
    quantization = {"scale": 0.5, "zero_point": zero_point}
    sources, targets = [], []
    for _ in range(count):
        source = model.tensor((1, 1, *shape), "int8", **quantization)
        buffer = model.tensor((1, slots, *shape), "int8", variable=variable, **quantization)
        target = model.tensor((1, slots, *shape), "int8", **quantization)
        model.custom("CIRCULAR_BUFFER", [source], [buffer], options)
        model.operator("RELU", [buffer], [target])
        sources.append(source)
        targets.append(target)
    model.io(sources, targets)
    return model.build()


for slots in (1, 4, 5):
    for cycles in (1, 2, 3):
        model = circular_buffer(slots, options={"cycles_max": cycles}, zero_point=3 * slots)
        add(f"circular buffer {slots} {cycles}", model, 8)
    add(f"circular buffer {slots}", circular_buffer(slots))
for slots in (13, 25):
    add(f"circular buffer {slots}", circular_buffer(slots, (1, 1)))
add("two circular buffers", circular_buffer(3, options={"cycles_max": 2}, count=2), 9)
model = circular_buffer(2, options={"cycles_max": "two"})
cases.add("circular buffer option", model, error="'cycles_max' is missing")
cases.add("circular buffer without slots", circular_buffer(0), error="has no slots")


@cases.parametrize
def test_signal_state(case):
    case.check()
