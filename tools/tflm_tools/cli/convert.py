# tflm_tools: the command convert: from a model as it was trained to an int8 .tflite
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
    def convert(model, data, int16, no_quantize, as_json, **options):
        """Make the int8 .tflite of MODEL: a .keras, an .h5 or the folder of a SavedModel.

        TensorFlow reads and quantizes it, by the ranges that its tensors have on DATA. What was
        chosen is printed; a model that tflm does not run is not written.
        """
        from ..converters.convert import FLOAT32, INT8, INT16, convert

        if no_quantize and (int16 or options["keep_float"]):
            raise click.UsageError("--no-quantize leaves nothing to choose; give it alone")
        form = FLOAT32 if no_quantize else INT16 if int16 else INT8
        with working("convert", model):
            result = convert(model, data, form=form, **options)
        show(result, as_json, "convert", "print_converted")
