# Tests of short_steps.py on emulated cores: each way to run steps gives the same outputs
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from packed_cases import BUILD, emulated, firmware_of
from support.builder import ModelBuilder
from tflm_tools.flat.flatten import flatten
from tflm_tools.targets import target_of

_STEPS = 70  # more than twice the steps between two checks for Ctrl-C
_SCRIPT = """
import tflm, uctypes
from tflm.errors import ABORTED

model = tflm.load(uctypes.bytearray_at({model}, {model_bytes}))
inputs = uctypes.bytearray_at({inputs}, {inputs_bytes})

def outputs_of(run, **options):
    interp = tflm.Interpreter(model, **options)
    interp.input(0).raw[:] = inputs
    program = interp._program
    assert run(interp, program) is None
    return bytes(interp.output(0).raw), program.graphs[0]

def by_unit(interp, program):
    for step in program.graphs[0]:
        at_once = 1 if step[3] else step[2]
        for start in range(0, step[2], at_once):
            program.run_slice(step, start, start + at_once)

wanted, steps = outputs_of(lambda interp, program: interp.invoke())
assert len(steps) > {steps} and {{step[3] for step in steps}} == {{0}}
assert outputs_of(by_unit)[0] == wanted
found, steps = outputs_of(lambda interp, program: interp.invoke(), slice_units=3)
assert found == wanted and all([step[3] for step in steps if step[2] > 1])
interp = tflm.Interpreter(model)
interp.allocate_tensors()
for i in (0, 40, {steps}):  # an operator that ends the run
    steps = interp._program.graphs[0] = list(interp._program.graphs[0])  # none run together
    step = steps[i]
    steps[i] = (lambda record, arena, rom, start, stop: ABORTED, step[1], 1, 1)
    assert interp.invoke() == ABORTED
    steps[i] = step
print(wanted[:4])
"""


# LOGISTIC and FULLY_CONNECTED of int8 by turns, which are machine code without a viper function
# around it. On a Cortex-M all of them run together.
def _model():
    model = ModelBuilder()
    random = np.random.default_rng(3)
    source = tensor = model.tensor((1, 24), "int8", scale=0.05, zero_point=4)
    for i in range(_STEPS):
        output = model.tensor((1, 24), "int8", scale=1 / 256, zero_point=-128)
        if i % 2:
            weights = random.integers(-127, 128, (24, 24))
            weights = model.tensor((24, 24), "int8", weights, scale=0.002, zero_point=0)
            model.operator("FULLY_CONNECTED", [tensor, weights, -1], [output])
        else:
            model.operator("LOGISTIC", [tensor], [output])
        tensor = output
    model.io([source], [tensor])
    return model.build()


@pytest.mark.parametrize("core", ["m0plus", "m33", "rv32"])
def test_ways_to_run_steps(core):
    if not firmware_of(core).exists():
        pytest.skip(f"there is no firmware for {core}; `make -C tests asm` builds it")
    flat = flatten(_model(), target=target_of(emulated.ARCHS[core][0]))
    inputs = np.random.default_rng(4).integers(-128, 128, 24, np.int8).tobytes()
    script = _SCRIPT.format(
        model=emulated.MODEL, model_bytes=len(flat), inputs=emulated.INPUTS,
        inputs_bytes=len(inputs), steps=_STEPS - 1,
        kinds={True, False} if core == "rv32" else {True},
    )  # fmt: skip
    memory = ((emulated.MODEL, flat), (emulated.INPUTS, inputs))
    files = emulated.file_system(BUILD, core)
    said = emulated.run(core, firmware_of(core), files, script, memory)
    assert not said["error"], said["error"]
