# tflm: invoke_async(): run slices, and let other tasks of asyncio run between them.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import ABORTED, check_count


# Run list 0 of a Program. Other tasks run after a slice if `pause_ms` milliseconds have passed
# since they last did. An operator with control flow (IF, WHILE) counts as one slice.
async def run(program, pause_ms):
    from asyncio import sleep_ms

    check_count("pause_ms", pause_ms, 0)
    profiler = program.profiler
    if profiler is not None:
        profiler.begin(program)
    arena = program.arena
    rom = program.rom
    since = time.ticks_ms()
    for i, step in enumerate(program.graphs[0]):
        if profiler is not None:
            step = profiler.measured(i, step)
        function, record, units, slice_units = step
        start = 0
        while start < units:
            stop = min(start + slice_units, units)
            if function(record, arena, rom, start, stop) == ABORTED:
                return ABORTED
            start = stop
            if time.ticks_diff(time.ticks_ms(), since) >= pause_ms:
                await sleep_ms(0)
                since = time.ticks_ms()
    if profiler is not None:
        profiler.invokes += 1
    return None
