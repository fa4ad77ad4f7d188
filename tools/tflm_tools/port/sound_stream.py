# tflm_tools: port: streams sound to a script in MicroPython's unix port, and reads its answers
# MIT license; Copyright (c) 2026 the tflm authors

import json
import threading
from contextlib import suppress

from ..errors import DeviceError, ToolError
from . import unix_port

_HEAP = "16M"
_FEEDER_SECONDS = 2  # limit for the thread that reads the sound to end after an error


def answers(script, job, folder, blocks, rename=lambda text: text):
    """Yield the answers of device/<script>.py to sound, as soon as it prints them.

    job: a dict, which the script gets as a file of JSON in `folder`. blocks: an iterable of bytes
    for the script's standard input. rename: a function of an error's text. An answer is a dict;
    {"error": text, "kind": name} is raised as DeviceError. Also raises what `blocks` raises.
    """
    (folder / "job.json").write_text(json.dumps(job))
    with unix_port.start_script(script, folder / "job.json", folder, _HEAP) as process:
        failures = []

        def feed():
            with suppress(BrokenPipeError):  # MicroPython has ended, and has reported why
                try:
                    for block in blocks:
                        process.stdin.write(block)
                        process.stdin.flush()
                except ToolError as error:
                    failures.append(error)
                finally:
                    process.stdin.close()

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        for line in process.stdout:
            answer = json.loads(line)
            if "error" in answer:
                failures.append(DeviceError(rename(answer["error"]), answer["kind"]))
            else:
                yield answer
        feeder.join(_FEEDER_SECONDS)  # the thread may wait for more sound
        if process.wait() != 0:
            code = process.returncode
            failures.append(
                DeviceError(f"MicroPython ended with exit code {code}; run it again", "crash")
            )
    if failures:
        raise failures[0]
