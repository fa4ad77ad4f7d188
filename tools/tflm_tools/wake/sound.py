# tflm_tools: wake: sound as wake words take it: 16 kHz, mono, int16; from a WAV file or a stream
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import wave

from ..errors import ToolError

RATE = 16000
_BLOCK = 3200  # bytes: 0.1 s
_CONVERT = "convert it with: sox IN -r 16000 -c 1 -b 16 OUT"


def blocks(path):
    """Bytes of int16 samples, a tenth of a second at a time.

    path: a WAV file; - stands for raw samples from standard input, as `arecord -t raw -f S16_LE
    -r 16000 -c 1` sends them. Raises ToolError for a file that is of another kind or cut off.
    """
    if path == "-":
        yield from iter(lambda: sys.stdin.buffer.read1(_BLOCK), b"")
        return
    try:
        with wave.open(str(path)) as file:
            _check(path, file)
            left = 2 * file.getnframes()
            while block := file.readframes(_BLOCK // 2):
                left -= len(block)
                yield block
    except (OSError, EOFError, wave.Error) as error:
        reason = getattr(error, "strerror", None) or str(error) or "it ends within its header"
        raise ToolError(f"cannot read {path} as WAV: {reason}; {_CONVERT}") from None
    if left > 0:
        raise ToolError(f"{path} is cut off: {left} bytes of sound are missing; record it again")


def _check(path, file):
    found = (file.getframerate(), file.getnchannels(), 8 * file.getsampwidth())
    if found != (RATE, 1, 16):
        rate, channels, bits = found
        raise ToolError(
            f"{path} has {rate} samples a second, {channels} channel{'s' * (channels > 1)} and "
            f"{bits} bits; wake words take 16000, mono and 16 bits: {_CONVERT}"
        )
