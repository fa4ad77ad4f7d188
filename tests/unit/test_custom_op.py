# Tests of custom operators: every callback, in MicroPython, from a .tflite
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from tflm.errors import UnsupportedError
from tflm.op_resolver import OpResolver
from tflm_tools.flatten import flatten
from unit import sample_models
from unit.on_device import device

# An operator that uses all that a context offers: y = gain * x + how often it was invoked.
_OPERATOR = """
class Gain:
    def __init__(self):
        self.log = []

    def init(self, context, options):
        self.log.append("init")
        state = context.allocate_persistent_buffer(4)
        context.get_persistent_buffer(state)[3] = 9
        return {"options": options, "state": state}

    def prepare(self, context, node):
        self.log.append("prepare")
        assert [t.shape for t in node.inputs + node.outputs] == [(6,), (6,)]
        assert node.options is node.data["options"]
        node.data["scratch"] = context.request_scratch_buffer(24)
        node.data["late"] = context.allocate_persistent_buffer(8)
        temp = context.allocate_temp_buffer(40)
        temp[:] = b"\\x5a" * 40
        assert len(temp) == 40

    def invoke(self, context, node):
        state = context.get_persistent_buffer(node.data["state"])
        scratch = context.get_scratch_buffer(node.data["scratch"])
        assert len(scratch) == 24 and len(state) == 4
        state[0] += 1
        x, y = node.inputs[0].data, node.outputs[0].data
        for i in range(6):
            scratch[i] = i
            y[i] = x[i] * 2.5 + state[0]

    def reset(self, context, node):
        self.log.append("reset")
        context.get_persistent_buffer(node.data["state"])[0] = 0

    def free(self, context, data):
        self.log.append("free")
        assert data["options"]["gain"] == 2.5

gain = Gain()
resolver = tflm.OpResolver()
resolver.add_custom("Atan", gain)
"""


# The custom operator between two builtin ones, so that scratch and tensors have neighbours.
def graph():
    builder = ModelBuilder()
    tensors = [builder.tensor((6,), "float32", name=f"t{i}") for i in range(4)]
    builder.operator("RESHAPE", [tensors[0]], [tensors[1]])
    builder.custom("Atan", [tensors[1]], [tensors[2]], {"gain": 2.5, "names": ["a", "b"]})
    builder.operator("RESHAPE", [tensors[2]], [tensors[3]])
    builder.io([tensors[0]], [tensors[3]])
    return builder.build()


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "custom.tflite"
    path.write_bytes(graph())
    return lambda code: device(_OPERATOR + code, PATH=str(path))


# Init, prepare, invoke, reset and free; with arena=None the model is prepared twice, and what
# was made only to measure is freed.
def test_every_callback(run):
    run("""
interp = tflm.Interpreter(PATH, resolver=resolver, slice_units=1)
interp.allocate_tensors()
assert gain.log == ["init", "prepare", "free", "init", "prepare"], gain.log
for n in (1, 2, 3):
    interp.input(0).quantize([1, 2, 3, 4, 5, 6])
    interp.invoke()
    assert list(interp.output(0).data) == [2.5 * i + n for i in range(1, 7)]
interp.reset()
interp.input(0).quantize([0] * 6)
interp.invoke()
assert interp.output(0).data[0] == 1
interp.free()
assert gain.log[5:] == ["reset", "free"], gain.log
""")


def test_options(run):
    run("""
interp = tflm.Interpreter(PATH, resolver=resolver)
interp.allocate_tensors()
node = interp._program.custom[0]
assert node.name == "Atan"
assert node.options == {"gain": 2.5, "names": ["a", "b"]}, node.options
state = node.data["state"].memory
assert bytes(state) == b"\\0\\0\\0\\x09"  # what init wrote is there
""")


# An arena of just what is needed, with guard bytes around it; persistent bytes start as zeros.
def test_arena(run):
    run("""
used = tflm.Interpreter(PATH, resolver=resolver).arena_used_bytes()
block = bytearray(b"\\xc5" * (used + 64))
interp = tflm.Interpreter(PATH, memoryview(block)[32 : 32 + used], resolver)
interp.input(0).quantize([1] * 6)
interp.invoke()
assert interp.output(0).data[5] == 3.5
assert bytes(block[:32]) == bytes(block[-32:]) == b"\\xc5" * 32
text = raises(ArenaError, tflm.Interpreter(PATH, used - 16, resolver).invoke)
assert "needed %d bytes, available %d" % (used, used - 16) in text
""")


# What the runtime itself does around a custom operator takes no heap.
def test_heap_lock(run):
    run("""
class Quiet(Gain):
    def invoke(self, context, node):
        node.inputs[0].data
        node.outputs[0].raw
        scratch = context.get_scratch_buffer(node.data["scratch"])
        scratch[0] = 1
        state = context.get_persistent_buffer(node.data["state"])
        state[0] = 1

resolver.add_custom("Atan", Quiet())
interp = tflm.Interpreter(PATH, resolver=resolver)
interp.allocate_tensors()
interp.invoke()
micropython.heap_lock()
try:
    interp.invoke()
    interp.invoke()
finally:
    micropython.heap_unlock()
""")


# Ctrl-C while the operator runs: the next invoke is right.
def test_interrupt(run):
    run("""
class Interrupted(Gain):
    stop = True

    def invoke(self, context, node):
        if self.stop:
            raise KeyboardInterrupt
        Gain.invoke(self, context, node)

operator = Interrupted()
resolver.add_custom("Atan", operator)
interp = tflm.Interpreter(PATH, resolver=resolver)
interp.input(0).quantize([2] * 6)
raises(KeyboardInterrupt, interp.invoke)
operator.stop = False
interp.input(0).quantize([2] * 6)
interp.invoke()
assert list(interp.output(0).data) == [6.0] * 6
""")


# What the user raises reaches the user, and what was made by then is freed.
def test_errors_of_the_operator(run):
    run("""
class Refuses(Gain):
    def prepare(self, context, node):
        raise ValueError("not with me")

operator = Refuses()
resolver.add_custom("Atan", operator)
arena = tflm.Arena(4096)
interp = tflm.Interpreter(PATH, arena, resolver)
assert raises(ValueError, interp.allocate_tensors) == "not with me"
assert operator.log == ["init", "free"]
assert arena.used_bytes() == 0
""")


def test_calls_in_the_wrong_phase(run):
    run("""
class Late(Gain):
    def invoke(self, context, node):
        for call in (context.request_scratch_buffer, context.allocate_persistent_buffer,
                     context.allocate_temp_buffer):
            assert "not in invoke" in raises(StateError, call, 4)
        assert "not in invoke" in raises(StateError, context.emit, "copy.eval_bytes", (), 1)

    def init(self, context, options):
        assert "not in init" in raises(StateError, context.request_scratch_buffer, 4)
        return Gain.init(self, context, options)

resolver.add_custom("Atan", Late())
tflm.Interpreter(PATH, resolver=resolver).invoke()
""")


# An object with invoke alone is enough; external_context is what the application gave.
def test_invoke_alone(run):
    run("""
class Plain:
    def invoke(self, context, node):
        assert context.external_context == "mine"
        assert node.data is None
        node.outputs[0].raw[:] = node.inputs[0].raw

resolver.add_custom("Atan", Plain())
interp = tflm.Interpreter(PATH, resolver=resolver, external_context="mine")
interp.input(0).quantize([1, 2, 3, 4, 5, 6])
interp.invoke()
assert list(interp.output(0).data) == [1, 2, 3, 4, 5, 6]
interp.reset()
interp.free()
""")


def test_unresolved(run):
    run("""
text = raises(UnsupportedError, tflm.Interpreter(PATH).invoke)
assert text.startswith("unresolved custom op: Atan; add it with resolver.add_custom('Atan'"), text
""")


# Options that are no FlexBuffers, as they are for who asks for raw_options, else an error.
def test_raw_options(tmp_path):
    path = tmp_path / "raw.tflite"
    path.write_bytes(sample_models.custom(b"\x01\xff\x00"))
    device(
        """
        class Raw:
            raw_options = True

            def init(self, context, options):
                assert options == b"\\x01\\xff\\x00"

            def invoke(self, context, node):
                assert node.options == b"\\x01\\xff\\x00"

        resolver = tflm.OpResolver()
        resolver.add_custom("Atan", Raw())
        tflm.Interpreter(PATH, resolver=resolver).invoke()
        Raw.raw_options = False
        text = raises(ModelError, tflm.Interpreter(PATH, resolver=resolver).invoke)
        assert "the custom options are damaged" in text
        """,
        PATH=str(path),
    )


def test_no_options(tmp_path):
    path = tmp_path / "none.tflite"
    path.write_bytes(sample_models.custom(b""))
    device(
        """
        class Plain:
            def init(self, context, options):
                assert options is None

            def invoke(self, context, node):
                pass

        resolver = tflm.OpResolver()
        resolver.add_custom("Atan", Plain())
        tflm.Interpreter(PATH, resolver=resolver).invoke()
        """,
        PATH=str(path),
    )


# A flat model cannot hold a custom operator yet; it says what to do instead.
def test_flatten():
    class Plain:
        def invoke(self, context, node):
            raise AssertionError("nothing is invoked on the host")

    resolver = OpResolver()
    resolver.add_custom("Atan", Plain())
    with pytest.raises(UnsupportedError) as caught:
        flatten(graph(), resolver)
    assert str(caught.value) == (
        "op 1 Atan is a custom operator, which a .tflm cannot hold; load the .tflite on the "
        "board, with an OpResolver that has it"
    )
    with pytest.raises(UnsupportedError, match="unresolved custom op: Atan"):
        flatten(graph())
