# tflm_tools: how a script on the device gets its job and reports back, errors included
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import sys


# Write the report whole or not at all.
def _write(path, answer):
    with open(path + ".part", "w") as file:
        json.dump(answer, file)
    os.rename(path + ".part", path)


# Call `main(job)` with the job of the first argument; its dict goes to the second one.
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
            text = f"a kernel allocated memory in invoke ({error}); mend the kernel"
        answer = {"error": text, "kind": "MemoryError"}
    except Exception as error:
        from tflm import TflmError

        kind = type(error).__name__
        if not isinstance(error, (TflmError, OSError)):
            sys.print_exception(error)
            error = f"{kind} on the device: {error}"
        answer = {"error": str(error), "kind": kind}
    _write(report, answer)
