# Tests of models with the first dimension of each input doubled: outputs compared with LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import multiprocessing

import numpy as np
from rules.sources import TESTS, files, valid_cases
from support import litert, runner
from support.inputs import generator
from tflm.errors import TflmError
from tflm_tools.flat.flatten import flatten

_EACH = 200  # of this number of cases of a file one is tested, the middle one


def _some(cases):
    return cases[min(len(cases), _EACH) // 2 :: _EACH]


# Return values of a doubled input that most operators accept: indices are 0 or 1.
def _values(random, details):
    shape, dtype = details["shape"].copy(), details["dtype"]
    shape[:1] *= 2
    if dtype == np.float32:
        return random.uniform(-2, 2, shape).astype(dtype)
    small = dtype in (np.int32, np.int64, np.bool_)
    limits = (0, 1) if small else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return random.integers(*limits, shape, endpoint=True).astype(dtype)


# Return LiteRT's outputs for inputs of these shapes.
def _outputs(interpreter, values):
    indices = [details["index"] for details in interpreter.get_input_details()]
    for index, value in zip(indices, values, strict=True):
        interpreter.resize_tensor_input(index, value.shape)
    interpreter.allocate_tensors()
    for index, value in zip(indices, values, strict=True):
        interpreter.set_tensor(index, value)
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


# Yield for each model its inputs in the file's shapes and doubled, with LiteRT's outputs for both;
# None if LiteRT refuses one of them.
def _worker(models, connection):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kind = OpResolverType.BUILTIN_REF
    for name, data in models:
        answer = None
        with contextlib.suppress(ValueError, RuntimeError):
            interpreter = Interpreter(model_content=data, experimental_op_resolver_type=kind)
            random = generator(name)
            doubled = [_values(random, details) for details in interpreter.get_input_details()]
            runs = [[v[: len(v) // 2] if v.ndim else v for v in doubled], doubled]
            if any(value.ndim for value in doubled):
                answer = [(values, _outputs(interpreter, values)) for values in runs]
        connection.send(answer)


# Run LiteRT in another process: its unchecked cases may crash it.
def _answers(models):
    answers, context = [], multiprocessing.get_context("spawn")
    while len(answers) < len(models):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_worker, args=(models[len(answers) :], there))
        process.start()
        there.close()
        with contextlib.suppress(EOFError):
            while True:
                answers.append(here.recv())
        process.join()
        if len(answers) < len(models):
            answers.append(None)
    return answers


# Return True if outputs of MicroPython differ from LiteRT's by more than one step.
def _differs(raw, wanted):
    if len(raw) != wanted.nbytes:
        return True
    got = np.frombuffer(raw, wanted.dtype).reshape(wanted.shape)
    if wanted.dtype.kind == "f":
        return not np.allclose(got, wanted, rtol=1e-4, atol=1e-4, equal_nan=True)
    return bool(np.any(np.abs(got.astype(int) - wanted.astype(int)) > 1))


# Of {name: (model, inputs, LiteRT's outputs)} return how many models accept the shapes, and the
# names of the models with other outputs.
def _others(runs):
    jobs = []
    for name, (model, values, _) in runs.items():
        with contextlib.suppress(TflmError):
            flat = flatten(model, input_shapes={i: v.shape for i, v in enumerate(values)})
            jobs.append(runner.Job(name, flat, [[v.tobytes() for v in values]], slices=(64,)))
    others = [
        job.name
        for job, outcome in zip(jobs, runner.run(jobs), strict=True)
        if outcome.kind != "ok" or any(map(_differs, outcome.outputs[0], runs[job.name][2]))
    ]
    return len(jobs), others


# If LiteRT also differs for the original shapes, TFLM, which cannot resize, is right.
@litert.needs_litert
def test_outputs_of_resized_models():
    models = [
        (f"{path.stem} {case.name}", bytes(case.build()))
        for path in files(TESTS, "test_*.py")
        for case in _some(list(valid_cases(path)))
    ]
    answers = {
        name: (data, answer)
        for (name, data), answer in zip(models, _answers(models), strict=True)
        if answer
    }
    taken, others = _others({name: (d, *both[1]) for name, (d, both) in answers.items()})
    assert taken > 50
    plain = {name: (answers[name][0], *answers[name][1][0]) for name in others}
    assert _others(plain)[1] == others
