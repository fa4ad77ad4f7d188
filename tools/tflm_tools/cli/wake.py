# tflm_tools: the command wake
# MIT license; Copyright (c) 2026 the tflm authors

import json

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


def register(cli):
    """Add the command `wake` to a click group."""

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
