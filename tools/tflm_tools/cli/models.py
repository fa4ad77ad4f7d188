# tflm_tools: the commands ops (what models need), transform and requantize
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .. import files
from ..targets import TARGETS
from .board import TIMEOUT

_OUTPUT = click.option(
    "-o", "--output", type=click.Path(), required=True, help="The .tflite to write."
)


def register(cli, show, model, as_json_option, custom_option):
    """Add the commands to a click group; `show` prints data, the rest are options it shares."""

    @cli.command()
    @click.argument("models", nargs=-1, type=click.Path())
    @click.option(
        "--path",
        "form",
        type=click.Choice(["both", "flat", "tflite"]),
        default="both",
        show_default=True,
        help="As .tflm only, as the .tflite on the board only, or both.",
    )
    @click.option("--arch", "archs", multiple=True, help="Bytes of .mpy for it, and its kernels.")
    @click.option("--target", type=click.Choice(TARGETS), help="As for flatten.")
    @click.option("--resolver", type=click.Path(), metavar="FILE.py", help="Write an OpResolver.")
    @click.option("--manifest", type=click.Path(), metavar="FILE.py", help="Write a manifest.")
    @custom_option
    @as_json_option
    def ops(models, form, archs, target, resolver, manifest, custom, as_json):
        """List the operators that tflm has, or what MODELS need of them: kernels, files, flash.

        --resolver writes a resolver with these operators and nothing else, --manifest what
        freezes exactly their kernels and files of Prepare (with one --arch at most).
        """
        if models:
            from ..requirements.files import needs
            from ..requirements.output import write_outputs

            if manifest and len(archs) > 1:
                raise click.UsageError("--manifest is for one board; give one --arch, or none")
            for output in filter(None, (resolver, manifest)):
                files.check_output(output, *models, *custom)
            found = needs(models, form, archs, custom, target)
            written = write_outputs(found, resolver, manifest, archs[0] if archs else "")
            options = {} if as_json else {"written": written}
            show(found, as_json, "needs", "print_needs", **options)
            return
        if resolver or manifest or archs:
            raise click.UsageError("--resolver, --manifest and --arch need a MODEL")
        from ..inspection.operators import operators

        show(operators(), as_json, "results", "print_operators")

    @cli.command()
    @model
    @_OUTPUT
    @click.option("--strip-strings", is_flag=True, help="Names of tensors, and signatures.")
    @click.option("--shorten-variables", is_flag=True, help="Names of resource variables.")
    @click.option("--strip-quantization", is_flag=True, help="Ranges, repeated zero points.")
    @TIMEOUT
    @as_json_option
    def transform(model, output, timeout, as_json, **flags):
        """Make a smaller .tflite of MODEL that gives the same; without an option, all of them.

        Needed only where a .tflite goes on the board: a .tflm has none of this. TFLM runs both
        before anything is written.
        """
        from ..transform.transform import transform

        names = [name.replace("_", "-") for name, given in flags.items() if given]
        show(transform(model, output, names, timeout), as_json, "transform", "print_transformed")

    @cli.command()
    @model
    @_OUTPUT
    @TIMEOUT
    @as_json_option
    def requantize(model, output, timeout, as_json):
        """Make a .tflite with int16 activations of MODEL, which has int8 ones.

        Weights stay int8, biases become int64; more exact, above all for LSTM, and slower. For
        models that are converted anew the converter's own int16x8 mode is better.
        """
        from ..transform.requantize import requantize

        show(requantize(model, output, timeout), as_json, "transform", "print_requantized")
