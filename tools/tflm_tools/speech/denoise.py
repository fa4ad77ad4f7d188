# tflm_tools: speech: suppresses noise in a WAV file, with the code of boards in the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import io
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..flat.flatten import flatten
from ..port import unix_port
from ..wake import sound

_BLOCK_BYTES = 256  # of a block of tflm.speech.Denoiser, which delays the sound by one block


@dataclass
class Denoised:
    """A WAV file: its path, and the seconds of sound in it."""

    path: str
    seconds: float


def denoise(model, path, output):
    """Write the sound of `path` with less noise to the WAV file `output`; return a Denoised.

    model: path of the .tflite or .tflm of a tflm.speech.Denoiser. path: a WAV file of 16 kHz,
    mono, 16 bits, or - for raw samples from standard input. The samples of both files are at the
    same times. Raises ToolError and DeviceError.
    """
    data = files.read(model)
    samples = b"".join(sound.blocks(path))
    padding = bytes(_BLOCK_BYTES + -len(samples) % _BLOCK_BYTES)
    with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
        folder = Path(folder)
        job = {name: str(folder / name) for name in ("model", "sound", "output")}
        (folder / "model").write_bytes(data if Path(model).suffix == ".tflm" else flatten(data))
        (folder / "sound").write_bytes(samples + padding)
        unix_port.run_script("denoise", job, folder)
        clear = (folder / "output").read_bytes()[_BLOCK_BYTES : _BLOCK_BYTES + len(samples)]
    text = io.BytesIO()
    with wave.open(text, "wb") as file:
        file.setparams((1, 2, sound.RATE, 0, "NONE", ""))
        file.writeframes(clear)
    files.write(output, text.getvalue())
    return Denoised(str(output), len(clear) / 2 / sound.RATE)
