# tflm_tools: writes texts with a language model in MicroPython's unix port
# MIT license; Copyright (c) 2026 the tflm authors

import json
import tempfile
from pathlib import Path

from tflm.model import FlatModel
from tflm.text.vocabulary import NAME
from tflm.tflite.reader import TfliteModel

from ..errors import DeviceError, ToolError
from ..flat.flatten import flatten
from ..model.model_file import open_model
from ..port import unix_port

_SCRIPT = "text"


def write(path, prompt="", heap=None, runtime="flat", device=None, timeout=None, **options):
    """Yield the words that a language model writes after `prompt`, as soon as they are computed.

    path: the .tflite of `tflm convert`, or its .tflm. runtime: "flat" or "tflite". device: a board
    (board.board_device) instead of the unix port, with `timeout` seconds for a word. options: n,
    temperature, top_k and seed, as for tflm.text.Generator.generate(). Raises ToolError and
    DeviceError.
    """
    model = open_model(path)
    kind = FlatModel if model.kind == "tflm" else TfliteModel
    if NAME not in kind(model.data).metadata():
        raise ToolError(
            f"{path} has no vocabulary; make a language model with: tflm convert CHECKPOINT -o "
            "MODEL.tflite"
        )
    if device is not None:
        yield from device.write_text(model, {"prompt": prompt, **options}, timeout)
        return
    data = model.data
    if model.kind == "tflite" and runtime == "flat":
        data = flatten(data)
    with tempfile.TemporaryDirectory(prefix="tflm-") as name:
        folder = Path(name)
        (folder / "model").write_bytes(data)
        job = {"model": str(folder / "model"), "options": {"prompt": prompt, **options}}
        (folder / "job.json").write_text(json.dumps(job))
        heap = heap or unix_port.DEFAULT_HEAP
        with unix_port.start_script(_SCRIPT, folder / "job.json", folder, heap) as process:
            try:
                yield from _words(process)
            finally:
                process.kill()


# The words that the script prints; raises its error.
def _words(process):
    for line in process.stdout:
        try:
            answer = json.loads(line)
        except ValueError:
            raise DeviceError(
                f"MicroPython ended: {line.decode().strip()}; use a larger --heap", "crash"
            ) from None
        if "error" in answer:
            raise DeviceError(answer["error"], answer["kind"])
        if "tokens" in answer:
            return
        yield answer["words"]
    code = process.wait()
    raise DeviceError(f"MicroPython ended with exit code {code}; use a larger --heap", "crash")
