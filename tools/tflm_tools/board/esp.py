# tflm_tools: board: images of ESP boards, written by the program esptool
# MIT license; Copyright (c) 2026 the tflm authors

import re
import struct
import subprocess
import sys
from importlib.util import find_spec

from ..errors import DeviceError, ToolError
from ..extras import installing

_MAGIC = 0xE9
_CHIP_IDS = {0: "esp32", 2: "esp32s2", 5: "esp32c3", 9: "esp32s3", 12: "esp32c2", 13: "esp32c6",
             16: "esp32h2", 18: "esp32p4", 23: "esp32c5"}  # fmt: skip
_SECONDS = 600


def check_image(data, chip, path):
    """Raise ToolError when an image is none, or is for another chip."""
    if len(data) < 24 or data[0] != _MAGIC:
        raise ToolError(f"{path} is no image for an ESP chip; see: make firmware BOARD=…")
    found = _CHIP_IDS.get(struct.unpack_from("<H", data, 12)[0], "an unknown chip")
    if found != chip:
        raise ToolError(f"{path} is for {found}, the board has {chip}; take its own image")


# Run esptool with a progress report; its last words are the error.
def _esptool(port, chip, arguments, progress, trace=None):
    if find_spec("esptool") is None:
        raise ToolError(f"esptool is missing; install it with: {installing('board')}")
    command = [sys.executable, "-m", "esptool", "--chip", chip, "--port", port, *arguments]
    said = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        try:
            for line in process.stdout:
                said.append(line.strip())
                percent = re.search(r"\b(\d+)(?:\.\d+)?\s?%", line)
                if percent and progress is not None:
                    progress(int(percent[1]), 100)
            code = process.wait(_SECONDS)
        except BaseException:
            process.kill()
            raise
    if code:
        words = [line for line in said if line] or ["it said nothing"]
        reason = next((line for line in words if "error" in line.lower()), words[-1])
        reason = re.sub(r"^A fatal error occurred:\s*", "", reason).rstrip(".")
        raise DeviceError(
            f"esptool could not use the board at {port} ({reason}); hold BOOT while you press "
            "RESET, check the board and try again",
            "esptool",
        )


def write(data_path, port, chip, offset, progress=None):
    """Write an image to the board's flash and compare the flash with it."""
    place = [f"0x{offset:x}", str(data_path)]
    _esptool(port, chip, ["--after", "no-reset", "write-flash", *place], progress)
    _esptool(port, chip, ["--before", "no-reset", "--after", "hard-reset", "verify-flash", *place],
             progress)  # fmt: skip
