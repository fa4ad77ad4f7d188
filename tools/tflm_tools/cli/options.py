# tflm_tools: cli: the options that several commands share
# MIT license; Copyright (c) 2026 the tflm authors

import re

import rich_click as click

from ..files import check_outputs
from ..optimize.memory.levels import BALANCED, LEVELS
from ..targets import ARCHS, TARGETS, targets_help


class Target(click.Choice):
    """A target of `tflm flatten`: its name, an instruction set, a board or a chip."""

    name = "target"

    def __init__(self):
        super().__init__(TARGETS)

    def convert(self, value, param, ctx):
        """Return the name of the target; an unknown name is an error of usage."""
        if value not in TARGETS:
            from ..board import profiles

            for profile in profiles.load_all():
                if _plain(value) in map(_plain, (profile.id, profile.short_name, profile.chip)):
                    if profile.target is None:
                        self.fail(f"{profile.name} has no target; leave it out", param, ctx)
                    return profile.target
            arch = ARCHS.get(str(value).lower())
            if arch and arch.target:
                return arch.target
            names = ", ".join(profile.short_name for profile in profiles.load_all())
            self.fail(
                f"{value!r} is no target; name one of {', '.join(TARGETS)}, a board ({names}) or "
                "its chip, like RP2350",
                param,
                ctx,
            )
        return value


# A name of a board or chip as users may write it: "ESP32-S3" and "esp32s3" are one.
def _plain(name):
    return re.sub(r"[-_ ]", "", str(name)).lower()


class FilePath(click.Path):
    """The path of a file to read, without line breaks, which could look like lines of the output.

    No command has an input that is also one of its outputs (OutputPath).
    """

    is_output = False

    def convert(self, value, param, ctx):
        """Return the path; a line break is an error of usage.

        Raises ToolError if the file is both an input and an output, or two outputs.
        """
        if len(str(value).splitlines()) > 1:
            self.fail("a file name must not contain a line break; rename the file", param, ctx)
        path = super().convert(value, param, ctx)
        if ctx is not None:
            inputs, outputs = ctx.meta.setdefault(_PATHS, ([], []))
            (outputs if self.is_output else inputs).append(path)
            check_outputs(outputs, *inputs)
        return path


class OutputPath(FilePath):
    """The path of a file to write, which is none of the command's other files."""

    is_output = True


_PATHS = "tflm.paths"  # in a context: the inputs and the outputs so far


# The option --signature is processed first and becomes a part of the model's name.
def _with_signature(ctx, param, value):
    signature = ctx.meta.pop(_SIGNATURE, None)
    return value if signature is None else f"{value}#{signature}"


def _keep_signature(ctx, param, value):
    if value is not None:
        ctx.meta[_SIGNATURE] = value


_SIGNATURE = "tflm.signature"
_signature = click.option(
    "--signature",
    metavar="NAME",
    is_eager=True,
    expose_value=False,
    callback=_keep_signature,
    help="Run this signature of the model, as MODEL#NAME does. [default: the first sub-graph]",
)


# A decorator that adds the argument MODEL with this help, and the option --signature.
def _model(text):
    def add(command):
        argument = click.argument("model", type=FilePath(), callback=_with_signature, help=text)
        return argument(_signature(command))

    return add


model = _model("A .tflite or .tflm, also inside C source (.h, .cc), a .zip or a .gz.")
trained_model = _model("A .tflite, .keras, .h5, .pt2 or .onnx, or the folder of a SavedModel.")


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
custom = click.option(
    "--custom",
    multiple=True,
    type=FilePath(),
    metavar="FILE.py",
    help="Python file whose function register(resolver) registers custom operators. Can be given "
    "several times.",
)
heap = click.option(
    "--heap", metavar="SIZE", help="Size of MicroPython's heap, like 192k. [default: 64M]"
)
timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    metavar="SECONDS",
    help="Limit for each answer of MicroPython or of TFLM. [default: 600]",
)
board_timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    metavar="SECONDS",
    help="Least time to wait for each answer of the board. [default: 60 for the first answer]",
)


_DECODERS = (
    "auto", "fomo", "ssd", "postprocessed", "yolov2", "yolov3", "yolov5", "yolov8", "blaze",
)  # fmt: skip


def detector(threshold=0.5):
    """Return a decorator that adds the options of detectors to a command.

    threshold: the default of --threshold.
    """
    found = (
        click.option(
            "--detect",
            type=click.Choice(_DECODERS),
            help="Decode the outputs of a detector; auto: by their shapes. yolov8 includes "
            "YOLO11, blaze MediaPipe's faces and palms.",
        ),
        click.option(
            "--threshold",
            type=click.FloatRange(0, 1),
            default=threshold,
            show_default=True,
            help="With --detect: least score of a box.",
        ),
        click.option(
            "--overlap",
            type=click.FloatRange(0, 1),
            default=0.5,
            show_default=True,
            help="With --detect: largest intersection over union of two boxes of one class.",
        ),
        click.option(
            "--anchors",
            type=FilePath(),
            metavar="FILE",
            help="With --detect: .csv with a row for each anchor. ssd: y, x, height, width "
            "relative to the input; yolov2: width, height in cells; yolov3: output, width, height "
            "in pixels.",
        ),
    )

    def add(command):
        for option in reversed(found):
            command = option(command)
        return command

    return add


def detect_settings(given):
    """Remove the options of detectors from `given`; return their Settings, None without."""
    name, *others = [given.pop(key) for key in ("detect", "threshold", "overlap", "anchors")]
    if name is None:
        return None
    from ..detection.detect import Settings

    return Settings(name, *others)


pixels = click.option(
    "--pixels",
    type=(float, float),
    metavar="BLACK WHITE",
    help="Values of black and white pixels of images. [default: from the model's metadata; else "
    "the range of a quantized input; 0 1 for float32]",
)

labels = click.option(
    "--labels",
    metavar="NAME,NAME... or FILE",
    help="Names of the classes in the order of the model's outputs, or a file with a name in each "
    "line. [default: the labels in the model; else folders and words count in alphabetical order]",
)

block = click.option(
    "--features",
    "block",
    type=FilePath(),
    metavar="BLOCK.json",
    help="Parameters of a block of Edge Impulse, or metadata of a speech model, which make the "
    "input from the samples of a .wav or .csv. [default: the model's own block]",
)

_PORTS = (
    "a0 (/dev/ttyACM0), u0 (/dev/ttyUSB0), c0 (COM0), id:SERIAL_NUMBER, /dev/…, "
    "socket://HOST:PORT, or auto: the only connected board."
)
_PORT_HELP = f"Run on the board at this port instead of in the unix port: {_PORTS}"
on_board = click.option("--on", "on", metavar="PORT", help=_PORT_HELP)
port = click.argument("port", required=False, help=f"{_PORTS} [default: auto]")
ports = click.argument("ports", nargs=-1, metavar="[PORT]...", help=f"{_PORTS} [default: auto]")


# Combine options to one decorator; their order in the help is the order of the arguments.
def _combine(*options):
    def decorate(command):
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


optimize = click.option(
    "--optimize",
    type=click.Choice(LEVELS),
    default=BALANCED,
    show_default=True,
    help="Memory plan: ram needs the least RAM, balanced costs little time, speed costs none, off "
    "is TFLM's plan.",
)
flat_optimize = click.option(
    "--optimize",
    type=click.Choice(LEVELS),
    default=BALANCED,
    show_default=True,
    help="Memory plan of the .tflm, as for tflm flatten.",
)
arena_budget = click.option(
    "--arena-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Instead of --optimize: the fastest plan, by estimate, whose arena has at most BYTES.",
)
by_rows = click.option(
    "--input-by-rows",
    "by_rows",
    is_flag=True,
    help="Read the input row by row while the model runs: docs/how-to/less-ram.md.",
)
memory_plan = _combine(optimize, arena_budget, by_rows)

pack_target = click.option(
    "--target",
    type=Target(),
    help=f"Pack weights for {targets_help()}, or for a board, like pico: faster, but needs more "
    "flash.",
)
target = click.option(
    "--target",
    type=Target(),
    help="Flatten for this target, as tflm flatten --target.",
)


def jobs(default):
    """Return the option --jobs; default: a text for the help."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        help=f"Number of processes that run at once. [default: {default}]",
    )


workers = _combine(
    click.option(
        "--on",
        "ports",
        multiple=True,
        metavar="PORT",
        help=f"{_PORT_HELP} Can be given several times: the boards share the work.",
    ),
    click.option(
        "--backend",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Run on the cores of this machine, or on the workers of a Dask cluster.",
    ),
    click.option(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="With --backend dask: address of the cluster's scheduler.",
    ),
)
