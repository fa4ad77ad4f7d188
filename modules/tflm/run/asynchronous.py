# tflm: invoke_async(): run slices, and let other tasks of asyncio run between them.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import ABORTED, StateError, check_count


# Run list 0 of a Program. Other tasks run after a slice if `pause_ms` milliseconds have passed
# since they last did. An operator with control flow (IF, WHILE) counts as one slice.
# Program.free() ends the run. After Ctrl-C in another task this task may never continue, or only
# when its memory has another use.
async def run(program, pause_ms):
    from asyncio import sleep_ms

    check_count("pause_ms", pause_ms, 0)
    profiler = program.profiler
    if profiler is not None:
        profiler.begin(program)
    since = time.ticks_ms()
    program.is_running = True
    try:
        for i, step in enumerate(program.graphs[0]):
            if profiler is not None:
                step = profiler.measured(i, step)
            units = step[2]
            slice_units = abs(step[3]) or units
            start = 0
            while start < units:
                stop = min(start + slice_units, units)
                if program.run_slice(step, start, stop) == ABORTED:
                    return ABORTED
                start = stop
                if time.ticks_diff(time.ticks_ms(), since) >= pause_ms:
                    await sleep_ms(0)
                    if not program.is_running:
                        raise StateError("free() ended this invoke_async(); call it again")
                    since = time.ticks_ms()
    finally:
        program.is_running = False
    if profiler is not None:
        profiler.invokes += 1
