# tflm_tools: cli: the command group wake: listen, train
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import rich_click as click

from . import options
from .output import show


@click.group()
def wake():
    """Detect and train wake words: models of microWakeWord, for Home Assistant and ESPHome."""


@wake.command()
@click.argument(
    "manifests", nargs=-1, required=True, type=options.FilePath(), metavar="MANIFEST..."
)
@click.option(
    "--wav",
    "path",
    type=options.FilePath(allow_dash=True),
    metavar="FILE",
    help="Sound of 16 kHz, mono, 16 bits; - for raw samples from standard input, like a "
    "microphone's: arecord -q -t raw -f S16_LE -r 16000 -c 1 | tflm wake listen okay_nabu.json "
    "--wav -",
)
@click.option(
    "--vad",
    type=options.FilePath(),
    metavar="MANIFEST",
    help="Manifest of a model that detects voice.",
)
@click.option(
    "--cutoff",
    type=click.FloatRange(0, 1),
    help="Least probability of a detection. [default: the manifest's]",
)
@options.on_board
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each word.")
def listen(manifests, path, vad, cutoff, on, as_json):
    """Print the wake words in a sound, and their times.

    MANIFEST is a microWakeWord manifest of version 2, like okay_nabu.json, with its .tflite in the
    same folder. The code of boards runs in MicroPython's unix port, or with --on PORT on a board
    that has tflm.wake (firmware with APP=wake). Without --wav, the board's microphone is used.
    """
    is_heard = False
    for detection in _detections(manifests, path, vad, cutoff, on):
        is_heard = True
        if as_json:
            click.echo(json.dumps(vars(detection)))
        else:
            percent = 100 * detection.probability
            click.echo(f"{detection.seconds:7.2f} s  {detection.wake_word:16} {percent:3.0f} %")
    if path and not is_heard and not as_json:
        from ..wake import sound

        length = sound.seconds(path)
        sound_words = "the sound" if length is None else f"{length:.1f} s of sound"
        click.echo(f"no wake word was detected in {sound_words}; --cutoff 0.5 detects more")


def _detections(manifests, path, vad, cutoff, on):
    from ..wake.listen import listen
    from ..wake.listen_on import listen_on

    if on:
        return listen_on(on, manifests, path, vad, cutoff)
    if not path:
        raise click.UsageError(
            "there is nothing to listen to; name a sound with --wav, or a board with --on"
        )
    return listen(manifests, path, vad, cutoff)


@wake.command()
@click.argument("phrase")
@click.option(
    "-o",
    "--output",
    type=options.OutputPath(),
    required=True,
    metavar="FOLDER",
    help="Folder for the .tflite, the manifest (.json) and a picture of the curve.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0.1, 240),
    default=30.0,
    show_default=True,
    help="Amount of sound and of training, about the time on two cores.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 1 << 30),
    default=2026,
    show_default=True,
    help="The same seed and minutes give the same model.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted training in FOLDER.")
@options.as_json
def train(phrase, output, as_json, **train_options):
    """Train a wake word from the text of a PHRASE, like "hey pico".

    espeak-ng speaks the phrase and other speech with many voices, and noise, reverberation and
    speed are varied. A streaming network is trained on microWakeWord's features with TensorFlow
    (extra wake-train) and quantized to int8. The printed scores are for voices that were not used
    for training.
    """
    from ..render.wake_training import stages
    from ..training.train import train

    try:
        with stages() as progress:
            result = train(phrase, output, progress=progress, **train_options)
    except KeyboardInterrupt:
        click.echo(f"tflm: stopped; {output} has the results so far, continue with --resume",
                   err=True)  # fmt: skip
        sys.exit(130)
    show(result, as_json, "wake_training", "print_trained")


COMMANDS = (wake,)
