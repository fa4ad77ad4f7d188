# Tests of allocation failures: a heap that ends anywhere, and an import that fails
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.flat.flatten import flatten
from unit import test_custom_op
from unit.on_device import device
from unit.shared_network import network
from unit.test_shapes import reshape_model

# attempts(action): call action() once, then with more and more free heap until it succeeds, then
# with each import failing in turn; count the failures, and check after each that it was an
# ArenaError and that `check` returns true. Only with hardly any heap may it be a MemoryError: the
# sentence needs heap, too. Modules that action() imports are removed before each attempt, except
# those with machine code, whose memory the unix port never frees.
_ATTEMPTS = """
import builtins
import gc
import sys

_MIN_STEP = 64  # bytes of heap from one attempt to the next
_HARDLY_ANY = 6000  # bytes of heap
_PIECES = [None] * 4000


def _forget_modules(kept):
    for name in list(sys.modules):
        if name not in kept:
            del sys.modules[name]


# Fill the heap except one free block of `size` bytes.
def _fill(size):
    gc.collect()
    gap = bytearray(size)
    count = 0
    length = 1 << 16
    while length >= 32:
        try:
            _PIECES[count] = bytearray(length)
            count += 1
        except MemoryError:
            length >>= 1
    gap = None
    gc.collect()


def _empty():
    for i in range(len(_PIECES)):
        _PIECES[i] = None
    gc.collect()


# Return the exception that action() raises, None if it succeeds.
def _failure(action):
    try:
        action()
    except Exception as error:
        return error


def attempts(action, check):
    failures = 0
    kept = set(sys.modules)
    action()
    for name in sys.modules:
        if name.startswith("tflm.kernels") or name == "tflm.run.second_core":
            kept.add(name)
    size = 0
    while True:
        _forget_modules(kept)
        _fill(size)
        error = _failure(action)
        _empty()
        if error is None:
            break
        failures += 1
        kinds = (ArenaError, MemoryError) if size < _HARDLY_ANY else (ArenaError,)
        assert type(error) in kinds and check(), (size, error)
        size += max(_MIN_STEP, size >> 5 & -16)
    if sys.implementation.version < (1, 29):
        return failures  # the builtin __import__ knows no caller, so that relative imports fail
    plain_import = builtins.__import__
    last = 0
    while True:
        _forget_modules(kept)
        left = [last]

        def fail(*arguments):
            left[0] -= 1
            if left[0] < 0:
                raise MemoryError
            return plain_import(*arguments)

        builtins.__import__ = fail
        error = _failure(action)
        builtins.__import__ = plain_import
        if error is None:
            return failures
        failures += 1
        assert type(error) is ArenaError and check(), (last, error)
        last += 1
"""


# Run code that prints the number of failed attempts.
def check_attempts(code, path):
    lines = device(_ATTEMPTS + code, heap="2M", timeout=200, PATH=str(path))
    assert int(lines[-1]) > 20


# A failed allocate_tensors() leaves a shared arena as before, and the same Interpreter runs later.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", ["tflite", "tflm"])
@pytest.mark.parametrize("cores", [1, 2])
def test_allocation(suffix, cores, tmp_path):
    path = tmp_path / f"model.{suffix}"
    path.write_bytes(flatten(network()) if suffix == "tflm" else network())
    check_attempts(
        """
model = tflm.load(PATH)
plain = tflm.Interpreter(model)
plain.invoke()
wanted = bytes(plain.output(0).raw)
arena = tflm.Arena(40000)
before = arena.sections.positions()
failed = [None]

def allocate():
    failed[0] = None
    made = failed[0] = tflm.Interpreter(model, arena, cores=CORES)
    made.allocate_tensors()
    arena.sections.restore(before)

def is_as_before():
    made = failed[0]
    return arena.sections.positions() == before and (made is None or made._program is None)

print(attempts(allocate, is_as_before))
failed[0].invoke()
assert bytes(failed[0].output(0).raw) == wanted
""".replace("CORES", str(cores)),
        path,
    )


# A failed allocate_tensors() frees every custom operator that it has created.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", ["tflite", "tflm"])
@pytest.mark.parametrize("cores", [1, 2])
def test_custom_operator(suffix, cores, tmp_path):
    model = test_custom_op.graph()
    path = tmp_path / f"custom.{suffix}"
    if suffix == "tflm":
        model = flatten(model, test_custom_op.host_resolver())
    path.write_bytes(model)
    check_attempts(
        test_custom_op.OPERATOR
        + """
class Counted(Gain):
    def init(self, context, options):
        data = super().init(context, options)
        self.ready += 1  # nothing fails after this line
        return data

    def free(self, context, data):
        self.ready -= 1

gain = Counted()
gain.ready = 0
resolver = tflm.OpResolver()
resolver.add_custom("Atan", gain)
model = tflm.load(PATH)
arena = tflm.Arena(4000)
before = arena.sections.positions()

def allocate():
    gain.log = []
    made = tflm.Interpreter(model, arena, resolver=resolver, cores=CORES)
    made.allocate_tensors()
    made.free()
    arena.sections.restore(before)

print(attempts(allocate, lambda: arena.sections.positions() == before and gain.ready == 0))
""".replace("CORES", str(cores)),
        path,
    )


# A failed resize_input() keeps the old shapes.
def test_resize(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(reshape_model("FILL"))
    check_attempts(
        """
made = tflm.Interpreter(PATH)

def resize():
    made.model = model
    made.resize_input(0, (5, 4))

model = made.model
print(attempts(resize, lambda: made.model is model))
assert made.output(0).shape == (5, 2, 2)
""",
        path,
    )
