# tflm_tools: wake: listens for wake words on a board: to sound that is sent, or its microphone
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from ..board.facts import read_facts, script_source
from ..board.files import PARTIAL_SUFFIX, Files
from ..board.link import Link
from ..errors import DeviceError
from . import front_end, sound
from .listen import Heard
from .word_files import word_files

_FOLDER = "/tflm-wake"
_BLOCK = 960  # bytes of sound in a command: its text lies in the board's heap
_HOPS = 200  # of the microphone in a command
_SECONDS = 120.0  # to load models, and run them for the first time
_HEARD = [(int, str, float)]


def listen_on(port, manifests, path=None, vad=None, cutoff=None):
    """Yield a Heard for each wake word that a board hears, as it comes.

    port: see board.ports. path: a WAV file, or - for raw samples from standard input, sent over
    the cable; None listens to the board's own microphone, until it is interrupted. Else as
    listen.listen(). Raises ToolError and DeviceError.
    """
    blocks = sound.blocks(path) if path else None
    first = next(blocks, b"") if path else b""  # what cannot be read is refused first
    settings = {} if cutoff is None else {"probability_cutoff": cutoff}
    given = [*manifests, vad] if vad else list(manifests)
    with Link(port) as link, _folder(link, given) as copies:
        hop = link.eval(
            f"start({copies[: len(manifests)]!r}, {copies[-1] if vad else None!r}, "
            f"{_FOLDER + '/' + front_end.NAME!r}, {settings!r})",
            _SECONDS,
            schema=int,
        )
        seconds = hop / (2 * sound.RATE)
        found = _sent(link, chain([first], blocks)) if path else _microphone(link)
        for hops, wake_word, probability in found:
            yield Heard(hops * seconds, wake_word, probability)


# The paths of manifests on the board, whose files are there in a `with`.
@contextmanager
def _folder(link, manifests):
    facts = read_facts(link)
    try:
        link.exec(script_source("listen"), _SECONDS)
    except DeviceError as error:
        if error.kind != "ImportError":
            raise
        raise DeviceError(
            f"the board at {link.port} has no tflm.wake; flash a firmware with it (make firmware "
            "APP=wake), or install the package signal",
            "ImportError",
        ) from None
    files = Files(link)
    wanted, paths = {f"{_FOLDER}/{front_end.NAME}": front_end.front_end(facts.target)}, []
    for i, manifest in enumerate(manifests):
        for name, data in word_files(manifest, facts.target).items():
            wanted[f"{_FOLDER}/{i}/{name}"] = data
        paths.append(f"{_FOLDER}/{i}/{Path(manifest).name}")
    for path, data in wanted.items():
        if not files.has(path, data):  # it was left there when the last run was interrupted
            files.send(path, data)
            files.rename((path + PARTIAL_SUFFIX, path))
    yield paths
    files.remove(_FOLDER)


def _sent(link, blocks):
    for block in blocks:
        for i in range(0, len(block), _BLOCK):
            text = binascii.b2a_base64(block[i : i + _BLOCK], newline=False)
            yield from link.eval(f"take({text!r})", schema=_HEARD)


# A microphone's buffer holds more sound than comes between two commands.
def _microphone(link):
    while True:
        try:
            found = link.eval(f"listen({_HOPS})", _SECONDS, schema=_HEARD)
        except DeviceError as error:
            if error.kind != "ImportError":
                raise
            raise DeviceError(
                f"the board at {link.port} has no board.py that names its microphone; copy that "
                "of firmware/apps/wake to it, or name a sound with --wav",
                "ImportError",
            ) from None
        yield from found
