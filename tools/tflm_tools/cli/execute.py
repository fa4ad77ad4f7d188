# tflm_tools: cli: the commands that run models: run, verify, bench, micropython
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .. import files
from . import options
from .devices import board_at, boards_at, check_workers
from .output import show, work_bar, working

_INVOKES, _ALL_INVOKES = 20, 5
_TEXT_OPTIONS = "tokens", "temperature", "top_k", "seed"


@click.command()
@options.model
@click.option(
    "--input",
    "inputs",
    multiple=True,
    type=options.FilePath(),
    metavar="FILE",
    help="File for each input, in order: a .npy, an image, a .wav or a .csv.",
)
@options.pixels
@options.block
@click.option(
    "--output-dir",
    type=options.FilePath(),
    help="Folder for the outputs: output_0.npy, output_1.npy ... [default: write no files; with "
    "--detect: detected]",
)
@click.option(
    "--path",
    "form",
    type=click.Choice(["flat", "tflite"]),
    default="flat",
    show_default=True,
    help="Run the flat model (.tflm), or the .tflite itself.",
)
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="Number of invokes.")
@click.option(
    "--quantize",
    is_flag=True,
    help="Accept real numbers of any type, and quantize them for integer inputs.",
)
@options.detector()
@click.option("--prompt", metavar="TEXT", help="Beginning of the text of a language model.")
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    help="With --prompt: most tokens to write. [default: to the end of the text]",
)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0),
    default=0.8,
    show_default=True,
    help="With --prompt: 0 always writes the likeliest token; more is more varied.",
)
@click.option(
    "--top-k",
    type=click.IntRange(min=0),
    default=0,
    help="With --prompt: choose among this many of the likeliest tokens. [default: all]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="With --prompt: the same seed writes the same text.",
)
@options.on_board
@options.custom
@options.heap
@options.timeout
@options.as_json
def run(model, on, as_json, prompt, **run_options):
    """Invoke MODEL on your arrays, in the MicroPython unix port or on a board.

    With --detect, print the boxes of a detector, and draw them into boxes.png in --output-dir if
    the input is an image. With --prompt, a language model writes a text.
    """
    from ..execution.run import run

    settings = {name: run_options.pop(name) for name in _TEXT_OPTIONS}
    if prompt is not None:
        if run_options["inputs"]:
            raise click.UsageError("--prompt excludes --input; leave it out")
        if on and (run_options["heap"] or run_options["form"] == "tflite"):
            raise click.UsageError(
                "--prompt with --on excludes --heap and --path tflite; leave them out"
            )
        settings["n"] = settings.pop("tokens")
        with board_at(on, run_options["timeout"]) as device:
            settings |= {"device": device, "timeout": run_options["timeout"]}
            _write_text(model, prompt, settings, run_options, as_json)
        return
    run_options["detect"] = options.detect_settings(run_options)
    if run_options["detect"] and run_options["output_dir"] is None:
        run_options["output_dir"] = "detected"
    with working("run", model), board_at(on, run_options["timeout"]) as device:
        result = run(model, device=device, **run_options)
    show(result, as_json, "results", "print_run")


# Print the text that a language model writes, word by word.
def _write_text(model, prompt, settings, run_options, as_json):
    from ..language.write import write
    from ..render.common import print_json

    words = write(model, prompt, run_options["heap"], run_options["form"], **settings)
    if as_json:
        print_json({"model": str(model), "prompt": prompt, "text": "".join(words)})
        return
    click.echo(prompt, nl=False)
    for each in words:
        click.echo(each, nl=False)
    click.echo()


@click.command()
@options.model
@click.option(
    "--runs",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Number of random inputs, in addition to four extreme ones.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the random inputs.",
)
@click.option(
    "--path",
    "form",
    type=click.Choice(["both", "flat", "tflite"]),
    default="both",
    show_default=True,
    help="Check the flat model (.tflm), the .tflite itself, or both.",
)
@click.option(
    "--oracle",
    type=click.Choice(["tflm", "litert"]),
    default="tflm",
    show_default=True,
    help="Compare with TFLM, or with LiteRT for models that TFLM cannot run.",
)
@click.option("--layers", is_flag=True, help="Also compare the outputs of each operator.")
@options.memory_plan
@options.jobs("1")
@options.workers
@options.custom
@options.heap
@options.timeout
@options.as_json
def verify(model, ports, backend, as_json, oracle, **verify_options):
    """Compare the results of MODEL in MicroPython with TFLM or LiteRT.

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. If an output differs, the exit
    code is 1 and the first operator that differs is printed with both values. --optimize,
    --arena-budget and --input-by-rows flatten the model as tflm flatten does; with --layers each
    tensor has separate memory.
    """
    from ..check.oracle import LITERT, TFLM
    from ..check.verify import verify

    check_workers(ports, verify_options["jobs"], backend, verify_options["scheduler"])
    verify_options["oracle_name"] = LITERT if oracle == "litert" else TFLM
    is_shared = bool(len(ports) > 1 or verify_options["jobs"] or verify_options["scheduler"])
    bar = work_bar("verify", is_shared and not as_json, working("verify", model))
    with boards_at(ports, verify_options["timeout"]) as device, bar as progress:
        result = verify(model, device=device, progress=progress, **verify_options)
    show(result, as_json, "results", "print_verification")
    if not result.is_equal():
        raise SystemExit(1)


@click.command()
@click.argument("models", nargs=-1, type=options.FilePath())
@click.option(
    "--invokes",
    type=click.IntRange(min=1),
    help="Number of timed invokes. [default: 20, fewer if a board is slow, with --all 5]",
)
@click.option("--per-op", is_flag=True, help="Measure time, work and memory of each operator.")
@click.option(
    "--csv", "csv_path", type=options.OutputPath(), help="Also write the table to this file."
)
@options.jobs("1, and nothing else: they would disturb each other")
@options.workers
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="With --on: store each of MODELS (files or folders, by default the project's own models) "
    "on the board, check its results and time each operator.",
)
@click.option(
    "-o", "--output", type=options.OutputPath(), help="With --all: the file for the results."
)
@click.option(
    "--compare",
    type=options.FilePath(),
    metavar="FILE",
    help="Compare a file of --all --output with the prediction.",
)
@click.option(
    "--cycles",
    type=options.FilePath(),
    default="build/cycles.csv",
    show_default=True,
    help="With --compare: the prediction, from `make -C bench cycles CORE=pico`.",
)
@options.timeout
@options.custom
@options.as_json
def bench(models, ports, as_json, invokes, csv_path, **bench_options):
    """Time MODELS in the unix port and in TFLM's wheel, and compare their memory.

    With --per-op or on a board (--on), each operator is timed and compared with the last run of
    the same model. Several boards of one kind share the models. --all and --compare measure a
    board beside its prediction: docs/how-to/measure-a-board.md.
    """
    every, output, per_op, compare, cycles = (
        bench_options.pop(name) for name in ("every", "output", "per_op", "compare", "cycles")
    )
    _check_bench(ports, every, *map(bench_options.pop, ("jobs", "backend", "scheduler")))
    if compare:
        _compare(compare, cycles, as_json)
    elif every:
        _bench_all(models, ports, invokes, output, as_json, **bench_options)
    elif not models:
        raise click.UsageError("there is no model to time; name MODELS")
    elif per_op or ports:
        _bench_ops(models, ports, invokes, csv_path, as_json, **bench_options)
    else:
        from ..measure.bench import bench

        with working("bench", models[0]):
            rows = bench(models, invokes or _INVOKES, csv_path, **bench_options)
        show(rows, as_json, "bench", "print_bench")


# Times are comparable only if one model at a time runs on the same machine.
def _check_bench(ports, every, jobs, backend, scheduler):
    check_workers(ports, jobs, backend, scheduler)
    if backend == "dask" or (jobs or 1) > 1:
        raise click.UsageError(
            "models that are timed at once on cores disturb each other's times, and machines of a "
            "cluster differ; leave out --jobs and --backend, or give boards: --on PORT --on PORT"
        )
    if every and len(ports) > 1:
        raise click.UsageError("--all is for one board; give one --on, or leave out --all")


# Measure each operator, in the unix port or on boards.
def _bench_ops(models, ports, invokes, csv_path, as_json, **bench_options):
    from ..measure.per_op import bench_ops

    bar = work_bar("bench", bool(ports) and not as_json, working("bench", models[0]))
    with boards_at(ports, bench_options["timeout"]) as device, bar as progress:
        rows = bench_ops(models, invokes, device, csv_path, progress=progress, **bench_options)
    show(rows, as_json, "bench", "print_ops")


# Compare a file of --all with the prediction of `make -C bench cycles`.
def _compare(path, cycles, as_json):
    from ..measure import hardware, predicted

    result = predicted.compare(hardware.read(path), cycles)
    show(result, as_json, "hardware", "print_comparison")


# Measure all models on a board; the exit code is 1 if a model's results are wrong.
def _bench_all(models, ports, invokes, output, as_json, **bench_options):
    if not ports or output is None:
        raise click.UsageError(
            "--all requires a board and an output file; give --on PORT -o result.json"
        )
    from ..measure import hardware

    files.check_output(output, *hardware.models_in(models), *bench_options["custom"])
    with work_bar("bench", not as_json) as progress:
        result = hardware.record(
            models, ports[0], invokes or _ALL_INVOKES, progress, **bench_options
        )
    hardware.write(result, output)
    show(result, as_json, "hardware", "print_record")
    if any(not model.equal for model in result.models if not model.refused):
        raise SystemExit(1)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def micropython(arguments):
    """Run MicroPython's unix port, which can import tflm, with ARGUMENTS or at its prompt.

    ARGUMENTS are passed to the program micropython: a file, -c PROGRAM, -X heapsize=256M and
    others.
    """
    from ..port.unix_port import prompt

    raise SystemExit(prompt(arguments))


COMMANDS = (run, verify, bench, micropython)
