# bench: runs one flat model on an emulated Pico with the firmware of `make firmware`
# MIT license; Copyright (c) 2026 the tflm authors

# The image is the firmware of a Pico: MicroPython with all of tflm frozen in flash, at the
# addresses that the linker chose. The model is in the ROMFS partition, or after the 2 MB of the
# flash if it is larger. The measuring code is a .mpy, which is loaded to RAM.

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import emulated  # it finds firmware/ too
from tflm.errors import UnsupportedError
from tflm_tools.board import profiles, rom_directory
from tflm_tools.errors import ToolError

BOARD = "RPI_PICO"

_SCRIPT = """\
import cycles_device
cycles_device.run({model}, {model_bytes}, {inputs}, {row_bytes}, {cores}, {copy}, {kept})
"""


def firmware():
    """Return the image of a Pico (.uf2); build it if it is missing or out of date."""
    import build
    import emulators

    emulators.prepare_pico()
    return build.build(BOARD).image


# Return [(address, bytes)] of flash beside the firmware, and the addresses of model and inputs.
def _flash(model, inputs, driver):
    profile = profiles.named(BOARD)
    begin, size = profile.tflm.romfs
    files = {"cycles_device.mpy": driver, "inputs": inputs}
    image = rom_directory.image({**files, "model.tflm": model})
    start = profile.flash_address + begin
    if len(image) <= size:
        return [(start, image)], start + image.index(model), start + image.index(inputs)
    image = rom_directory.image(files)
    end = profile.flash_address + profile.flash_bytes
    return [(start, image), (end, model)], end, start + image.index(inputs)


@dataclass(frozen=True)
class Loading:
    """How the Pico loads a model.

    cores: that run it. copy: of tflm.load(): whether the model is copied to RAM. kept: bytes of
    weights in RAM if the others are streamed, None without streaming.
    """

    cores: int = 1
    copy: bool | None = None
    kept: int | None = None


def measure(image, driver, model, inputs, miss, row_bytes=0, loading=Loading()):
    """Run one invoke of a flat model (bytes) with the bytes of its inputs; raises ToolError.

    image: of firmware(). driver: cycles_device.mpy for armv6m. miss: cycles of a miss of the XIP
    cache, 0 for flash without wait states. row_bytes: size of a row of an input that comes by
    rows, 0 otherwise. Returns an emulated.Measurement.
    """
    import emulators

    regions, at, inputs_at = _flash(model, b"".join(inputs), driver)
    with tempfile.TemporaryDirectory(prefix="cycles-") as name:
        folder = Path(name)
        memory = []
        for address, data in regions:
            file = folder / f"{address:x}"
            file.write_bytes(data)
            memory.append([address, str(file)])
        result = folder / "result.json"
        script = _SCRIPT.format(
            model=at,
            model_bytes=len(model),
            inputs=inputs_at,
            row_bytes=row_bytes,
            cores=loading.cores,
            copy=loading.copy,
            kept=loading.kept,
        )
        job = {
            "firmware": str(image),
            "memory": memory,
            "miss": miss,
            "model": [at, at + len(model)],
            "script": script,
            "result": str(result),
        }
        (folder / "job.json").write_text(json.dumps(job))
        answer = subprocess.run(
            emulators.bench_command(folder / "job.json"), stderr=subprocess.PIPE, text=True
        )
        if answer.returncode:
            said = answer.stderr.strip().splitlines() or ["it said nothing"]
            raise ToolError(said[-1].removeprefix("cycles: "))
        said = json.loads(result.read_text())
        if loading.copy and "MemoryError" in said["error"]:
            raise UnsupportedError(
                f"the heap is too small for a copy of the {len(model)} bytes of the model"
            )
    return emulated.measurement(said)
