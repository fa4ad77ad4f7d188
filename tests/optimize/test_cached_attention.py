# Tests of attention over caches: variables, or inputs and outputs, in the layouts of exporters
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.inputs import generator
from support.oracle import shared_oracle
from support.script import run_script
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten

POSITIONS, KV, GROUP, SIZE = 12, 2, 2, 4
RUNS, RESET_AT = 16, 10


class Decoder:
    """A token's queries, key and value, its position, and attention over caches.

    kind: "variable", or "ends": the caches are inputs and outputs. dtype: "int8" has keys [kv,
    positions, size] and values [kv, size, positions], as `tflm convert` writes them; "float32" has
    rows [1, positions, kv, size] and repeats the heads, as litert-torch does. mask: "input" of
    numbers that are added, or "position".
    """

    def __init__(self, kind, dtype, mask="position"):
        self.builder, self.kind, self.dtype = ModelBuilder("decoder"), kind, dtype
        self.caches, self.updated, self.mask = [], [], mask
        batch = (KV, GROUP) if dtype == "int8" else (KV * GROUP, 1)
        self.position = self.tensor((1,), "int32")
        self.query = self.tensor((*batch, SIZE))
        if dtype == "int8":
            shapes = ((KV, 1, SIZE), (KV, POSITIONS, SIZE)), ((KV, SIZE, 1), (KV, SIZE, POSITIONS))
        else:
            shapes = (((1, 1, KV, SIZE), (1, POSITIONS, KV, SIZE)),) * 2
        self.rows = [self.tensor(row) for row, _ in shapes]
        keys, values = (
            self._cached(name, row, shape)
            for name, row, (_, shape) in zip("kv", self.rows, shapes, strict=True)
        )
        if dtype == "float32":
            keys, values = self._heads(keys, (0, 2, 3, 1)), self._heads(values, (0, 2, 1, 3))
        shape, last = (*batch, POSITIONS), dtype == "int8"
        scores = self._masked(
            self.add("BATCH_MATMUL", [self.query, keys], shape, adj_y=last), shape
        )
        wide = tuple(self.builder.main.table.tensors[scores].shape)
        weights = self.tensor(wide) if dtype == "float32" else self.int8(wide, 1 / 256, -128)
        self.builder.operator("SOFTMAX", [scores], [weights], beta=1.0)
        if wide != shape:
            numbers = self.tensor((3,), "int32", shape)
            weights = self.add("RESHAPE", [weights, numbers], shape)
        inputs = [weights, values]
        self.output = self.add("BATCH_MATMUL", inputs, (*batch, SIZE), adj_y=last)

    def int8(self, shape, scale, zero_point, data=None):
        return self.builder.tensor(shape, "int8", data, scale=scale, zero_point=zero_point)

    def tensor(self, shape, dtype=None, data=None):
        dtype = dtype or self.dtype
        return (
            self.int8(shape, 0.05, 0)
            if dtype == "int8"
            else self.builder.tensor(shape, dtype, data)
        )

    def add(self, name, inputs, shape, dtype=None, **options):
        output = self.tensor(shape, dtype)
        self.builder.operator(name, inputs, [output], **options)
        return output

    def _cached(self, name, row, shape):
        zero = self.tensor((1,), "int32", [0])
        axis = shape.index(POSITIONS)
        begin = [self.position if i == axis else zero for i in range(len(shape))]
        begin = self.add("CONCATENATION", begin, (len(shape),), "int32", axis=0)
        if self.kind == "ends":
            old = self.tensor(shape)
            self.caches.append(old)
        else:
            handle = self.builder.tensor((), "resource")
            self.builder.operator("VAR_HANDLE", [], [handle], shared_name=name, container="")
            old = self.add("READ_VARIABLE", [handle], shape)
        new = self.add("DYNAMIC_UPDATE_SLICE", [old, row, begin], shape)
        if self.kind == "ends":
            self.updated.append(new)
        else:
            self.builder.operator("ASSIGN_VARIABLE", [handle, new], [])
        return new

    # Heads of a float32 cache, repeated for each query, in the order of these axes.
    def _heads(self, cache, axes):
        wide, shape = (POSITIONS, KV, GROUP, SIZE), (1, POSITIONS, KV * GROUP, SIZE)
        for name, numbers in (
            ("RESHAPE", (POSITIONS, KV, 1, SIZE)), ("BROADCAST_TO", wide), ("RESHAPE", shape),
        ):  # fmt: skip
            cache = self.add(name, [cache, self.tensor((4,), "int32", numbers)], numbers)
        order = self.tensor((4,), "int32", axes)
        moved = tuple(shape[axis] for axis in axes)
        if axes[-1] == 1:  # litert-torch scales the keys, too
            factor = self.builder.tensor((), "float32", 0.7071)
            cache = self.add("MUL", [cache, factor], shape)
        cache = self.add("TRANSPOSE", [cache, order], moved)
        return self.add("RESHAPE", [cache, self.tensor((3,), "int32", moved[1:])], moved[1:])

    def _masked(self, scores, shape):
        if self.mask == "input":
            self.numbers = self.tensor((1, 1, 1, POSITIONS))
            return self.add("ADD", [scores, self.numbers], (1, *shape))
        numbers = self.tensor((1, 1, POSITIONS), "int32", np.arange(POSITIONS))
        past = self.add("LESS_EQUAL", [numbers, self.position], (1, 1, POSITIONS), "bool")
        if self.dtype == "int8":
            lowest = self.int8((1,), 0.05, 0, [-128])
            return self.add("SELECT_V2", [past, scores, lowest], shape)
        lowest = self.tensor((1,), data=[-1e9])
        return self.add("SELECT_V2", [past, scores, lowest], shape)

    def build(self):
        inputs = [self.position, self.query, *self.rows]
        if self.mask == "input":
            inputs.append(self.numbers)
        self.builder.io([*inputs, *self.caches], [self.output, *self.updated])
        return self.builder.build()

    def runs(self):
        """Return the inputs of each token, without caches."""
        random, found = generator(f"{self.kind} {self.dtype} {self.mask}"), []
        for i in range(RUNS):
            position = i % RESET_AT
            tensors = [np.array([position], np.int32)]
            for number in (self.query, *self.rows):
                shape = self.builder.main.table.tensors[number].shape
                if self.dtype == "int8":
                    tensors.append(random.integers(-128, 128, shape).astype(np.int8))
                else:
                    tensors.append(random.normal(0, 1.5, shape).astype(np.float32))
            if self.mask == "input":
                numbers = np.where(np.arange(POSITIONS) <= position, 0, -1e9)
                tensors.append(numbers.astype(np.float32).reshape(1, 1, 1, POSITIONS))
            found.append(tensors)
        return found


KINDS = [
    ("variable", "int8", "position"), ("variable", "float32", "position"),
    ("variable", "float32", "input"), ("ends", "int8", "position"),
    ("ends", "float32", "position"), ("ends", "float32", "input"),
]  # fmt: skip

SCRIPT = """
import sys
import tflm

text = tflm.Interpreter(tflm.load(sys.argv[1]))
reset_at, count = int(sys.argv[3]), int(sys.argv[4])
with open(sys.argv[2], "rb") as file:
    for run in range(count):
        if run == reset_at:
            text.reset()
        for i in range(text.inputs_size()):
            text.input(i).raw[:] = file.read(len(text.input(i).raw))
        text.invoke()
        print(bytes(text.output(0).raw).hex())
"""


# The outputs of the model as it is in TFLM, whose caller copies caches that are outputs.
def outputs_in_tflm(model, runs, shapes, kind):
    oracle, found = shared_oracle(), []
    for story in (runs[:RESET_AT], runs[RESET_AT:]):
        if not shapes:
            found += [outputs[0] for outputs in oracle.run(model, story)]
            continue
        caches = [np.zeros(shape, kind) for shape in shapes]
        for tensors in story:
            [[output, *caches]] = oracle.run(model, [[*tensors, *caches]])
            found.append(output)
    return found


@pytest.mark.parametrize("target", [None, "armv6m", "armv7em"])
@pytest.mark.parametrize("kind, dtype, mask", KINDS)
def test_tokens_equal_tflm(tmp_path, kind, dtype, mask, target):
    decoder = Decoder(kind, dtype, mask)
    model, runs = decoder.build(), decoder.runs()
    shapes = [decoder.builder.main.table.tensors[i].shape for i in decoder.caches]
    kept = kind == "ends"
    flat, inputs = tmp_path / "model.tflm", tmp_path / "inputs"
    flat.write_bytes(flatten(model, target=target, keep_state=kept))
    inputs.write_bytes(b"".join(tensor.tobytes() for tensors in runs for tensor in tensors))
    printed = run_script(SCRIPT, str(flat), str(inputs), str(RESET_AT), str(RUNS)).split()
    kinds = {"int8": np.int8, "float32": np.float32}[dtype]
    wanted = outputs_in_tflm(model, runs, shapes, kinds)
    for line, output in zip(printed, wanted, strict=True):
        found = np.frombuffer(bytes.fromhex(line), kinds).reshape(output.shape)
        if dtype == "int8":
            assert np.array_equal(found, output)
        else:  # exp() of TFLM has other last bits
            assert np.allclose(found, output, rtol=2e-6, atol=1e-7)
    whole = tmp_path / "whole.tflm"
    whole.write_bytes(flatten(model, target=target, keep_state=kept, without=["attention"]))
    lines = run_script(SCRIPT, str(whole), str(inputs), str(RESET_AT), str(RUNS)).split()
    assert printed == lines  # the step has the bytes of the operators that it replaces


# Each cache is in the arena once, the step reads it in place, and nothing copies it.
@pytest.mark.parametrize("kind, dtype, mask", KINDS)
def test_operators_and_arena(kind, dtype, mask):
    model = Decoder(kind, dtype, mask).build()
    options = FlattenOptions(keep_state=kind == "ends")
    graph = FlattenPipeline(model, options).optimized
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    stay = ["CONCATENATION", "DYNAMIC_UPDATE_SLICE"] * 2 + ["BATCH_MATMUL"]
    stay += ["ADD"] * options.keep_state  # of 1 to the position, which is a variable, too
    is_mask_read = dtype == "float32" and mask == "position"
    assert sorted(operators) == sorted(stay + ["LESS_EQUAL"] * is_mask_read)
    variables = [t.nbytes() for t in graph.running()[0].tensors.values() if t.is_variable]
    assert sorted(variables) == [4] * options.keep_state + 2 * [
        POSITIONS * KV * SIZE * (1 if dtype == "int8" else 4)
    ]
