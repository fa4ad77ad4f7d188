# tflm_tools: command `tflm`: options in, data to render/, errors to one sentence
# MIT license; Copyright (c) 2026 the tflm authors

import os
import sys

import rich_click as click
from tflm.errors import TflmError
from tflm.version import __version__

from ..optimize.passes import OPTIONS as SAVINGS
from ..targets import TARGETS, targets_help
from .bench import register as register_bench
from .board import ON, PIXELS, TIMEOUT, device_on, register
from .convert import register as register_convert
from .fleet import register as register_fleet
from .models import register as register_models
from .plans import plan_options
from .report import register as register_report
from .search import register as register_search
from .wake import register as register_wake
from .workers import bar_of, boards_on, check, jobs_option, workers_options

_MODEL = click.argument("model", type=click.Path())
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
_HEAP = click.option(
    "--heap", metavar="SIZE", help="MicroPython's heap, like 192k. [default: 64M]"
)
_CUSTOM = click.option(
    "--custom",
    multiple=True,
    type=click.Path(),
    metavar="FILE.py",
    help="Registers custom operators: it has register(resolver). Can be given several times.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tflm")
def cli():
    """TensorFlow Lite Micro in pure MicroPython: the tools of the host."""


# A sign of life for commands that may take longer than a second.
def _working(command, model):
    from ..render.working import working

    return working(f"{command} {os.path.basename(model)}")


# Print `data` as JSON or by the function `name` of a file of render/.
def _show(data, as_json, file, name, **options):
    from importlib import import_module

    from ..render import common

    if as_json:
        common.print_json(data)
        return
    getattr(import_module(f"..render.{file}", __package__), name)(
        data, common.console(), **options
    )


@cli.command()
@_MODEL
@click.option("--plan", is_flag=True, help="Draw the arena plan over the operators.")
@click.option("--allocations", is_flag=True, help="What takes the arena, in TFLM's sections.")
@_CUSTOM
@_JSON
def inspect(model, plan, allocations, custom, as_json):
    """Show what is in MODEL, what it costs, and whether it runs and fits.

    Inputs and outputs, operators with shapes, multiply-accumulates, weights and arena bytes,
    operators that tflm lacks (all of them; the exit code stays 0), and three boards.
    """
    from ..inspection.inspection import inspect

    with _working("inspect", model):
        report = inspect(model, custom)
    if plan and report.plan is None:
        raise click.UsageError(
            "--plan needs a .tflite; a .tflm does not say when its tensors live"
        )
    _show(report, as_json, "inspection", "print_inspection", plan=plan, allocations=allocations)


@cli.command()
@_MODEL
@click.option("-o", "--output", type=click.Path(), required=True, help="The .tflm to write.")
@click.option("--keep-tensors", is_flag=True, help="A place for each tensor, for debugging.")
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="A tensor to keep beside the outputs, for a Learner: its name or number.",
)
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    help=f"Pack weights for {targets_help()}: faster, for more flash.",
)
@click.option(
    "--flash-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="With --target: how large the .tflm may get. Layers that gain least get less.",
)
@click.option(
    "--compress-weights",
    is_flag=True,
    help="With --target armv6m: weights with at most 16 values as indices of four bits, where "
    "that saves flash and time.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(["all", *SAVINGS]),
    metavar="NAME",
    help=f"A saving to leave out, or all: {', '.join(SAVINGS)}. Can be given several times.",
)
@plan_options
@click.option(
    "--input-shape",
    "input_shapes",
    multiple=True,
    metavar="[NAME=]N,N...",
    help="Another shape of an input, as for a larger batch. Can be given several times.",
)
@_CUSTOM
@_JSON
def flatten(model, output, as_json, **options):
    """Make the flat model (.tflm) of a .tflite, which boards read in place."""
    from ..flat.conversion import flatten_file

    with _working("flatten", model):
        result = flatten_file(model, output, **options)
    _show(result, as_json, "results", "print_conversion")


@cli.command()
@_MODEL
@click.option(
    "--input",
    "inputs",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="For each input, in order: .npy, an image, a .wav or a .csv.",
)
@PIXELS
@click.option("--output-dir", required=True, type=click.Path(), help="For output_0.npy and so on.")
@click.option(
    "--path",
    "form",
    type=click.Choice(["flat", "tflite"]),
    default="flat",
    show_default=True,
    help="Flattened before, or the .tflite itself.",
)
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="Invoke so many times.")
@click.option("--quantize", is_flag=True, help="Take floats for integer inputs, quantized.")
@ON
@_CUSTOM
@_HEAP
@TIMEOUT
@_JSON
def run(model, on, as_json, **options):
    """Invoke MODEL in the MicroPython unix port, or on a board, on arrays of yours."""
    from ..execution.run import run

    with _working("run", model), device_on(on, options["timeout"]) as device:
        result = run(model, device=device, **options)
    _show(result, as_json, "results", "print_run")


@cli.command()
@_MODEL
@click.option(
    "--runs",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Random inputs; four extreme ones come on top.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--path",
    "form",
    type=click.Choice(["both", "flat", "tflite"]),
    default="both",
    show_default=True,
    help="Flattened before, the .tflite itself, or both.",
)
@click.option(
    "--oracle",
    type=click.Choice(["tflm", "litert"]),
    default="tflm",
    show_default=True,
    help="TFLM's wheel, or LiteRT's, for what goes beyond TFLM.",
)
@click.option("--layers", is_flag=True, help="Compare every operator's outputs, too.")
@plan_options
@jobs_option("1")
@workers_options
@_CUSTOM
@_HEAP
@TIMEOUT
@_JSON
def verify(model, ports, backend, as_json, oracle, **options):
    """Compare MODEL in MicroPython with TFLM itself, or with LiteRT.

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. When an output differs, the
    exit code is 1 and the first operator that differs is named, with both values. With --layers
    operators must be equal one by one, each tensor in a place of its own. --optimize,
    --arena-budget and --input-by-rows are those of tflm flatten, for the flat model.
    """
    from ..check.oracle import LITERT, TFLM
    from ..check.verify import verify

    check(ports, options["jobs"], backend, options["scheduler"])
    options["oracle_name"] = LITERT if oracle == "litert" else TFLM
    shared = bool(len(ports) > 1 or options["jobs"] or options["scheduler"])
    bar = bar_of("verify", shared and not as_json, _working("verify", model))
    with boards_on(ports, options["timeout"]) as device, bar as progress:
        result = verify(model, device=device, progress=progress, **options)
    _show(result, as_json, "results", "print_verification")
    if not result.is_equal():
        raise SystemExit(1)


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def micropython(arguments):
    """MicroPython's unix port, which can `import tflm` here: a prompt, or what ARGUMENTS say.

    They are MicroPython's own: a file, -c PROGRAM, -X heapsize=256M and so on.
    """
    from ..port.prompt import prompt

    raise SystemExit(prompt(arguments))


register(cli, _show, _MODEL, _JSON, _CUSTOM)
register_bench(cli, _show, _working, _JSON, _CUSTOM)
register_report(cli, _show, _working, _MODEL, _JSON, _CUSTOM)
register_wake(cli, _show, _JSON)
register_fleet(cli, _show, _working, _JSON, _CUSTOM)
register_models(cli, _show, _MODEL, _JSON, _CUSTOM)
register_convert(cli, _show, _working, _MODEL, _JSON, _CUSTOM)
register_search(cli, _show, _JSON)


# One sentence for an error, and the exit code.
def _sentence(error):
    if isinstance(error, click.ClickException):
        text = error.format_message().rstrip(".")
        command = getattr(getattr(error, "ctx", None), "command_path", "tflm")
        return f"{text[:1].lower()}{text[1:]}; see: {command} --help", error.exit_code
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the system'}: {error.strerror}", 1
    return str(error), 1


def main(arguments=None):
    """Entry point of the command `tflm`; ends with exit code 0, 1 for errors, 2 for usage."""
    try:
        code = cli.main(arguments, prog_name="tflm", standalone_mode=False) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("tflm: stopped", file=sys.stderr)
        code = 130
    except (click.ClickException, TflmError, OSError, ValueError) as error:
        from ..render.common import printable

        text, code = _sentence(error)
        print(f"tflm: {printable(' '.join(text.splitlines()))}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
