# tflm_tools: the command bench: beside TFLM's wheel, on a board, for owners of boards
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .board import TIMEOUT
from .workers import bar_of, boards_on, check, jobs_option, workers_options

_INVOKES, _BOARD_INVOKES = 20, 5


def register(cli, show, working, as_json_option, custom_option):
    """Add the command to a click group; `show` prints data, `working` shows a sign of life."""

    @cli.command()
    @click.argument("models", nargs=-1, type=click.Path())
    @click.option("--invokes", type=click.IntRange(min=1), help="[default: 20, with --all 5]")
    @click.option("--per-op", is_flag=True, help="Time, work and memory of each operator.")
    @click.option("--csv", "csv_path", type=click.Path(), help="Write the table there too.")
    @jobs_option("1, and nothing else: they would disturb each other")
    @workers_options
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
        help="With --compare: the prediction, from `make -C bench cycles CORE=pico`.",
    )
    @TIMEOUT
    @custom_option
    @as_json_option
    def bench(
        models, invokes, per_op, csv_path, ports, jobs, backend, scheduler, every, output, compare,
        cycles, as_json, **options
    ):  # fmt: skip
        """Time MODELS in the unix port and in TFLM's wheel, in turn, and compare their memory.

        With --per-op, or on a board (--on): each operator, beside the last run of the same model.
        Several boards of one kind share the models.
        With --all and --compare: a board beside what is predicted for it:
        docs/how-to/measure-a-board.md.
        """
        _check(ports, jobs, backend, scheduler, every)
        if compare:
            _compare(show, compare, cycles, as_json)
        elif every:
            port = ports[0] if ports else None
            _record(show, models, port, invokes or _BOARD_INVOKES, output, as_json, **options)
        elif not models:
            raise click.UsageError("there is no model to time; name MODELS")
        elif per_op or ports:
            from ..measure.per_op import bench_ops

            bar = bar_of("bench", len(ports) > 1 and not as_json, working("bench", models[0]))
            with boards_on(ports, options["timeout"]) as device, bar as progress:
                rows = bench_ops(
                    models, invokes or _INVOKES, device, csv_path, progress=progress, **options
                )
            show(rows, as_json, "bench", "print_ops")
        else:
            from ..measure.bench import bench

            with working("bench", models[0]):
                rows = bench(models, invokes or _INVOKES, csv_path, **options)
            show(rows, as_json, "bench", "print_bench")


# Times that are taken at the same time on the same machine, or on any machines, are none.
def _check(ports, jobs, backend, scheduler, every):
    check(ports, jobs, backend, scheduler)
    if backend == "dask" or (jobs or 1) > 1:
        raise click.UsageError(
            "models that are timed at once on cores disturb each other's times, and machines of a "
            "cluster differ; leave --jobs and --backend out, or give boards: --on PORT --on PORT"
        )
    if every and len(ports) > 1:
        raise click.UsageError("--all is for one board; give one --on, or leave --all out")


# A file beside what `make -C bench cycles` says.
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
