# App bench: measures time and cycles of each operator of a model, and its memory
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import time

import machine
import tflm

_RUNS = 3


def table(profiler, megahertz):
    total = profiler.total_ticks()
    print("  op  name                      kernel                          us     cycles  share")
    for node, name, kernel, ticks in profiler.events():
        each = ticks // profiler.invokes
        share = 100 * ticks / max(total, 1)
        cycles = each * megahertz
        print("%4d  %-24s  %-26s %7d %10d %5.1f%%" % (node, name, kernel, each, cycles, share))


def main():
    megahertz = machine.freq() // 1000000
    gc.collect()
    free = gc.mem_free()
    begin = time.ticks_us()
    profiler = tflm.Profiler()
    interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"), profiler=profiler)
    interpreter.allocate_tensors()
    loaded = time.ticks_diff(time.ticks_us(), begin)
    gc.collect()
    heap = free - gc.mem_free()
    for i in range(interpreter.inputs_size()):
        raw = interpreter.input(i).kept.raw
        for j in range(len(raw)):
            raw[j] = 0
    for _ in range(_RUNS):
        interpreter.invoke()
    table(profiler, megahertz)
    each = profiler.total_ticks() // _RUNS
    print("invoke: %d us, %d cycles at %d MHz" % (each, each * megahertz, megahertz))
    arena = interpreter.arena_used_bytes()
    print("load: %d us; heap: %d bytes, including an arena of %d" % (loaded, heap, arena))


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
