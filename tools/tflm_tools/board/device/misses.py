# tflm_tools: board: runs on a board: a Profiler that also counts flash-cache misses of each step
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import time

import micropython
import tflm
from tflm.errors import ABORTED

# Address of the counters of flash-cache hits and accesses, two words, for each chip that has them.
# The misses of a step are the change of accesses - hits.
_COUNTERS = {"RP2040": 0x1400000C, "RP2350": 0x400C800C}


@micropython.viper
def _missed(at: int) -> int:
    counters = ptr32(at)
    return counters[1] - counters[0]


@micropython.viper
def _clear(at: int):
    counters = ptr32(at)
    counters[0] = 0
    counters[1] = 0


# The address of the counters of this chip, or 0.
def _counter_address():
    machine = getattr(sys.implementation, "_machine", "")
    for chip, at in _COUNTERS.items():
        if chip in machine:
            return at
    return 0


# misses: of each step in all invokes, None on a chip without counters.
class Misses(tflm.Profiler):
    _at = _counter_address()

    def begin(self, program):
        super().begin(program)
        if self.invokes == 0:
            self.misses = [0 if self._at else None] * len(program.ops)
        self._fetched = 0  # misses of this invoke that are assigned to a step
        if self._at:
            _clear(self._at)  # the counters stop at 2 ** 32

    # As tflm.Profiler.run(), with the counters read before and after each step.
    def run(self, program, number):
        if not self._at:
            return super().run(program, number)
        i = sum([len(steps) for steps in program.graphs[:number]])
        for step in program.graphs[number]:
            inner = self._spent
            fetched = self._fetched
            before = _missed(self._at)
            begin = time.ticks_us()
            status = program.run_steps((step,))
            own = time.ticks_diff(time.ticks_us(), begin) - (self._spent - inner)
            missed = _missed(self._at) - before - (self._fetched - fetched)
            self.ticks[i] += own
            self._spent += own
            self.misses[i] += missed
            self._fetched += missed
            if status == ABORTED:
                return ABORTED
            i += 1
