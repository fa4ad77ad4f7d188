# tflm_tools: wake: detects wake words on a board, in sound from the host or its microphone
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from ..board.facts import read_facts, script_source
from ..board.files import PARTIAL_SUFFIX, Files
from ..board.link import Link
from ..errors import DeviceError
from . import sound
from .listen import Detection
from .word_files import FRONT_END, front_end, word_files

_FOLDER = "/tflm-wake"
_CHUNK_BYTES = 960  # of sound in a command, whose text is in the board's heap
_HOPS = 200  # of the microphone in a command
_SECONDS = 120.0  # limit for loading the models and running them for the first time
_DETECTIONS_SCHEMA = [(int, str, float)]


def listen_on(port, manifests, path=None, vad=None, cutoff=None):
    """Yield a Detection for each wake word that a board detects, as soon as it is detected.

    port: see board.ports. path: a WAV file, or - for raw samples from standard input, which are
    sent to the board; None for the board's own microphone, until interrupted. Other arguments:
    as for listen.listen(). Raises ToolError and DeviceError.
    """
    blocks = sound.blocks(path) if path else None
    first = next(blocks, b"") if path else b""  # raises for a file that cannot be read
    settings = {} if cutoff is None else {"probability_cutoff": cutoff}
    given = [*manifests, vad] if vad else list(manifests)
    with Link(port) as link, _folder(link, given) as copies:
        if not path:
            _open_microphone(link)
        hop = link.eval(
            f"start({copies[: len(manifests)]!r}, {copies[-1] if vad else None!r}, "
            f"{_FOLDER + '/' + FRONT_END!r}, {settings!r})",
            _SECONDS,
            schema=int,
        )
        seconds = hop / (2 * sound.RATE)
        detections = _in_sound(link, chain([first], blocks)) if path else _in_microphone(link)
        for hops, wake_word, probability in detections:
            yield Detection(hops * seconds, wake_word, probability)


# Copy the manifests with their models to the board; yield their paths there; remove them.
@contextmanager
def _folder(link, manifests):
    facts = read_facts(link)
    try:
        link.exec(script_source("listen"), _SECONDS)
    except DeviceError as error:
        if error.kind != "ImportError":
            raise
        raise DeviceError(
            f"the board at {link.port} has no tflm.wake; flash firmware with it (make firmware "
            "APP=wake), or install the package signal",
            "ImportError",
        ) from None
    files = Files(link)
    contents, paths = {f"{_FOLDER}/{FRONT_END}": front_end(facts.target)}, []
    for i, manifest in enumerate(manifests):
        for name, data in word_files(manifest, facts.target).items():
            contents[f"{_FOLDER}/{i}/{name}"] = data
        paths.append(f"{_FOLDER}/{i}/{Path(manifest).name}")
    for path, data in contents.items():
        if not files.has(path, data):  # an interrupted run leaves its files
            files.send(path, data)
            files.rename((path + PARTIAL_SUFFIX, path))
    yield paths
    files.remove(_FOLDER)


def _in_sound(link, blocks):
    for block in blocks:
        for i in range(0, len(block), _CHUNK_BYTES):
            text = binascii.b2a_base64(block[i : i + _CHUNK_BYTES], newline=False)
            yield from link.eval(f"take({text!r})", schema=_DETECTIONS_SCHEMA)


def _open_microphone(link):
    try:
        link.exec("open_microphone()", _SECONDS)
    except DeviceError as error:
        if error.kind != "ImportError":
            raise
        raise DeviceError(
            f"the board at {link.port} has no board.py that names its microphone; copy "
            "firmware/apps/wake/board.py to it, or name a sound with --wav",
            "ImportError",
        ) from None


# The microphone's buffer is large enough for the sound between two commands.
def _in_microphone(link):
    while True:
        yield from link.eval(f"listen({_HOPS})", _SECONDS, schema=_DETECTIONS_SCHEMA)
