# tflm_tools: board: checks firmware images for ESP chips and writes them with esptool
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
_END_SECONDS = 600  # limit for esptool to end after its last output


def check_image(data, chip, path):
    """Raise ToolError unless `data` is a firmware image for `chip`."""
    if len(data) < 24 or data[0] != _MAGIC:
        raise ToolError(f"{path} is not an image for an ESP chip; see: make firmware BOARD=…")
    image_chip = _CHIP_IDS.get(struct.unpack_from("<H", data, 12)[0], "an unknown chip")
    if image_chip != chip:
        raise ToolError(f"{path} is for {image_chip}, the board has {chip}; use an image for it")


# Run esptool with a progress report. Raises DeviceError with the error that esptool printed.
def _esptool(port, chip, arguments, progress):
    if find_spec("esptool") is None:
        raise ToolError(f"esptool is missing; install it with: {installing('board')}")
    command = [sys.executable, "-m", "esptool", "--chip", chip, "--port", port, *arguments]
    output = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        try:
            for line in process.stdout:
                output.append(line.strip())
                percent = re.search(r"\b(\d+)(?:\.\d+)?\s?%", line)
                if percent and progress is not None:
                    progress(int(percent[1]), 100)
            code = process.wait(_END_SECONDS)
        except BaseException:
            process.kill()
            raise
    if code:
        lines = [line for line in output if line] or ["it printed nothing"]
        reason = next((line for line in lines if "error" in line.lower()), lines[-1])
        reason = re.sub(r"^A fatal error occurred:\s*", "", reason).rstrip(".")
        raise DeviceError(
            f"esptool could not use the board at {port} ({reason}); hold BOOT while you press "
            "RESET, check the board and try again",
            "esptool",
        )


def write(data_path, port, chip, offset, progress=None):
    """Write an image to the board's flash at `offset` and compare the flash with it."""
    image = [f"0x{offset:x}", str(data_path)]
    _esptool(port, chip, ["--after", "no-reset", "write-flash", *image], progress)
    _esptool(port, chip, ["--before", "no-reset", "--after", "hard-reset", "verify-flash", *image],
             progress)  # fmt: skip
