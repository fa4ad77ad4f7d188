# tflm_tools: wake: reads sound for wake words (16 kHz, mono, int16) from a WAV file or a stream
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import wave

from .. import files
from ..errors import ToolError

RATE = 16000
_BLOCK = 3200  # bytes: 0.1 s
_CONVERT = "convert it with: sox IN -r 16000 -c 1 -b 16 OUT"


def blocks(path):
    """Yield the bytes of int16 samples, 0.1 s at a time.

    path: a WAV file, or - for raw samples from standard input, as `arecord -t raw -f S16_LE -r
    16000 -c 1` writes them. Raises ToolError for a file of another format or a truncated file.
    """
    if path == "-":
        yield from iter(lambda: sys.stdin.buffer.read1(_BLOCK), b"")
        return
    try:
        with wave.open(str(path)) as file:
            _check(path, file)
            missing = 2 * file.getnframes()
            while block := file.readframes(_BLOCK // 2):
                missing -= len(block)
                yield block
    except OSError as error:
        raise files.read_error(path, error) from None
    except (EOFError, RuntimeError, wave.Error) as error:
        reason = str(error) or "it ends within its header"
        raise ToolError(f"cannot read {path} as WAV: {reason}; {_CONVERT}") from None
    if missing > 0:
        raise ToolError(
            f"{path} is truncated: {missing} bytes of sound are missing; record it again"
        )


def seconds(path):
    """Return the seconds of sound in a WAV file that blocks() has read; None for - ."""
    if path == "-":
        return None
    with wave.open(str(path)) as file:
        return file.getnframes() / RATE


def _check(path, file):
    rate, channels, bits = file.getframerate(), file.getnchannels(), 8 * file.getsampwidth()
    if (rate, channels, bits) != (RATE, 1, 16):
        raise ToolError(
            f"{path} has {rate} samples per second, {channels} channel{'s' * (channels > 1)} and "
            f"{bits} bits, but wake words require 16000, mono and 16 bits; {_CONVERT}"
        )
