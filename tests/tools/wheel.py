# Tries every command of a wheel in a fresh environment: `make -C release wheel`
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import emulators
import pymicro_wakeword

_MODELS = Path(__file__).resolve().parents[2] / "models"
_WAKE_WORDS = Path(pymicro_wakeword.__file__).parent / "models"
_EXTRAS = "[verify,board,report]"
_DATA = (
    "import numpy\n"
    "numpy.save('zeros.npy', numpy.zeros((1, 8, 8, 1), numpy.float32))\n"
    "x = numpy.random.default_rng(1).random((4, 8, 8, 1)).astype(numpy.float32)\n"
    "numpy.savez('data.npz', x=x, y=numpy.arange(4))\n"
)


def _commands(port):
    """Return the arguments of each command; files are in the folder where it runs."""
    return {
        "bench": ["digits.tflite", "--invokes", "2"],
        "boards": [],
        "deploy": ["digits.tflite", port],
        "doctor": [port, "--model", "digits.tflite"],
        "eval": ["digits.tflite", "--data", "data.npz", "--compare"],
        "flash": ["RPI_PICO", "--image", "firmware.uf2", "--volume", "drive"],
        "flatten": ["digits.tflite", "-o", "digits.tflm", "--target", "armv6m"],
        "inspect": ["digits.tflite"],
        "micropython": ["-c", "import tflm; tflm.load('digits.tflm')"],
        "ops": ["digits.tflite", "--manifest", "manifest.py"],
        "plan": ["digits.tflite", "-o", "plan.png"],
        "report": ["digits.tflite", "-o", "report.html"],
        "requantize": ["digits.tflite", "-o", "digits16.tflite"],
        "run": ["digits.tflite", "--input", "zeros.npy", "--quantize", "--output-dir", "out"],
        "transform": ["digits.tflite", "-o", "small.tflite"],
        "verify": ["digits.tflite", "--runs", "1"],
        "wake": ["listen", str(_WAKE_WORDS / "okay_nabu.json"), "--wav", "words.wav"],
    }


# Run a command in a folder, without the repository in its environment; return its output.
def _run(folder, *words):
    values = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    values["TFLM_CACHE"] = str(folder / "cache")
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=values, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


# Make a new environment with the wheel, and a folder with the files for the commands.
def _prepare(folder, wheel, image):
    _run(folder, sys.executable, "-m", "venv", "venv")
    binaries = folder / "venv" / "bin"
    _run(folder, binaries / "pip", "install", "-q", "--disable-pip-version-check", wheel + _EXTRAS)
    shutil.copyfile(_MODELS / "digits" / "digits_int8.tflite", folder / "digits.tflite")
    shutil.copyfile(_MODELS / "keywords" / "words.wav", folder / "words.wav")
    shutil.copyfile(image, folder / "firmware.uf2")
    (folder / "drive").mkdir()  # stands for the drive of a Pico's boot loader
    (folder / "drive" / "INFO_UF2.TXT").write_text("UF2 Bootloader v1.0\nBoard-ID: RPI-RP2\n")
    _run(folder, binaries / "python", "-c", _DATA)
    return binaries


def main():
    parser = argparse.ArgumentParser(description="Try every command of a wheel.")
    parser.add_argument("wheel", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("image", type=lambda text: Path(text).resolve(), help="for the Pico")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binaries = _prepare(folder, given.wheel, given.image)
        where = _run(
            folder, binaries / "python", "-c", "import tflm_tools; print(tflm_tools.__file__)"
        )
        assert where.startswith(str(folder.resolve())), where
        board = emulators.start("RPI_PICO", given.image)
        try:
            commands = _commands(board.port)
            help_text = _run(folder, binaries / "tflm", "--help")
            listed = set(re.findall(r"^│ (\w+)  ", help_text, re.M))
            assert listed == set(commands), listed ^ set(commands)
            for command, words in commands.items():
                print(f"tflm {command}: ", end="", flush=True)
                lines = _run(folder, binaries / "tflm", command, *words).splitlines()
                print(f"{len(lines)} lines")
        finally:
            board.stop()
        found = json.loads(_run(folder, binaries / "tflm", "inspect", "digits.tflm", "--json"))
        assert found["kind"] == "tflm"
    print(f"{Path(given.wheel).name}: each of {len(commands)} commands works without the sources")


if __name__ == "__main__":
    main()
