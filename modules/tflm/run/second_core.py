# tflm: the second core: a thread that runs kernels, and how units are shared with it
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import time
from array import array

from ..micropython_port import collect

# Ops that take less than this on two cores go back to one: the hand-over takes some 30 us.
_LEAST_US = const(100)

# Cells that the cores share, and the states of the worker.
_STATE = const(0)
_START = const(1)  # units for the worker
_STOP = const(2)
_FAILED = const(3)  # the worker's call raised something
_IDLE = const(0)
_BUSY = const(1)
_LEAVE = const(2)  # asked to end
_ENDED = const(3)

# Places in the worker's list: the job that it does half of; then functions by which the cores
# meet, to wait and to send.
_JOB = const(0)
_SEND = const(2)

# Numbers of a job.
_GROUP = const(0)
_IS_ALONE = const(1)
_IS_TRIED = const(2)
_AHEAD = const(3)  # loops that core 1 has a lead of where each has a part of the channels, or 0
_WORDS = const(4)  # of the record to copy; then words to change, number and value of each
_PATCHES = const(5)


# What runs on core 1. In viper on purpose: no bytecode runs there, so that no callback that the
# scheduler has for the main program does, and nothing is allocated.
@micropython.viper
def _work(tasks, cells: ptr32):
    _, wait, send = tasks
    while True:
        while cells[_STATE] == _IDLE:
            wait(1)
        if cells[_STATE] == _LEAVE:
            break
        function, _, record, _, _, _, _, arena, rom, _, _ = tasks[_JOB]
        try:
            function(record, arena, rom, cells[_START], cells[_STOP])
        except BaseException:
            cells[_FAILED] = 1
        cells[_STATE] = _IDLE
        send(1)
    cells[_STATE] = _ENDED
    send(1)


# Eval of a step that both cores run: the first half of the units on core 1, or all of them for
# the channels in its record. Returns when both are done, whatever happens: Ctrl-C waits that long.
# What a half raised is raised when all of it is run again on one core.
@micropython.viper
def share(job, arena, rom, start: int, stop: int):
    # All at once: to look up one thing of a list takes as long.
    function, record, copy, changes, shared, tasks, ticks, _, _, own, own_changes = job
    _, wait, send = tasks
    numbers = ptr32(changes)
    cells = ptr32(shared)
    group = numbers[_GROUP]
    middle = start + ((((stop - start) >> group) + 1) >> 1 << group)
    end = middle
    if numbers[_AHEAD]:
        middle = start
        end = stop
    if not numbers[_IS_ALONE] and middle < stop:
        begin = int(ticks())
        if start == 0 and numbers[_WORDS]:
            _copy(record, copy, changes)
        tasks[_JOB] = job
        cells[_START] = start
        cells[_STOP] = end
        cells[_FAILED] = 0
        cells[_STATE] = _BUSY
        send(1)
        if numbers[_AHEAD]:
            _follow(record, own, own_changes)
        failed = 0
        try:
            function(own, arena, rom, middle, stop)
        except BaseException:
            failed = 1
        interrupted = 0
        while cells[_STATE] == _BUSY:
            try:
                wait(1)
            except BaseException:
                interrupted = 1
        tasks[_JOB] = None
        if interrupted:
            raise KeyboardInterrupt
        if not failed | cells[_FAILED]:
            if not numbers[_IS_TRIED]:
                numbers[_IS_TRIED] = 1
                if (int(ticks()) - begin) & 0x3FFFFFFF < _LEAST_US:
                    numbers[_IS_ALONE] = 1
            return
    function(record, arena, rom, start, stop)


# Make the other core's own record, and let core 1 have a lead. Of two cores that want words of
# flash at the same time both wait, and again at the next weights: so one computes while the other
# one fetches.
@micropython.viper
def _follow(record, own, changes):
    _copy(record, own, changes)
    left = ptr32(changes)[_AHEAD]
    while left:
        left -= 1


# Copy a record and put other words into it.
@micropython.viper
def _copy(source: ptr32, target: ptr32, numbers: ptr32):
    left = numbers[_WORDS]
    while left:
        left -= 1
        target[left] = source[left]
    left = numbers[_PATCHES]
    while left:
        target[numbers[_PATCHES + 1]] = numbers[_PATCHES + 2]
        numbers = ptr32(int(numbers) + 8)
        left -= 1


# How the cores wait for each other: functions (wait, send) of one number. On a Cortex-M they
# sleep until an event; elsewhere they look again and again. True in the end where bytecode runs
# on one core only, so that waiting must hand that on.
def _events():
    from ..op_resolver import native_arch

    if sys.platform == "rp2" and native_arch()[:4] == "armv":
        try:
            from ..kernels.armv6m.core_events import send, wait

            return wait, send
        except ImportError:
            pass
    threads = getattr(sys.implementation, "_thread", "unsafe" if sys.platform == "rp2" else "GIL")
    return (time.sleep_us if threads == "unsafe" else time.sleep_ms), _nothing


def _nothing(_):
    pass


# What a user holds where it cannot be told that he is gone: free() closes it.
class _Holder:
    def __init__(self, function):
        self.close = function


# Small firmware has no finalizer.py, others may have no littlefs.
def _call_when_collected(function):
    try:
        from .finalizer import call_when_collected

        return call_when_collected(function)
    except ImportError:
        return _Holder(function)


# Core 1 and what it is told. There is one, for all interpreters.
class _Worker:
    def __init__(self):
        self.users = 0
        self.cells = None

    # Start the thread unless it runs; OSError where core 1 is taken, ImportError without threads.
    # Returns what the user holds: once that is closed, or the user gone, core 1 has one less.
    def acquire(self):
        user = _call_when_collected(
            self._leave
        )  # takes memory: a collection may end other users first
        self.users += 1
        if self.users == 1:
            self.join()
            try:
                self._start()
            except BaseException:
                self.cells = None
                user.close()
                raise
        return user

    def _start(self):
        import _thread

        wait, send = _events()
        collect()  # the port may not do it where it makes the stack
        self.cells = array("i", [_IDLE, 0, 0, 0])
        self.tasks = [None, wait, send]
        _thread.start_new_thread(_work, (self.tasks, self.cells))

    # One user less: the thread ends when nobody needs it any more. May run amid a collection.
    def _leave(self):
        self.users -= 1
        if self.users == 0 and self.cells is not None:
            self.cells[_STATE] = _LEAVE
            self.tasks[_SEND](1)

    # Wait for a thread that was asked to end.
    def join(self):
        if self.cells is not None and self.cells[_STATE] == _LEAVE:
            while self.cells[_STATE] != _ENDED:
                time.sleep_ms(1)
            time.sleep_ms(1)  # until the port has noticed, too


worker = _Worker()


# What share() is given in place of a record. core_1: the record that core 1 has, to which `words`
# words are copied before each run, and what is other there, [(number of a word, value)]; None
# where it is the same. core_0: likewise, where each core has a part of the channels; core 1 has a
# lead of `ahead` loops then, at least 1.
def make_job(function, record, arena, rom, group, words=0, core_1=None, core_0=None, ahead=0):
    one, one_patches = core_1 or (record, ())
    own, own_patches = core_0 or (record, ())
    return [
        function,
        record,
        one,
        _numbers(group, ahead, words, one_patches),
        worker.cells,
        worker.tasks,
        time.ticks_us,
        arena,
        rom,
        own,
        _numbers(group, ahead, words if core_0 else 0, own_patches),
    ]


def _numbers(group, ahead, words, patches):
    numbers = [group, 0, 0, ahead, words, len(patches)]
    for patch in patches:
        numbers += patch
    return array("I", numbers)
