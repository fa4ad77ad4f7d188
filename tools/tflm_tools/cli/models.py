# tflm_tools: cli: the commands that describe and convert model files
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from ..optimize.passes import OPTIONS as PASSES
from . import options
from .output import show, working

_TFLITE_OUTPUT = click.option(
    "-o", "--output", type=options.OutputPath(), required=True, help="The .tflite to write."
)


@click.command()
@options.model
@click.option("--plan", is_flag=True, help="Draw the arena plan over the operators.")
@click.option("--allocations", is_flag=True, help="List the arena's parts by TFLM's sections.")
@click.option("--exact", is_flag=True, help="Plan the memory of large models, too, like flatten.")
@options.custom
@options.as_json
def inspect(model, plan, allocations, exact, custom, as_json):
    """Show what MODEL contains, what it costs, and whether it runs and fits boards.

    Starts with the number types of the model, its estimated time on a Pico, and the command that
    makes it fast. Prints inputs and outputs, operators with shapes, multiply-accumulates, bytes
    of weights and of the arena, all operators that tflm lacks, and whether the model fits three
    boards. The exit code is 1 if the model does not run.
    """
    from ..inspection.inspection import inspect

    with working("inspect", model):
        report = inspect(model, custom, is_exact=exact)
    if plan and report.plan is None:
        raise click.UsageError(
            "--plan requires a .tflite; a .tflm has no lifetimes of its tensors"
        )
    show(report, as_json, "inspection", "print_inspection", plan=plan, allocations=allocations)
    if report.missing:
        raise SystemExit(1)


@click.command()
@options.model
@click.option(
    "-o", "--output", type=options.OutputPath(), required=True, help="The .tflm to write."
)
@click.option(
    "--keep-inputs",
    is_flag=True,
    help="Keep the inputs during invoke(), which needs their bytes of RAM.",
)
@click.option(
    "--keep-state",
    is_flag=True,
    help="Keep caches of keys and values in the arena: an input that DYNAMIC_UPDATE_SLICE updates "
    "to an output is then neither input nor output, and begins as zeros. invoke() increments the "
    "input that says where it writes.",
)
@click.option(
    "--keep-tensors", is_flag=True, help="Keep all tensors in separate memory, for debugging."
)
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="Name or number of a tensor that is kept like an output, for a Learner.",
)
@click.option(
    "--features",
    "block",
    type=options.FilePath(),
    metavar="BLOCK.json",
    help="Store the parameters of a block of Edge Impulse, which computes the input from samples.",
)
@options.pack_target
@click.option(
    "--flash-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="With --target: largest size of the .tflm. Layers that gain least stay unpacked.",
)
@click.option(
    "--compress-weights",
    is_flag=True,
    help="With --target armv6m: store weights with at most 16 different values as 4-bit indices, "
    "if that saves flash and time.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(["all", *PASSES]),
    metavar="NAME",
    help=f"Optimization pass to leave out, or all: {', '.join(PASSES)}. Can be given several "
    "times.",
)
@options.memory_plan
@click.option(
    "--explain",
    is_flag=True,
    help="Say why this memory plan was chosen: its limit, its bands, and the alternatives.",
)
@click.option(
    "--input-shape",
    "input_shapes",
    multiple=True,
    metavar="[NAME=]N,N...",
    help="New shape of an input, like a larger batch. Can be given several times.",
)
@options.custom
@options.as_json
def flatten(model, output, as_json, **flatten_options):
    """Convert a .tflite to a flat model (.tflm), which boards read in place."""
    from ..flat.conversion import flatten_file

    with working("flatten", model):
        result = flatten_file(model, output, **flatten_options)
    show(result, as_json, "results", "print_conversion")


@click.command()
@options.trained_model
@click.option(
    "--data",
    type=options.FilePath(),
    metavar="DATA",
    help="Typical inputs: a .npz with x (x0, x1... for several inputs), a .npy, a folder of "
    "images, sounds or tables, or a .csv. With y, one folder per class or a column with the class "
    "or the value, the accuracy before and after is measured, too.",
)
@click.option(
    "-o", "--output", type=options.OutputPath(), required=True, help="The .tflite to write."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Number of examples for quantization, balanced over the classes.",
)
@click.option("--int16", is_flag=True, help="Use 16-bit activations: more accurate, but slower.")
@click.option("--int4", is_flag=True, help="Use 4-bit weights in layers that allow it: smaller.")
@click.option(
    "--dynamic",
    is_flag=True,
    help="Use int8 weights and quantize activations while the model runs; requires no --data.",
)
@click.option(
    "--weights-only",
    is_flag=True,
    help="Use int8 weights and compute in float32: small, but slow; requires no --data.",
)
@click.option("--keep-float", is_flag=True, help="Keep inputs and outputs as float32.")
@click.option("--no-quantize", is_flag=True, help="Keep the whole model as float32.")
@click.option(
    "--input-shape",
    "input_shapes",
    multiple=True,
    metavar="[NAME=]N,N...",
    help="Shape of an input with open dimensions. Can be given several times.",
)
@options.labels
@options.pixels
@options.block
@click.option(
    "--tokenizer",
    type=options.FilePath(),
    metavar="FILE",
    help="For a language model: its tokenizer.json, or the tokenizer.bin of llama2.c. [default: "
    "the one beside MODEL]",
)
@click.option(
    "--positions",
    type=click.IntRange(min=2),
    metavar="N",
    help="For a language model: the longest text in tokens, which needs RAM. [default: 256]",
)
@options.timeout
@options.custom
@options.as_json
def convert(model, int4, no_quantize, as_json, tokenizer, positions, **convert_options):
    """Convert MODEL to an int8 .tflite, with the ranges of its tensors on typical inputs.

    MODEL is a float32 or float16 .tflite, a .keras, an .h5, the folder of a SavedModel, a .pt2 of
    PyTorch, or an .onnx. A language model of Llama's type is a .bin of llama2.c, a .safetensors,
    or the folder with its config.json; it needs no --data. The command prints what it has chosen.
    It writes no model that tflm cannot run.
    """
    from ..converters import convert as converter
    from ..language.checkpoint import is_checkpoint

    types = {
        "int16": converter.INT16,
        "dynamic": converter.DYNAMIC,
        "weights_only": converter.WEIGHTS_ONLY,
    }
    chosen = [each for name, each in types.items() if convert_options.pop(name)]
    chosen += [converter.FLOAT32] * no_quantize
    if len(chosen) > 1:
        raise click.UsageError(
            "--int16, --dynamic, --weights-only and --no-quantize exclude each other; give one of "
            "them alone"
        )
    quantization = chosen[0] if chosen else converter.INT8
    if is_checkpoint(model):
        given = convert_options | {"int4": int4}
        _convert_language_model(model, quantization, tokenizer, positions, given, as_json)
        return
    if tokenizer or positions:
        raise click.UsageError(
            "--tokenizer and --positions are for language models; leave them out"
        )
    if no_quantize and (int4 or convert_options["keep_float"]):
        raise click.UsageError("--no-quantize excludes --int4 and --keep-float; give it alone")
    if int4 and quantization == converter.INT16:
        raise click.UsageError("--int4 requires 8-bit activations; leave out --int16")
    with working("convert", model):
        result = converter.convert(
            model, form=quantization, weight_bits=4 if int4 else 8, **convert_options
        )
    show(result, as_json, "convert", "print_converted")


# Convert a language model; `given`: the other options of the command.
def _convert_language_model(model, quantization, tokenizer, positions, given, as_json):
    from ..language.convert import PRECISIONS, CheckpointConversion
    from ..render import common, language

    unused = {"data", "int4", "keep_float", "input_shapes", "labels", "pixels", "block", "custom"}
    wrong = sorted(name for name in unused if given[name])
    if wrong or quantization not in PRECISIONS:
        name = wrong[0].replace("_", "-") if wrong else quantization
        raise click.UsageError(f"--{name} is not for language models; leave it out")
    conversion = CheckpointConversion(model, tokenizer, quantization, positions)
    if not as_json:
        language.print_footprint(conversion.footprint(), common.console())
    with working("convert", model):
        result = conversion.convert(given["output"])
    show(result, as_json, "language", "print_converted_text")


@click.command()
@click.argument("models", nargs=-1, type=options.FilePath())
@click.option(
    "--path",
    type=click.Choice(["both", "flat", "tflite"]),
    default="both",
    show_default=True,
    help="Requirements of the .tflm (flat), of the .tflite on the board, or of both.",
)
@click.option(
    "--arch", "archs", multiple=True, help="List kernels and bytes of .mpy for this architecture."
)
@click.option("--target", type=options.Target(), help="As for tflm flatten.")
@click.option(
    "--resolver", type=options.OutputPath(), metavar="FILE.py", help="Write an OpResolver."
)
@click.option("--manifest", type=options.OutputPath(), metavar="FILE.py", help="Write a manifest.")
@options.custom
@options.as_json
def ops(models, resolver, manifest, as_json, **ops_options):
    """List the operators of tflm, or the operators, kernels, files and flash that MODELS need.

    --resolver writes an OpResolver with only these operators. --manifest writes a manifest that
    freezes only their kernels and files of Prepare, for at most one --arch.
    """
    if models:
        _show_needs(models, resolver, manifest, as_json, **ops_options)
        return
    if resolver or manifest or ops_options["archs"]:
        raise click.UsageError("--resolver, --manifest and --arch need a MODEL")
    from ..requirements.needs import operators

    show(operators(), as_json, "results", "print_operators")


def _show_needs(models, resolver, manifest, as_json, path, archs, target, custom):
    from ..requirements.files import needs
    from ..requirements.output import write_outputs

    if manifest and len(archs) > 1:
        raise click.UsageError("--manifest is for one board; give at most one --arch")
    result = needs(models, path, archs, custom, target)
    written = write_outputs(result, resolver, manifest, archs[0] if archs else "")
    print_options = {} if as_json else {"written": written}
    show(result, as_json, "needs", "print_needs", **print_options)


@click.command()
@options.model
@_TFLITE_OUTPUT
@click.option("--strip-strings", is_flag=True, help="Remove names of tensors, and signatures.")
@click.option("--shorten-variables", is_flag=True, help="Shorten names of resource variables.")
@click.option("--strip-quantization", is_flag=True, help="Remove ranges and repeated zero points.")
@options.timeout
@options.as_json
def transform(model, output, timeout, as_json, **transforms):
    """Make a smaller .tflite of MODEL with the same outputs; by default with all transforms.

    Only a .tflite on the board benefits: a .tflm has none of these data. TFLM runs the model
    before and after, and the file is written if the outputs are equal.
    """
    from ..transform.transform import transform

    names = [name.replace("_", "-") for name, is_given in transforms.items() if is_given]
    show(transform(model, output, names, timeout), as_json, "transform", "print_transformed")


@click.command()
@options.model
@_TFLITE_OUTPUT
@options.timeout
@options.as_json
def requantize(model, output, timeout, as_json):
    """Convert MODEL, which has int8 activations, to a .tflite with int16 activations.

    Weights stay int8, biases become int64. The model becomes more accurate, above all with an
    LSTM, and slower. If you can convert the original model again, the int16x8 mode of the
    converter is better.
    """
    from ..transform.requantize import requantize

    show(requantize(model, output, timeout), as_json, "transform", "print_requantized")


COMMANDS = (inspect, flatten, convert, ops, transform, requantize)
