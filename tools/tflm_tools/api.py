# tflm_tools: api: the commands as functions of Python (docs/reference/python-on-host.md)
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

# Each function loads what it needs: `import tflm_tools` costs nothing.


def inspect(model, custom=()):
    """What is in a model and whether it runs and fits: an Inspection, as of `tflm inspect`.

    model: the path of a .tflite or .tflm. custom: files that register custom operators.
    """
    from .inspection.inspection import inspect

    return inspect(model, custom)


def convert(model, data, output, **options):
    """Make the int8 .tflite of a Keras model or SavedModel: a Converted, as of `tflm convert`.

    data: what `tflm convert --data` takes, or a dict of arrays x and, where accuracy is wanted, y.
    options: form ("int8", "int16", "float32"), keep_float, limit, input_shapes, pixels, custom,
    timeout. Needs TensorFlow.
    """
    from .converters.convert import convert

    return convert(model, data, output, **options)


def flatten(model, output=None, **options):
    """Make the .tflm of a .tflite: a Conversion, as of `tflm flatten`; its bytes are `data`.

    output: the file to write; None writes none. options: target, flash_budget, without,
    optimize, arena_budget, input_shapes, keep_tensors, features, by_rows, compress_weights,
    custom, as for the command.
    """
    from .flat.conversion import flatten_file

    return flatten_file(model, output, **options)


def run(model, *inputs, quantize=True, **options):
    """Invoke a model in the unix port: a Run, as of `tflm run`; its outputs are `arrays`.

    inputs: for each input an array, or a file as `tflm run --input` takes it. quantize: floats
    for an integer input are real numbers. options: form, repeat, heap, timeout, custom, output_dir
    and device, as for the command.
    """
    import numpy as np

    from .execution.run import run

    given = [each if isinstance(each, (str, Path)) else np.asarray(each) for each in inputs]
    return run(model, given, quantize=quantize, **options)


def verify(model, **options):
    """Compare a model with TFLM: a Verification, as of `tflm verify`; is_equal() says it all.

    options: runs, seed, form, layers, by_rows, optimize, arena_budget, custom, jobs, scheduler and
    others, as for the command.
    """
    from .check.verify import verify

    return verify(model, **options)


def evaluate(model, data, **options):
    """Accuracy over a data set: an Evaluation, as of `tflm eval`.

    data: what `tflm eval --data` takes, or a dict of arrays x and y. options: compare, limit,
    jobs, scheduler, custom and others, as for the command.
    """
    from .measure.evaluation import evaluate

    return evaluate(model, data, **options)


def learn(model, data, output=None, **options):
    """Teach new classes from a few examples, ask about the others: a Learning, as of `tflm learn`.

    output: the .tflm to write. options: feature, method, per_class, k, test, examples, target,
    pixels, timeout, as for the command.
    """
    from .measure.learning import learn

    return learn(model, data, output, **options)


def plan(model, optimize="off", target=None, custom=(), by_rows=False, arena_budget=None):
    """The arena over the operators: a ModelPlan, as of `tflm plan`.

    optimize: off for TFLM's plan, ram, balanced or speed for that of `tflm flatten`. by_rows: that
    of `tflm flatten --input-by-rows`. arena_budget: that of `tflm flatten --arena-budget`.
    """
    from .inspection.model_plan import plan_model

    return plan_model(model, optimize, target, custom, by_rows=by_rows, arena_budget=arena_budget)


def search(space, board="pico", **options):
    """Which networks of a space fit a board: a Search, as of `tflm search`.

    space: a Python file with build(trial), or that function. options: trials, seed, storage,
    ram, flash, ms, optimize as for the command; score, a function beside build.
    """
    from .model_search.study import search

    return search(space, board, **options)
