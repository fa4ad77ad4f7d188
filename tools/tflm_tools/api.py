# tflm_tools: api: the commands of `tflm` as Python functions
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager
from pathlib import Path

# Each function imports what it needs, so that `import tflm_tools` is fast.

# The arguments for options whose long names differ, and the values of --oracle.
_ARGUMENTS = {
    "feature": "features",
    "features": "block",
    "input_by_rows": "by_rows",
    "input_shape": "input_shapes",
    "oracle": "oracle_name",
    "path": "form",
}
_ORACLES = {"tflm": "TFLM", "litert": "LiteRT"}
_QUANTIZATIONS = ("int16", "dynamic", "weights_only")  # options of convert


# The arguments of a function for a command's options by their long names.
def _arguments(options):
    found = {_ARGUMENTS.get(name, name): value for name, value in options.items()}
    for name in ("custom", "features", "without"):
        if isinstance(found.get(name), (str, Path)):  # one of the values that may be several
            found[name] = (found[name],)
    if isinstance(found.get("input_shapes"), str):
        found["input_shapes"] = (found["input_shapes"],)
    if isinstance(found.get("detect"), str):
        from .detection.detect import Settings

        names = ("threshold", "overlap", "anchors")
        others = {name: found.pop(name) for name in names if name in found}
        found["detect"] = Settings(found["detect"], **others)
    if "oracle_name" in found:
        found["oracle_name"] = _ORACLES.get(found["oracle_name"], found["oracle_name"])
    return found


# _arguments() with the boards of the option `on`, a port or several ports, as `device`.
@contextmanager
def _on_boards(options):
    found = _arguments(options)
    found.pop("backend", None)  # `scheduler` says it
    ports = found.pop("on", None)
    if not ports:
        yield found
        return
    from .board.device_pool import open_boards

    ports = [ports] if isinstance(ports, str) else list(ports)
    with open_boards(ports, found.get("timeout")) as device:
        yield {**found, "device": device}


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
    output: the .tflite to write. options: int16, dynamic, weights_only, no_quantize, int4,
    keep_float, limit, input_shape, pixels, features, custom, timeout, as for the command; or form
    ("int8", "int16", "dynamic", "weights-only", "float32") and weight_bits (8 or 4). Returns a
    Converted.
    """
    from .converters.convert import convert

    options = _arguments(options)
    for name in _QUANTIZATIONS:
        if options.pop(name, False):
            options["form"] = name.replace("_", "-")
    if options.pop("no_quantize", False):
        options["form"] = "float32"
    if options.pop("int4", False):
        options["weight_bits"] = 4
    return convert(model, data, output, **options)


def flatten(model, output=None, **options):
    """Convert a .tflite to a .tflm, as `tflm flatten` does.

    output: the file to write, or None. options: target, flash_budget, without, optimize,
    arena_budget, input_shape, keep_inputs, keep_state, keep_tensors, feature, features,
    input_by_rows, compress_weights, custom, explain, as for the command. Returns a Conversion; its
    `data` holds the bytes of the .tflm, and with `explain` its `explanation` says why the memory
    plan was chosen.
    """
    from .flat.conversion import flatten_file

    return flatten_file(model, output, **_arguments(options))


def run(model, *inputs, quantize=True, **options):
    """Invoke a model in the unix port, as `tflm run` does.

    inputs: for each input an array, or a file as for `tflm run --input`. quantize: quantize floats
    for an integer input. options: path, repeat, on, heap, timeout, custom, pixels, features,
    output_dir, detect, threshold, overlap and anchors, as for the command. Returns a Run; its
    `arrays` are the outputs.
    """
    import numpy as np

    from .execution.run import run

    given = [each if isinstance(each, (str, Path)) else np.asarray(each) for each in inputs]
    with _on_boards(options) as arguments:
        return run(model, given, quantize=quantize, **arguments)


def verify(model, **options):
    """Compare a model with TFLM or LiteRT, as `tflm verify` does.

    options: runs, seed, path, oracle, layers, input_by_rows, optimize, arena_budget, on, custom,
    jobs, scheduler, heap and timeout, as for the command. Returns a Verification; its is_equal()
    is the result.
    """
    from .check.verify import verify

    with _on_boards(options) as arguments:
        return verify(model, **arguments)


def evaluate(model, data, **options):
    """Measure the accuracy of a model on a data set, as `tflm eval` does.

    data: a path as for `tflm eval --data`, or a dict of arrays x and y. options: compare, limit,
    on, jobs, scheduler, custom, pixels, features, timeout, detect, threshold, overlap and anchors,
    as for the command. Returns an Evaluation; with `detect` a DetectorEvaluation.
    """
    from .measure.detector_evaluation import evaluate_detector
    from .measure.evaluation import evaluate

    if "detect" in options:
        options = {"threshold": 0.05, **options}
    with _on_boards(options) as arguments:
        if arguments.get("detect"):
            return evaluate_detector(model, data, **arguments)
        return evaluate(model, data, **arguments)


def learn(model, data, output=None, **options):
    """Teach classes with a few examples and test the others, as `tflm learn` does.

    data: a path as for `tflm learn --data`, or a dict of arrays x and y. output: the .tflm to
    write, or None. options: feature, method, per_class, k, test, examples, target, pixels,
    timeout, as for the command. Returns a Learning.
    """
    from .measure.learning import learn

    return learn(model, data, output, **options)


def plan(model, optimize="off", target=None, custom=(), arena_budget=None, **options):
    """Return the arena plan of a model, a ModelPlan, as `tflm plan` shows it.

    optimize: "off" for TFLM's plan, "ram", "balanced" or "speed" for a plan of `tflm flatten`.
    target, custom, arena_budget, input_by_rows: as for `tflm flatten`.
    """
    from .inspection.model_plan import plan_model

    options = _arguments({"custom": custom, "arena_budget": arena_budget, **options})
    return plan_model(model, optimize, target, **options)


def search(space, board="pico", **options):
    """Find networks in a space that fit a board, as `tflm search` does.

    space: a Python file with build(trial), or the function build. options: trials, seed, storage,
    ram, flash, ms, optimize, as for the command; score, a function. Returns a Search.
    """
    from .model_search.study import search

    return search(space, board, **options)
