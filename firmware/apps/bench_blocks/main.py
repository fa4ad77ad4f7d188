# App bench_blocks: measures decoders (tflm.detect) and blocks of signal processing (tflm.features)
# MIT license; Copyright (c) 2026 the tflm authors

# bench/blocks.py reads the lines: kind;name;input;microseconds.

import gc
import time

import blocks
import decoders
import machine

_RUNS = 3


# Return the microseconds of the fastest of some runs.
def _fastest(run):
    run()  # the first run may allocate
    fastest = None
    for _ in range(_RUNS):
        gc.collect()
        begin = time.ticks_us()
        run()
        spent = time.ticks_diff(time.ticks_us(), begin)
        fastest = spent if fastest is None else min(fastest, spent)
    return fastest


def main():
    for kind, module in (("decoder", decoders), ("block", blocks)):
        for name, given, run in module.cases():
            print("%s;%s;%s;%d" % (kind, name, given, _fastest(run)))
            run = None  # frees its buffers before the next case allocates
            gc.collect()
    print("done at %d MHz" % (machine.freq() // 1000000))


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
