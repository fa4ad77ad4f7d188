# tflm_tools: the command convert: makes an int8 .tflite from a trained or float model
# MIT license; Copyright (c) 2026 the tflm authors

import rich_click as click

from .board import PIXELS, TIMEOUT


def register(cli, show, working, model, as_json_option, custom_option):
    """Add the command to a click group.

    `show` prints data, `working` is a sign of life, the rest are options that commands share.
    """

    @cli.command()
    @model
    @click.option(
        "--data",
        type=click.Path(),
        metavar="DATA",
        help="Typical inputs: a .npz with x (x0, x1... for several inputs), a .npy, a folder of "
        "images or sounds, or a .csv; with y, a folder for each class or a last column also "
        "accuracy before and after.",
    )
    @click.option("-o", "--output", type=click.Path(), required=True, help="The .tflite to write.")
    @click.option(
        "--limit",
        type=click.IntRange(min=1),
        default=200,
        show_default=True,
        help="How many examples represent the data, evenly from the classes.",
    )
    @click.option("--int16", is_flag=True, help="16-bit activations: more exact, slower.")
    @click.option("--int4", is_flag=True, help="4-bit weights where a layer allows it: smaller.")
    @click.option(
        "--dynamic",
        is_flag=True,
        help="int8 weights, activations quantized while the model runs; needs no --data.",
    )
    @click.option(
        "--weights-only",
        is_flag=True,
        help="int8 weights, computed in float32: small and slow; needs no --data.",
    )
    @click.option("--keep-float", is_flag=True, help="Inputs and outputs stay float32.")
    @click.option("--no-quantize", is_flag=True, help="All of it stays float32.")
    @click.option(
        "--input-shape",
        "input_shapes",
        multiple=True,
        metavar="[NAME=]N,N...",
        help="The shape of an input that leaves it open. Can be given several times.",
    )
    @PIXELS
    @TIMEOUT
    @custom_option
    @as_json_option
    def convert(model, int16, int4, dynamic, weights_only, no_quantize, as_json, **options):
        """Make an int8 .tflite from MODEL and typical inputs.

        MODEL is a float32 or float16 .tflite, a .keras, an .h5, the folder of a SavedModel, a
        .pt2 of PyTorch, or an .onnx. The ranges of the tensors follow from DATA. A model that
        tflm does not run is not written.
        """
        from ..converters import convert as module

        forms = [
            (int16, module.INT16),
            (dynamic, module.DYNAMIC),
            (weights_only, module.WEIGHTS_ONLY),
            (no_quantize, module.FLOAT32),
        ]
        chosen = [form for is_chosen, form in forms if is_chosen]
        if len(chosen) > 1:
            raise click.UsageError(
                "--int16, --dynamic, --weights-only and --no-quantize exclude each other; give "
                "one of them alone"
            )
        form = chosen[0] if chosen else module.INT8
        if no_quantize and (int4 or options["keep_float"]):
            raise click.UsageError("--no-quantize leaves nothing to choose; give it alone")
        if int4 and int16:
            raise click.UsageError("--int4 needs 8-bit activations; leave --int16 out")
        with working("convert", model):
            result = module.convert(model, form=form, weight_bits=4 if int4 else 8, **options)
        show(result, as_json, "convert", "print_converted")
