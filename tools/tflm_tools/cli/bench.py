# tflm_tools: the command bench: beside TFLM's wheel, on a board, for owners of boards
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .board import ON, TIMEOUT, device_on

_INVOKES, _BOARD_INVOKES = 20, 5


def register(cli, show, working, as_json_option, custom_option):
    """Add the command to a click group; `show` prints data, `working` shows a sign of life."""

    @cli.command()
    @click.argument("models", nargs=-1, type=click.Path())
    @click.option("--invokes", type=click.IntRange(min=1), help="[default: 20, with --all 5]")
    @click.option("--per-op", is_flag=True, help="Time, work and memory of each operator.")
    @click.option("--csv", "csv_path", type=click.Path(), help="Write the table there too.")
    @ON
    @click.option(
        "--all",
        "every",
        is_flag=True,
        help="With --on: put MODELS (files, folders; without any, the project's own) on the board "
        "one after the other, check their bits, time each operator.",
    )
    @click.option("-o", "--output", type=click.Path(), help="With --all: the file to write.")
    @click.option(
        "--compare", type=click.Path(), metavar="FILE", help="Such a file beside the prediction."
    )
    @click.option(
        "--cycles",
        type=click.Path(),
        default="build/cycles.csv",
        show_default=True,
        help="With --compare: the prediction, from `make cycles CORE=pico`.",
    )
    @TIMEOUT
    @custom_option
    @as_json_option
    def bench(
        models, invokes, per_op, csv_path, on, every, output, compare, cycles, as_json, **options
    ):
        """Time MODELS in the unix port and in TFLM's wheel, in turn, and compare their memory.

        With --per-op, or on a board (--on): each operator, beside the last run of the same model.
        With --all and --compare: a board beside what is predicted for it: docs/hardware.md.
        """
        if compare:
            _compare(show, compare, cycles, as_json)
        elif every:
            _record(show, models, on, invokes or _BOARD_INVOKES, output, as_json, **options)
        elif not models:
            raise click.UsageError("there is no model to time; name MODELS")
        elif per_op or on is not None:
            from ..measure.per_op import bench_ops

            with working("bench", models[0]), device_on(on, options["timeout"]) as device:
                rows = bench_ops(models, invokes or _INVOKES, device, csv_path, **options)
            show(rows, as_json, "bench", "print_ops")
        else:
            from ..measure.bench import bench

            with working("bench", models[0]):
                rows = bench(models, invokes or _INVOKES, csv_path, **options)
            show(rows, as_json, "bench", "print_bench")


# A file beside what `make cycles` says.
def _compare(show, path, cycles, as_json):
    from ..measure import hardware, predicted

    result = predicted.compare(hardware.read(path), cycles)
    show(result, as_json, "hardware", "print_comparison")


# All models on a board; the exit code is 1 where bits are wrong.
def _record(show, models, port, invokes, output, as_json, **options):
    if port is None or output is None:
        raise click.UsageError(
            "--all needs a board and a file to write; give --on PORT -o result.json"
        )
    from ..measure import hardware
    from ..render.board import progress_bar

    with progress_bar("bench", not as_json, counts=True) as progress:
        result = hardware.record(models, port, invokes, progress, **options)
    hardware.write(result, output)
    show(result, as_json, "hardware", "print_record")
    if any(not model.equal for model in result.models if not model.refused):
        raise SystemExit(1)
