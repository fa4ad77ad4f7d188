# tflm_tools: port: reads the job of a script in MicroPython and writes its report or error
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import sys


# Write the report to a temporary file and rename it, so that the host never reads half of it.
def _write(path, answer):
    with open(path + ".part", "w") as file:
        json.dump(answer, file)
    os.rename(path + ".part", path)


# Read the job from the file sys.argv[1], call main(job), write its dict to the file sys.argv[2].
def serve(main):
    request, report = sys.argv[1], sys.argv[2]
    with open(request) as file:
        job = json.load(file)
    try:
        answer = main(job)
    except MemoryError as error:
        import gc

        gc.collect()
        size = gc.mem_free() + gc.mem_alloc()
        text = f"MicroPython's heap of {size} bytes is too small ({error}); use a larger --heap"
        if "locked" in str(error):
            text = f"a kernel allocated memory in invoke ({error}); fix the kernel"
        answer = {"error": text, "kind": "MemoryError"}
    except Exception as error:
        from tflm import TflmError

        kind = type(error).__name__
        if not isinstance(error, (TflmError, OSError)):
            sys.print_exception(error)
            error = f"{kind} on the device: {error}"
        answer = {"error": str(error), "kind": kind}
    _write(report, answer)
