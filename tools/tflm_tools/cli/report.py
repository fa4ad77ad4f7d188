# tflm_tools: the commands that show and measure a model: plan, report, eval and learn
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .. import files
from ..flat.features import LAST, METHODS
from ..optimize.memory.levels import BALANCED, LEVELS, OFF
from .board import PIXELS, TIMEOUT
from .workers import bar_of, boards_on, check, jobs_option, workers_options

_TARGET_HELP = "As for tflm flatten: whose kernels, which have scratch buffers of their own."


def register(cli, show, working, model, as_json_option, custom_option):
    """Add the commands to a click group.

    `show` prints data, `working` is a sign of life, the rest are options that commands share.
    """
    from ..targets import TARGETS

    target_option = click.option("--target", type=click.Choice(TARGETS), help=_TARGET_HELP)

    @cli.command()
    @model
    @click.option("-o", "--output", type=click.Path(), help="An .svg or .png instead of letters.")
    @click.option(
        "--optimize",
        type=click.Choice(LEVELS),
        default=OFF,
        show_default=True,
        help="The plan of tflm flatten at this level; off: TFLM's, as for a .tflite on a board.",
    )
    @click.option(
        "--input-by-rows",
        "by_rows",
        is_flag=True,
        help="The plan of tflm flatten --input-by-rows.",
    )
    @click.option(
        "--arena-budget",
        type=click.IntRange(min=1),
        metavar="BYTES",
        help="The plan of tflm flatten --arena-budget.",
    )
    @target_option
    @custom_option
    @as_json_option
    def plan(model, output, optimize, by_rows, arena_budget, target, custom, as_json):
        """Draw the arena of MODEL: operators from left to right, bytes upwards.

        Each tensor is a block, from the operator that makes it to the last one that reads it;
        scratch buffers are hatched, the operator with the most bytes in use is marked.
        """
        from ..inspection.model_plan import plan_model
        from ..render.plan import plan_picture

        if output:
            files.check_output(output, model, *custom)
        with working("plan", model):
            result = plan_model(
                model, optimize, target, custom, by_rows=by_rows, arena_budget=arena_budget
            )
        if output:
            files.write(output, plan_picture(result, output))
        show(result, as_json, "plan", "print_model_plan", written=output)

    @cli.command()
    @model
    @click.option("-o", "--output", type=click.Path(), required=True, help="The .html to write.")
    @click.option(
        "--optimize", type=click.Choice(LEVELS), default=BALANCED, show_default=True,
        help="Of the .tflm that is described.",
    )  # fmt: skip
    @target_option
    @click.option(
        "--profile",
        type=click.Path(),
        help="Times of the operators: CSV of tflm bench --per-op, or of a Profiler's log_csv().",
    )
    @custom_option
    @as_json_option
    def report(model, output, optimize, target, profile, custom, as_json):
        """Write a page about MODEL: one HTML file that needs nothing else.

        Its graph, operators, weights, quantization, the arena as a picture, the boards that it
        fits, times, and the lines that run it.
        """
        from ..inspection.report import report
        from ..render.report import report_page

        files.check_output(output, model, *custom, *filter(None, [profile]))
        with working("report", model):
            result = report(model, optimize, target, profile, custom)
            files.write(output, report_page(result).encode())
        show(result.summary(output), as_json, "report", "print_report")

    @cli.command("eval")
    @model
    @click.option(
        "--data",
        required=True,
        type=click.Path(),
        metavar="DATA",
        help="A .npz with x (inputs; x0, x1... for several) and y (classes, or values), a folder "
        "with one of images or sounds for each class, or a .csv whose last column is the class.",
    )
    @PIXELS
    @click.option("--compare", is_flag=True, help="Run TFLM's wheel on the same data, too.")
    @click.option("--limit", type=click.IntRange(min=1), help="Only the first so many.")
    @jobs_option("one for each core, where joblib is installed")
    @workers_options
    @TIMEOUT
    @custom_option
    @as_json_option
    def evaluate(model, data, ports, backend, as_json, **options):
        """Accuracy, confusion matrix and time of MODEL over a data set."""
        from ..measure.evaluation import evaluate

        check(ports, options["jobs"], backend, options["scheduler"])
        bar = bar_of("eval", not as_json)
        with boards_on(ports, options["timeout"]) as device, bar as progress:
            result = evaluate(model, data, device=device, progress=progress, **options)
        show(result, as_json, "evaluation", "print_evaluation")

    @cli.command()
    @model
    @click.option(
        "--data",
        required=True,
        type=click.Path(),
        metavar="DATA",
        help="As for eval; classes may be any numbers, or the names of folders.",
    )
    @click.option("-o", "--output", type=click.Path(), help="The .tflm to write, with the head.")
    @click.option(
        "--examples",
        type=click.Path(),
        metavar="FILE",
        help="What was taught, to write for a Learner on a board: learner.load(FILE).",
    )
    @click.option(
        "--feature",
        default=LAST,
        show_default=True,
        metavar="NAME",
        help="What the Learner sees: name or number of a tensor; last: what goes into the last "
        "layer with weights. A .tflm has chosen already.",
    )
    @click.option(
        "--method",
        type=click.Choice(METHODS),
        default=METHODS[0],
        show_default=True,
        help="Nearest mean, k nearest examples, or a layer trained by SGD.",
    )
    @click.option(
        "--per-class",
        type=click.IntRange(min=1),
        default=5,
        show_default=True,
        help="Examples of each class to teach, the first ones; the others are asked for.",
    )
    @click.option(
        "-k", type=click.IntRange(1, 255), default=3, show_default=True, help="For neighbours."
    )
    @click.option(
        "--test",
        type=click.Path(),
        metavar="DATA",
        help="Other data to ask for; all of --data is taught then.",
    )
    @target_option
    @PIXELS
    @TIMEOUT
    @as_json_option
    def learn(model, data, as_json, **options):
        """Teach new classes on top of MODEL from a few examples, and ask about the others.

        It is what tflm.learner does on a board, bit for bit. A Learner with one class tells what
        is unusual.
        """
        from ..measure.learning import learn

        with working("learn", model):
            result = learn(model, data, **options)
        show(result, as_json, "learning", "print_learning")
