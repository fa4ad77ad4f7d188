# tflm_tools: api: the commands of `tflm` as Python functions
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

# Each function imports what it needs, so that `import tflm_tools` is fast.


def inspect(model, custom=()):
    """Describe a model, and whether it runs and fits boards, as `tflm inspect` does.

    model: the path of a .tflite or .tflm. custom: files that register custom operators.
    Returns an Inspection.
    """
    from .inspection.inspection import inspect

    return inspect(model, custom)


def convert(model, data, output, **options):
    """Convert a float model to an int8 .tflite, as `tflm convert` does.

    model: a .tflite, .keras, .h5, .pt2, .onnx or the folder of a SavedModel. data: a path as for
    `tflm convert --data`, or a dict of arrays x and y; y is only needed to measure the accuracy.
    output: the .tflite to write. options: form ("int8", "int16", "dynamic", "weights-only",
    "float32"), weight_bits (8 or 4), keep_float, limit, input_shapes, pixels, custom, timeout.
    Returns a Converted.
    """
    from .converters.convert import convert

    return convert(model, data, output, **options)


def flatten(model, output=None, **options):
    """Convert a .tflite to a .tflm, as `tflm flatten` does.

    output: the file to write, or None. options: target, flash_budget, without, optimize,
    arena_budget, input_shapes, keep_tensors, features, by_rows, compress_weights, custom, as for
    the command. Returns a Conversion; its `data` holds the bytes of the .tflm.
    """
    from .flat.conversion import flatten_file

    return flatten_file(model, output, **options)


def run(model, *inputs, quantize=True, **options):
    """Invoke a model in the unix port, as `tflm run` does.

    inputs: for each input an array, or a file as for `tflm run --input`. quantize: quantize floats
    for an integer input. options: form, repeat, heap, timeout, custom, output_dir and device, as
    for the command. Returns a Run; its `arrays` are the outputs.
    """
    import numpy as np

    from .execution.run import run

    given = [each if isinstance(each, (str, Path)) else np.asarray(each) for each in inputs]
    return run(model, given, quantize=quantize, **options)


def verify(model, **options):
    """Compare a model with TFLM, as `tflm verify` does.

    options: runs, seed, form, layers, by_rows, optimize, arena_budget, custom, jobs, scheduler and
    others, as for the command. Returns a Verification; its is_equal() is the result.
    """
    from .check.verify import verify

    return verify(model, **options)


def evaluate(model, data, **options):
    """Measure the accuracy of a model on a data set, as `tflm eval` does.

    data: a path as for `tflm eval --data`, or a dict of arrays x and y. options: compare, limit,
    jobs, scheduler, custom and others, as for the command. Returns an Evaluation.
    """
    from .measure.evaluation import evaluate

    return evaluate(model, data, **options)


def learn(model, data, output=None, **options):
    """Teach classes with a few examples and test the others, as `tflm learn` does.

    data: a path as for `tflm learn --data`, or a dict of arrays x and y. output: the .tflm to
    write, or None. options: feature, method, per_class, k, test, examples, target, pixels,
    timeout, as for the command. Returns a Learning.
    """
    from .measure.learning import learn

    return learn(model, data, output, **options)


def plan(model, optimize="off", target=None, custom=(), by_rows=False, arena_budget=None):
    """Return the arena plan of a model, a ModelPlan, as `tflm plan` shows it.

    optimize: "off" for TFLM's plan, "ram", "balanced" or "speed" for a plan of `tflm flatten`.
    target, custom, by_rows, arena_budget: as for `tflm flatten`.
    """
    from .inspection.model_plan import plan_model

    return plan_model(model, optimize, target, custom, by_rows=by_rows, arena_budget=arena_budget)


def search(space, board="pico", **options):
    """Find networks in a space that fit a board, as `tflm search` does.

    space: a Python file with build(trial), or the function build. options: trials, seed, storage,
    ram, flash, ms, optimize, as for the command; score, a function. Returns a Search.
    """
    from .model_search.study import search

    return search(space, board, **options)
