# tflm_tools: cli: the command group speech: listen, train, say, denoise
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import rich_click as click

from . import options
from .output import show


@click.group()
def speech():
    """Detect voice, recognize words, suppress noise, and train models for your own words."""


@speech.command()
@click.argument("metadata", nargs=-1, required=True, type=options.FilePath(), metavar="JSON...")
@click.option(
    "--wav",
    "path",
    type=options.FilePath(allow_dash=True),
    required=True,
    metavar="FILE",
    help="Sound of 16 kHz, mono, 16 bits; - for raw samples from standard input, like a "
    "microphone's: arecord -q -t raw -f S16_LE -r 16000 -c 1 | tflm speech listen voice.json "
    "words.json --wav -",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Least probability of a word. [default: the metadata's]",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each word.")
def listen(metadata, path, threshold, as_json):
    """Print the words in a sound, and their times.

    JSON are the metadata of a voice detector and of a recognizer, like voice.json words.json, with
    their models in the same folders; a detector alone prints the segments of speech. The code of
    boards runs in MicroPython's unix port.
    """
    from ..speech.files import read_metadata
    from ..speech.listen import listen

    detectors = [name for name in metadata if "classes" not in read_metadata(name)]
    recognizers = [name for name in metadata if name not in detectors]
    if len(detectors) != 1 or len(recognizers) > 1:
        raise click.UsageError(
            f"the files describe {len(detectors)} voice detectors and {len(recognizers)} "
            "recognizers; name one detector, and one recognizer or none"
        )
    recognizer = recognizers[0] if recognizers else None
    is_heard = False
    for heard in listen(detectors[0], recognizer, path, threshold):
        is_heard = True
        if as_json:
            click.echo(json.dumps(vars(heard)))
        elif heard.word is None:
            click.echo(f"{heard.start:7.2f} s to {heard.end:.2f} s")
        else:
            percent = 100 * heard.probability
            click.echo(f"{heard.end:7.2f} s  {heard.word:16} {percent:3.0f} %")
    if not is_heard and not as_json:
        what = "word" if recognizer else "voice"
        click.echo(f"no {what} was detected; a lower --threshold detects more")


@speech.command()
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option(
    "-o",
    "--output",
    type=options.FilePath(),
    required=True,
    metavar="FOLDER",
    help="Folder for words.tflite and words.json.",
)
@click.option(
    "--voice",
    is_flag=True,
    help="Train a voice detector (voice.tflite and voice.json) for sounds with these words.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0.1, 240),
    default=25.0,
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
def train(words, output, voice, as_json, **train_options):
    """Train a recognizer of your words from their texts, like: yes no stop.

    espeak-ng says the words and other speech with many voices; noise, music, reverberation and
    speed are varied. A small network is trained on log-mel features with TensorFlow (extra
    wake-train) and quantized to int8. The printed scores are for voices that were not used for
    training.
    """
    from ..render.wake_training import stages
    from ..training.speech_training import train_voice, train_words

    try:
        with stages() as progress:
            result = (train_voice if voice else train_words)(
                words, output, progress=progress, **train_options
            )
    except KeyboardInterrupt:
        click.echo(f"tflm: stopped; {output} has the results so far, continue with --resume",
                   err=True)  # fmt: skip
        sys.exit(130)
    show(result, as_json, "speech_training", "print_trained")


@speech.command()
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "-o", "--output", type=options.FilePath(), required=True, metavar="FILE", help="The pack."
)
@click.option("--accent", default="en-us", show_default=True, help="Voice of espeak-ng.")
@click.option("--speaker", default="Andy", show_default=True, help="Variant of espeak-ng.")
@click.option("--speed", type=click.IntRange(80, 450), default=150, show_default=True,
              help="Words per minute.")  # fmt: skip
@click.option("--pitch", type=click.IntRange(0, 99), default=50, show_default=True)
@click.option(
    "--decoder",
    type=options.FilePath(),
    metavar="TFLITE",
    help="Network that decodes the clips on the board, like models/speech/decoder.tflite: a "
    "second has 900 bytes instead of 16,000. Its .tflm is written beside the pack.",
)
@options.pack_target
@options.as_json
def say(texts, output, as_json, **voice):
    """Make a pack of clips that a board plays: espeak-ng says each TEXT.

    tflm.speech.Clips plays the clips by the texts; with --decoder tflm.speech.Voice does.
    """
    from ..training.say import say

    result = say(texts, output, **voice)
    if as_json:
        click.echo(json.dumps(vars(result)))
    else:
        click.echo(
            f"{result.path}  {len(result.names)} clips, {result.seconds:.1f} s, "
            f"{result.size} bytes"
        )


@speech.command()
@click.argument("model", type=options.FilePath())
@click.option(
    "--wav",
    "path",
    type=options.FilePath(allow_dash=True),
    required=True,
    metavar="FILE",
    help="Sound of 16 kHz, mono, 16 bits; - for raw samples from standard input.",
)
@click.option(
    "-o",
    "--output",
    type=options.FilePath(),
    required=True,
    metavar="FILE",
    help="WAV file of the sound with less noise.",
)
@options.as_json
def denoise(model, path, output, as_json):
    """Suppress noise in a sound: write what tflm.speech.Denoiser makes of it on a board.

    MODEL is a network that chooses gains for bands, like models/speech/denoise.tflite. The code of
    boards runs in MicroPython's unix port.
    """
    from ..speech.denoise import denoise

    result = denoise(model, path, output)
    if as_json:
        click.echo(json.dumps(vars(result)))
    else:
        click.echo(f"{result.path}  {result.seconds:.1f} s")


COMMANDS = (speech,)
