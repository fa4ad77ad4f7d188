# Tests of custom operators: every callback, in MicroPython, from a .tflite and a .tflm
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import struct

import pytest
import tflm
from support.builder import ModelBuilder
from tflm import format as layout
from tflm.errors import UnsupportedError
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device

# A custom operator that uses everything a context offers: y = gain * x + number of invokes.
OPERATOR = """
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


# The custom operator between two builtin ones, so that its buffers have neighbors.
def graph():
    builder = ModelBuilder()
    tensors = [builder.tensor((6,), "float32", name=f"t{i}") for i in range(4)]
    builder.operator("RESHAPE", [tensors[0]], [tensors[1]])
    builder.custom("Atan", [tensors[1]], [tensors[2]], {"gain": 2.5, "names": ["a", "b"]})
    builder.operator("RESHAPE", [tensors[2]], [tensors[3]])
    builder.io([tensors[0]], [tensors[3]])
    return builder.build()


# The resolver of this operator on the host.
def host_resolver(code=""):
    names = {"tflm": tflm}
    exec(OPERATOR + code, names)
    return names["resolver"]


def run_file(path):
    return lambda code: device(OPERATOR + code, PATH=str(path), FORM=path.suffix[1:])


@pytest.fixture
def run_tflite(tmp_path):
    path = tmp_path / "custom.tflite"
    path.write_bytes(graph())
    return run_file(path)


@pytest.fixture(params=["tflite", "tflm"])
def run(tmp_path, request):
    path = tmp_path / f"custom.{request.param}"
    model = graph()
    path.write_bytes(flatten(model, host_resolver()) if request.param == "tflm" else model)
    return run_file(path)


# init, prepare, invoke, reset and free. With arena=None a .tflite is prepared twice; what the
# first time, which only measures, has created is freed.
def test_every_callback(run):
    run("""
interp = tflm.Interpreter(PATH, resolver=resolver, slice_units=1)
interp.allocate_tensors()
if FORM == "tflite":
    assert gain.log[:3] == ["init", "prepare", "free"], gain.log
    gain.log = gain.log[3:]
assert gain.log == ["init", "prepare"], gain.log
for n in (1, 2, 3):
    interp.input(0).quantize([1, 2, 3, 4, 5, 6])
    interp.invoke()
    assert list(interp.output(0).data) == [2.5 * i + n for i in range(1, 7)]
interp.reset()
interp.input(0).quantize([0] * 6)
interp.invoke()
assert interp.output(0).data[0] == 1
interp.free()
assert gain.log[2:] == ["reset", "free"], gain.log
""")


# allocate_tensors() that is interrupted frees the operators and the bytes of a shared arena.
def test_interrupted_allocation(run):
    run("""
from tflm.program import Program

class Kernel:
    units = 1
    def invoke(self, *arguments):
        pass
    def free(self):
        gain.log.append("delegate")

class Delegate:
    def prepare(self, context):
        context.replace(Kernel(), 0)

arena = tflm.Arena(2000)
for name in ("reset_variables", "limit_slices", "add"):
    for error, kind in ((KeyboardInterrupt, KeyboardInterrupt), (MemoryError, ArenaError)):
        for delegates in ((), (Delegate(),)):
            def fail(*arguments):
                raise error

            interp = tflm.Interpreter(PATH, arena, resolver=resolver, slice_units=1,
                                      delegates=delegates)
            before = arena.sections.positions()
            gain.log = []
            method = getattr(Program, name)
            setattr(Program, name, fail)
            raises(kind, interp.allocate_tensors)
            setattr(Program, name, method)
            assert arena.sections.positions() == before
            assert gain.log.count("init") == gain.log.count("free") > 0, gain.log
            called = len(delegates) and name != "add"
            assert gain.log.count("delegate") == called, gain.log
interp.input(0).quantize([1, 2, 3, 4, 5, 6])
interp.invoke()
""")


def test_options(run):
    run("""
interp = tflm.Interpreter(PATH, resolver=resolver)
interp.allocate_tensors()
node = interp._program.custom[0]
assert node.name == "Atan"
assert node.options == {"gain": 2.5, "names": ["a", "b"]}, node.options
state = node.data["state"].memory
assert bytes(state) == b"\\0\\0\\0\\x09"  # written by init
""")


# An arena of the exact size, with guard bytes around it; persistent bytes are zero at first.
def test_arena(run):
    run("""
used = tflm.Interpreter(PATH, resolver=resolver).arena_used_bytes()
block = bytearray(b"\\xc5" * (used + 64))
interp = tflm.Interpreter(PATH, memoryview(block)[32 : 32 + used], resolver=resolver)
interp.input(0).quantize([1] * 6)
interp.invoke()
assert interp.output(0).data[5] == 3.5
assert bytes(block[:32]) == bytes(block[-32:]) == b"\\xc5" * 32
text = raises(ArenaError, tflm.Interpreter(PATH, used - 16, resolver=resolver).invoke)
assert "needed %d bytes, available %d" % (used, used - 16) in text
""")


# The runtime allocates no heap around a custom operator.
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


# Ctrl-C while the operator runs; the next invoke is right.
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


# The caller gets the operator's exception; what was created by then is freed.
def test_errors_of_the_operator(run_tflite):
    run_tflite("""
class Refuses(Gain):
    def prepare(self, context, node):
        raise ValueError("not with me")

operator = Refuses()
resolver.add_custom("Atan", operator)
arena = tflm.Arena(4096)
interp = tflm.Interpreter(PATH, arena, resolver=resolver)
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


# An object with only invoke is enough; external_context is the application's object.
def test_invoke_alone(run_tflite):
    run_tflite("""
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
assert text.startswith("unresolved custom op: Atan; use resolver.add_custom('Atan'"), text
""")


# Options that are no FlexBuffers: bytes with raw_options, else an error.
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


# Each preparation of flatten runs init, prepare and free; the board needs the operator as well.
def test_flatten():
    resolver = host_resolver()
    flatten(graph(), resolver)
    log = resolver.custom("Atan").log
    assert log and log == ["init", "prepare", "free"] * (len(log) // 3)
    with pytest.raises(UnsupportedError, match="unresolved custom op: Atan; .*--custom FILE"):
        flatten(graph())


# The board's requests must be the planned ones, in order, kind and size.
@pytest.mark.parametrize(
    "callback, change, message",
    [
        ("prepare", "context.request_scratch_buffer(28)",
         "requests a scratch buffer of 28 bytes, flatten planned a scratch buffer of 24 b"),
        ("prepare", "context.allocate_persistent_buffer(24)",
         "requests a persistent buffer of 24 bytes, flatten planned a scratch buffer of 24"),
        ("prepare", "Gain.prepare(self, context, node); context.request_scratch_buffer(4)",
         "requests a scratch buffer of 4 bytes, flatten planned no more"),
        ("prepare", "pass", "did not request a scratch buffer of 24 bytes, which flatten planned"),
    ],
)  # fmt: skip
def test_flat_requests(tmp_path, callback, change, message):
    path = tmp_path / "custom.tflm"
    path.write_bytes(flatten(graph(), host_resolver()))
    run_file(path)(f"""
class Other(Gain):
    def {callback}(self, context, node):
        {change}

operator = Other()
resolver.add_custom("Atan", operator)
arena = tflm.Arena(4096)
text = raises(ModelError, tflm.Interpreter(PATH, arena, resolver=resolver).allocate_tensors)
assert text.startswith("op 1 Atan ") and {message!r} in text, text
assert "; flatten the model again" in text
assert operator.log == ["init", "free"] or operator.log == ["init", "prepare", "free"]
assert arena.used_bytes() == 0
""")


# prepare sees all of the tensors in both formats: shapes of every rank, constants, per-channel
# quantization, variables, absent tensors.
_LOOKER = """
class Looker:
    def prepare(self, context, node):
        x, weights, absent, state, scalar, empty = node.inputs
        assert absent is None
        assert (x.name, x.dtype, x.shape, x.zero_point()) == ("x", 9, (1, 2, 3), -7)
        assert x.scale_bits() == 0x3F000000 and x.scales_length() == 1
        assert not x.is_constant() and not x.is_variable and x.data is None
        assert (weights.name, weights.shape, weights.scales_length()) == ("weights", (4, 2), 4)
        assert [weights.scale_bits(i) for i in range(4)] == [0x3F800000, 0x40000000, 0x40800000, 0x41000000]
        assert weights.quantized_dimension == 0 and weights.zero_point(3) == 0
        assert bytes(weights.data) == bytes(range(8))
        assert state.is_variable and state.shape == (3,) and state.dtype == 2
        assert scalar.shape == () and scalar.elements() == 1 and scalar.nbytes() == 4
        assert empty.shape == (2, 0) and empty.nbytes() == 0 and not empty.is_quantized
        assert node.options == {"a": [1, 2]}
        node.data = context.allocate_state(5, 3)

    def invoke(self, context, node):
        x, weights, absent, state, scalar, empty = node.inputs
        assert absent is None and len(empty.data) == 0 and list(weights.data) == list(range(8))
        reserved = context.get_persistent_buffer(node.data)
        reserved[4] += 1
        state.data[0] += x.data[0]
        scalar.data[0]
        node.outputs[0].data[:] = state.data
        node.outputs[0].data[1] = reserved[4]

resolver = tflm.OpResolver()
resolver.add_custom("Look", Looker())
"""  # noqa: E501


@pytest.mark.parametrize("file_format", ["tflite", "tflm"])
@pytest.mark.parametrize("shared", [False, True])
def test_tensors(tmp_path, file_format, shared):
    builder = ModelBuilder()
    x = builder.tensor((1, 2, 3), "int8", scale=0.5, zero_point=-7, name="x")
    weights = builder.tensor(
        (4, 2), "int8", range(8), scale=[1, 2, 4, 8], zero_point=0, name="weights"
    )
    state = builder.tensor((3,), "int32", variable=True)
    scalar = builder.tensor((), "float32")
    empty = builder.tensor((2, 0), "float32")
    y = builder.tensor((3,), "int32")
    z = builder.tensor((3, 1), "int32")
    builder.custom("Look", [x, weights, None, state, scalar, empty], [y], {"a": [1, 2]})
    builder.operator("RESHAPE", [y], [z])
    builder.io([x, scalar, empty], [z])
    names = {"tflm": tflm}
    exec(_LOOKER, names)
    path = tmp_path / f"look.{file_format}"
    path.write_bytes(
        flatten(builder.build(), names["resolver"]) if file_format == "tflm" else builder.build()
    )
    device(
        _LOOKER
        + """
arena = None
if SHARED:
    arena = tflm.Arena(bytearray(8192))
    arena.sections.allocate_persistent_buffer(96)
interp = tflm.Interpreter(PATH, arena, resolver=resolver)
other = tflm.Interpreter(PATH, arena, resolver=resolver)
for n in (1, 2, 3, 1):
    if n == 1:
        interp.reset()
    interp.input(0).data[0] = 5
    interp.invoke()
    assert list(interp.output(0).data) == [5 * n, n + 3, 0], list(interp.output(0).data)
    other.input(0).data[0] = 1
    other.invoke()
""",
        PATH=str(path),
        SHARED=shared,
    )


# A custom operator may emit records of builtin kernels.
_EMITS = """
class Emits:
    count = 0

    def prepare(self, context, node):
        x, y = node.inputs[0], node.outputs[0]
        context.emit("copy.eval_bytes", ("x", "y"), x.nbytes(), x=x, y=y)

    def invoke(self, context, node):
        self.count += 1
        node.outputs[0].data[0] += 100

emits = Emits()
resolver = tflm.OpResolver()
resolver.add_custom("Atan", emits)
"""


@pytest.mark.parametrize("file_format", ["tflite", "tflm"])
def test_records_of_builtin_kernels(tmp_path, file_format):
    names = {"tflm": tflm}
    exec(_EMITS, names)
    path = tmp_path / f"emits.{file_format}"
    path.write_bytes(flatten(graph(), names["resolver"]) if file_format == "tflm" else graph())
    device(
        _EMITS
        + """
interp = tflm.Interpreter(PATH, resolver=resolver)
interp.input(0).quantize([1, 2, 3, 4, 5, 6])
interp.invoke()
assert list(interp.output(0).data) == [101, 2, 3, 4, 5, 6], list(interp.output(0).data)
assert emits.count == 1
""",
        PATH=str(path),
    )


# Custom operators inside a branch of IF and beside it, with separate state and scratch buffers.
@pytest.mark.parametrize("file_format", ["tflite", "tflm"])
def test_in_a_subgraph(tmp_path, file_format):
    builder = ModelBuilder()
    which = builder.tensor((), "bool")
    x, y, z = (builder.tensor((6,), "float32") for _ in range(3))
    for custom in (True, False):
        branch = builder.subgraph(f"branch{custom}")
        a, b = branch.tensor((6,), "float32"), branch.tensor((6,), "float32")
        if custom:
            branch.custom("Atan", [a], [b], {"gain": 2.5})
        else:
            branch.operator("NEG", [a], [b])
        branch.io([a], [b])
    builder.operator("IF", [which, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    builder.custom("Atan", [y], [z], {"gain": 2.5})
    builder.io([which, x], [z])
    model = builder.build()
    path = tmp_path / f"branches.{file_format}"
    path.write_bytes(flatten(model, host_resolver()) if file_format == "tflm" else model)
    run_file(path)("""
interp = tflm.Interpreter(PATH, resolver=resolver)
inner = 0
for outer in range(1, 5):
    interp.input(0).data[0] = outer & 1
    interp.input(1).quantize([2] * 6)
    interp.invoke()
    inner += outer & 1
    branch = 5.0 + inner if outer & 1 else -2.0
    wanted = [2.5 * branch + outer] * 6
    assert list(interp.output(0).data) == wanted, (outer, list(interp.output(0).data))
""")


# A .tflm with a damaged custom record and a valid CRC is refused with one error, or runs.
def test_damaged(tmp_path):
    image = flatten(graph(), host_resolver())
    ops, _ = struct.unpack_from(layout.SECTION, image, layout.SECTIONS_OFFSET + 8 * layout.OPS)
    *_, start, size = struct.unpack_from(layout.OP, image, ops + layout.OP_BYTES)
    random_ = random.Random(5)
    images = bytearray()
    for _ in range(300):
        damaged = bytearray(image)
        for _ in range(random_.randint(1, 3)):
            damaged[start + random_.randrange(size)] = random_.choice([0, 1, 2, 127, 128, 255])
        crc = binascii.crc32(memoryview(damaged)[layout.CRC_START :])
        struct.pack_into("<I", damaged, layout.CRC_OFFSET, crc)
        images += damaged
    path = tmp_path / "damaged.bin"
    path.write_bytes(images)
    lines = device(
        OPERATOR
        + """
class Wild(Gain):
    def prepare(self, context, node):
        if [t.shape for t in node.inputs + node.outputs] != [(6,), (6,)]:
            raise ModelError("no")
        Gain.prepare(self, context, node)
    def invoke(self, context, node):
        for tensor in node.inputs + node.outputs:
            for i in range(len(tensor.raw)):
                tensor.raw[i] = 1
    def free(self, context, data):
        pass

resolver.add_custom("Atan", Wild())
ran = refused = 0
with open(PATH, "rb") as file:
    for _ in range(300):
        image = bytearray(file.read(SIZE))
        arena = bytearray(b"\\xc5" * 4096)
        try:
            interp = tflm.Interpreter(image, memoryview(arena)[64:-64], resolver=resolver)
            interp.allocate_tensors()
            interp.invoke()
            ran += 1
        except TflmError as error:
            refused += 1
        assert bytes(arena[:64]) == bytes(arena[-64:]) == b"\\xc5" * 64
print(ran, refused)
""",
        PATH=str(path),
        SIZE=len(image),
    )
    ran, refused = map(int, lines[-1].split())
    assert ran > 20 and refused > 20, (ran, refused)


_NOSY = """
class Nosy:
    def prepare(self, context, node):
        context.begin_list()
        context.end_list()
        assert len(context.subgraph(0).outputs) == 1
        context.resources()

    def invoke(self, context, node):
        node.outputs[0].data[:] = node.inputs[0].data

resolver = tflm.OpResolver()
resolver.add_custom("Nosy", Nosy())
"""


# A .tflite and flatten give an operator the graph; a .tflm does not, and says so.
@pytest.mark.parametrize("file_format", ["tflite", "tflm"])
def test_graph(tmp_path, file_format):
    builder = ModelBuilder()
    x, y = (builder.tensor((3,), "int32") for _ in range(2))
    builder.custom("Nosy", [x], [y])
    builder.io([x], [y])
    names = {"tflm": tflm}
    exec(_NOSY, names)
    path = tmp_path / f"nosy.{file_format}"
    model = builder.build()
    path.write_bytes(flatten(model, names["resolver"]) if file_format == "tflm" else model)
    lines = device(
        "import array\n"
        + _NOSY
        + """
interp = tflm.Interpreter(PATH, resolver=resolver)
try:
    interp.input(0).data[:] = array.array("i", [1, 2, 3])
    interp.invoke()
    print(list(interp.output(0).data))
except tflm.UnsupportedError as error:
    print(error)
""",
        PATH=str(path),
    )
    assert lines[-1] == (
        "[1, 2, 3]"
        if file_format == "tflite"
        else "op 0 Nosy needs sub-graphs or resource variables, which a .tflm does not have; "
        "load the .tflite"
    )


# The caller gets the exceptions of an operator, also of one that runs, resets or frees its own
# Interpreter; the next invoke works.
def test_operators_that_raise_or_call_the_interpreter(run):
    run("""
class Turning(Gain):
    act = fails = None

    def invoke(self, context, node):
        if self.act:
            self.act(context, node)
        Gain.invoke(self, context, node)

    def init(self, context, options):
        assert self.fails != "init", "mine"
        return Gain.init(self, context, options)

    def prepare(self, context, node):
        assert self.fails != "prepare", "mine"
        Gain.prepare(self, context, node)

    def free(self, context, data):
        assert self.fails != "free", "mine"

turning = Turning()
resolver = tflm.OpResolver()
resolver.add_custom("Atan", turning)
interp = tflm.Interpreter(PATH, resolver=resolver)

def first(act=None):
    turning.act = act
    interp.input(0).quantize([0] * 6)
    interp.invoke()
    return interp.output(0).data[0]

def failing(context, node):
    raise KeyError("mine")

assert first() == 1
for _ in range(3):
    raises(KeyError, first, failing)
assert first() == 2
# The model runs already.
raises(StateError, first, lambda *all: interp.invoke())
raises(StateError, first, lambda *all: interp.reset())
assert first() == 3
interp.reset()
assert first() == 1
raises(TypeError, first, lambda *all: interp.free())  # its own data are gone
assert first() == 1
for turning.fails in ("init", "prepare", "free"):
    other = tflm.Interpreter(PATH, resolver=resolver)
    assert raises(AssertionError, lambda: (other.invoke(), other.free())) == "mine"
turning.fails = None
other.invoke()
other.free()
assert first() == 2
""")
