# tflm_tools: cli: the commands that analyze models: plan, report, eval, learn, search
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .. import files
from ..errors import ToolError
from ..flat.features import LAST, METHODS
from ..optimize.memory.levels import LEVELS, OFF
from . import options
from .devices import boards_at, check_workers
from .output import show, work_bar, working


@click.command()
@options.model
@click.option(
    "-o",
    "--output",
    type=options.OutputPath(),
    help="Write a picture, .svg or .png, instead of text.",
)
@click.option(
    "--optimize",
    type=click.Choice(LEVELS),
    default=OFF,
    show_default=True,
    help="Plan of tflm flatten at this level; off: TFLM's plan, as for a .tflite on a board.",
)
@click.option(
    "--input-by-rows",
    "by_rows",
    is_flag=True,
    help="Plan of tflm flatten --input-by-rows.",
)
@click.option(
    "--arena-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Plan of tflm flatten --arena-budget.",
)
@options.target
@options.custom
@options.as_json
def plan(model, output, optimize, as_json, **plan_options):
    """Draw the arena of MODEL: operators from left to right, bytes upwards.

    Each tensor is a block from the operator that makes it to the last one that reads it. Scratch
    buffers are hatched. The operator with the most bytes in use is marked.
    """
    from ..inspection.model_plan import plan_model
    from ..render.plan import plan_picture

    with working("plan", model):
        result = plan_model(model, optimize, **plan_options)
    if output:
        files.write(output, plan_picture(result, output))
    show(result, as_json, "plan", "print_model_plan", written=output)


@click.command()
@options.model
@click.option(
    "-o", "--output", type=options.OutputPath(), required=True, help="The .html to write."
)
@options.flat_optimize
@options.target
@click.option(
    "--profile",
    type=options.FilePath(),
    help="Times of the operators: CSV of tflm bench --per-op, or of a Profiler's log_csv().",
)
@options.custom
@options.as_json
def report(model, output, optimize, as_json, **report_options):
    """Write a page about MODEL: one HTML file that can be read without other files.

    It has the graph, operators, weights, quantization, a picture of the arena, the boards that the
    model fits, times, and the commands that run it.
    """
    from ..inspection.report import report
    from ..render.report import report_page

    with working("report", model):
        result = report(model, optimize, **report_options)
        files.write(output, report_page(result).encode())
    show(result.summary(output), as_json, "report", "print_report")


@click.command("eval")
@options.model
@click.option(
    "--data",
    required=True,
    type=options.FilePath(),
    metavar="DATA",
    help="Data set: a .npz with x (inputs; x0, x1... for several) and y (classes, or values), a "
    "folder with a folder of images, sounds or tables for each class, or a .csv with the class or "
    "the values of the output in the last column. With --detect: boxes in a .json of COCO, or a "
    ".csv: file, x, y, width, height, class.",
)
@options.labels
@options.pixels
@options.block
@options.detector(0.05)
@click.option("--compare", is_flag=True, help="Run TFLM's wheel on the same data, too.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Number of examples, from the first on. "
    "[default: all]",
)  # fmt: skip
@options.jobs("one for each core, if joblib is installed")
@options.workers
@options.timeout
@options.custom
@options.as_json
def evaluate(model, data, ports, backend, as_json, **eval_options):
    """Measure accuracy, confusion matrix and time of MODEL over a data set.

    With --detect, measure the mean average precision of a detector over images.
    """
    from ..measure.detector_evaluation import evaluate_detector
    from ..measure.evaluation import evaluate

    check_workers(ports, eval_options["jobs"], backend, eval_options["scheduler"])
    detect = options.detect_settings(eval_options)
    name = "print_evaluation"
    if detect:
        if eval_options["block"]:
            raise click.UsageError("--features makes no images; leave it out with --detect")
        if eval_options["labels"]:
            raise click.UsageError("--labels does not name classes of boxes; leave out --labels")
        if eval_options["compare"]:
            raise click.UsageError("--compare does not measure boxes; leave out --compare")
        evaluate, name = evaluate_detector, "print_detector_evaluation"
        eval_options["detect"] = detect
    bar = work_bar("eval", not as_json)
    with boards_at(ports, eval_options["timeout"]) as device, bar as progress:
        result = evaluate(model, data, device=device, progress=progress, **eval_options)
    show(result, as_json, "evaluation", name)
    if not detect and result.wrong_order:
        raise ToolError(f"{data}: {result.wrong_order}")


@click.command()
@options.model
@click.option(
    "--data",
    required=True,
    type=options.FilePath(),
    metavar="DATA",
    help="As for eval; classes may be any numbers, or the names of folders.",
)
@click.option(
    "-o",
    "--output",
    type=options.OutputPath(),
    help="The .tflm to write, with the trained classifier.",
)
@click.option(
    "--examples",
    type=options.OutputPath(),
    metavar="FILE",
    help="Write the learned examples for a Learner on a board: learner.load(FILE).",
)
@click.option(
    "--feature",
    default=LAST,
    show_default=True,
    metavar="NAME",
    help="Tensor that the Learner reads, by name or number; last: the input of the last layer "
    "with weights. For a .tflm it was chosen when the model was flattened.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    help="Nearest mean, k nearest neighbours, or a layer trained by SGD.",
)
@click.option(
    "--per-class",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Number of examples to learn for each class, from the first on; the others are "
    "predicted.",
)
@click.option(
    "-k",
    type=click.IntRange(1, 255),
    default=3,
    show_default=True,
    help="Number of neighbours for k nearest neighbours.",
)
@click.option(
    "--test",
    type=options.FilePath(),
    metavar="DATA",
    help="Other data to predict; then all examples of --data are learned.",
)
@options.target
@options.pixels
@options.timeout
@options.as_json
def learn(model, data, as_json, **learn_options):
    """Learn new classes on top of MODEL from a few examples, and predict the other examples.

    The results equal tflm.learner on a board, bit for bit. With a single class, a Learner detects
    unusual examples.
    """
    from ..measure.learning import learn

    with working("learn", model):
        result = learn(model, data, **learn_options)
    show(result, as_json, "learning", "print_learning")


@click.command()
@click.argument("space", type=options.FilePath())
@click.option(
    "--board",
    default="pico",
    show_default=True,
    help="Board whose memory limits the networks: pico, pico2, esp32s3 ...",
)
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Number of networks to try, including those in --storage.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the search.",
)
@click.option(
    "--storage",
    type=options.OutputPath(),
    metavar="FILE",
    help="File in which the search is stored and continued: .db (SQLite) or .log.",
)
@click.option(
    "--ram",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Limit for the arena. [default: the board's]",
)
@click.option(
    "--flash",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Limit for the .tflm. [default: the board's]",
)
@click.option(
    "--ms",
    type=click.FloatRange(min=0, min_open=True),
    help="Limit for the estimated time of an invoke, in milliseconds. [default: none]",
)
@options.flat_optimize
@click.option(
    "-o",
    "--output",
    type=options.OutputPath(),
    help="Write a picture: .svg, .png, or .html with the table.",
)
@options.as_json
def search(space, output, as_json, **search_options):
    """Find networks of SPACE.py that fit a board, before they are trained.

    SPACE.py has build(trial), which makes a network from the values of trial.suggest_int() and
    similar methods, and may have score(trial, network). The exit code is 1 if no network fits.
    See docs/products/search-models.md.
    """
    from ..model_search.study import search
    from ..render.search import kind_of, search_picture

    if output:
        kind_of(output)
    with work_bar("search", not as_json) as progress:
        result = search(space, progress=progress, **search_options)
    if output:
        files.write(output, search_picture(result, output))
    print_options = {} if as_json else {"written": output}
    show(result, as_json, "search", "print_search", **print_options)
    if result.stopped:
        raise KeyboardInterrupt
    if not result.front:
        raise SystemExit(1)


COMMANDS = (plan, report, evaluate, learn, search)
