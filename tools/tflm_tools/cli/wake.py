# tflm_tools: the command wake
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import rich_click as click

from .board import ON


def _heard(manifests, path, vad, cutoff, on):
    from ..wake.listen import listen
    from ..wake.listen_on import listen_on

    if on:
        return listen_on(on, manifests, path, vad, cutoff)
    if not path:
        raise click.UsageError(
            "there is nothing to listen to; name a sound with --wav, or a board with --on"
        )
    return listen(manifests, path, vad, cutoff)


# Train, and say how to go on when it is stopped.
def _train(phrase, output, **options):
    from ..render.wake_training import stages
    from ..training.train import train

    try:
        with stages() as progress:
            return train(phrase, output, progress=progress, **options)
    except KeyboardInterrupt:
        click.echo(f"tflm: stopped; what is done is in {output}, go on with --resume", err=True)
        sys.exit(130)


def register(cli, show, as_json_option):
    """Add the command `wake` to a click group. `show` prints data; as_json_option: --json."""

    @cli.group()
    def wake():
        """Wake words: microWakeWord's models, as Home Assistant and ESPHome have them."""

    @wake.command()
    @click.argument("manifests", nargs=-1, required=True, type=click.Path(), metavar="MANIFEST...")
    @click.option(
        "--wav", "path", type=click.Path(allow_dash=True), metavar="FILE",
        help="16 kHz, mono, 16 bits; - is raw samples from standard input, a microphone's: "
        "arecord -q -t raw -f S16_LE -r 16000 -c 1 | tflm wake listen okay_nabu.json --wav -",
    )  # fmt: skip
    @click.option(
        "--vad", type=click.Path(), metavar="MANIFEST", help="A model that hears voices."
    )
    @click.option("--cutoff", type=click.FloatRange(0, 1), help="In place of the manifests' own.")
    @ON
    @click.option("--json", "as_json", is_flag=True, help="A line of JSON for each word.")
    def listen(manifests, path, vad, cutoff, on, as_json):
        """Say which wake words are in a sound, and when.

        MANIFEST is a microWakeWord manifest of version 2 (okay_nabu.json) beside its .tflite.
        The same code as on a board, run in MicroPython's unix port; with --on PORT on a board
        that has tflm.wake (firmware with APP=wake), without --wav to its own microphone.
        """
        for heard in _heard(manifests, path, vad, cutoff, on):
            if as_json:
                click.echo(json.dumps(vars(heard)))
            else:
                percent = 100 * heard.probability
                click.echo(f"{heard.seconds:7.2f} s  {heard.wake_word:16} {percent:3.0f} %")

    @wake.command()
    @click.argument("phrase")
    @click.option(
        "-o", "--output", type=click.Path(), required=True, metavar="FOLDER",
        help="Where the .tflite, the manifest .json and the picture of the curve go.",
    )  # fmt: skip
    @click.option(
        "--minutes", type=click.FloatRange(0.1, 240), default=30.0, show_default=True,
        help="How much is spoken and trained: what two cores do in so long, or sooner.",
    )  # fmt: skip
    @click.option("--seed", type=click.IntRange(0, 1 << 30), default=2026, show_default=True,
                  help="The same seed and minutes make the same model.")  # fmt: skip
    @click.option("--resume", is_flag=True, help="Go on with what was stopped in FOLDER.")
    @as_json_option
    def train(phrase, output, as_json, **options):
        """Make a wake word of PHRASE, "hey pico", from nothing but its text.

        espeak-ng speaks it and much else in many voices; noise, rooms and speed are varied; a
        streaming network learns on microWakeWord's features, in TensorFlow (extra wake-train),
        and becomes int8. Printed is what it hears of voices that it was not trained on.
        """
        show(_train(phrase, output, **options), as_json, "wake_training", "print_trained")
