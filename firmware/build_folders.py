# firmware: the folders of builds, below build/ or the folder in the variable TFLM_BUILD
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("TFLM_BUILD") or ROOT / "build").absolute()
TOOLCHAIN = BUILD / "toolchain"  # sources and compilers
FIRMWARE = BUILD / "firmware"  # a folder for each image
EMULATOR = BUILD / "emulator"  # the Pico's emulator, and its boot ROM
APPS = ROOT / "firmware" / "apps"
