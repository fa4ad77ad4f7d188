# tflm: The second core: a thread that runs kernels, and how it shares units with core 0.
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import time
from array import array

from ..micropython_port import collect

# A step that takes less time than this on two cores runs on one: the hand-over takes some 30 us.
_MIN_US = const(100)
# After this time core 1 may have hung: core 0 waits in a way that Ctrl-C ends.
_MAX_US = const(2000000)

# The cells that the cores share.
_STATE = const(0)
_START = const(1)  # units for the worker
_STOP = const(2)
_FAILED = const(3)  # 1 after the worker's kernel call raised an exception
# Values of _STATE.
_IDLE = const(0)
_BUSY = const(1)
_LEAVE = const(2)  # the thread is to end
_ENDED = const(3)

# Items of the list `tasks`: the job whose first half the worker runs, and the functions with which
# the cores wait for and wake each other.
_JOB = const(0)
_SEND = const(2)

# Numbers of a job, see make_job().
_GROUP = const(0)
_IS_SINGLE = const(1)  # 1: the step runs on one core, because two are not faster
_IS_TIMED = const(2)  # 1 after the first run on two cores
_AHEAD = const(3)  # loops that core 0 waits before it starts, if the cores share the channels
_WORDS = const(4)  # words of the record to copy; then the number of patches, and the patches
_PATCHES = const(5)


# The thread on core 1. It is viper code, so nothing on core 1 runs bytecode, on whose jumps
# MicroPython's scheduler would call functions of the main program, and nothing allocates.
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


# Eval of a step on both cores. Core 1 runs the first half of the units, or its half of the
# channels for all units. Returns when both cores are done; Ctrl-C waits until then, but at most
# _MAX_US. If a core raised an exception, one core runs all units again and raises it. While core 1
# is still busy after Ctrl-C, steps run on one core.
@micropython.viper
def share(job, arena, rom, start: int, stop: int):
    # Unpack the list at once: that takes as long as looking up one item.
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
    if not numbers[_IS_SINGLE] and middle < stop and cells[_STATE] == _IDLE:
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
        interrupted = int(_wait_for_core_1(shared, wait, ticks, begin))
        tasks[_JOB] = None
        if interrupted:
            raise KeyboardInterrupt
        if not failed | cells[_FAILED]:
            if not numbers[_IS_TIMED]:
                numbers[_IS_TIMED] = 1
                if (int(ticks()) - begin) & 0x3FFFFFFF < _MIN_US:
                    numbers[_IS_SINGLE] = 1
            return
    function(record, arena, rom, start, stop)


# Wait until core 1 is done, but after Ctrl-C at most _MAX_US. Return 1 after Ctrl-C.
@micropython.viper
def _wait_for_core_1(cells: ptr32, wait, ticks, begin: int) -> int:
    interrupted = 0
    late = 0
    while cells[_STATE] == _BUSY and not interrupted & late:
        try:
            if late:
                time.sleep_ms(1)
            else:
                wait(1)
                late = int((int(ticks()) - begin) & 0x3FFFFFFF > _MAX_US)
        except BaseException:
            interrupted = 1
    return interrupted


# Make the record of core 0, then wait so that core 1 gets a lead. If both cores fetch words from
# flash at the same time, both wait, and wait again at the next weights. With a lead one core
# computes while the other fetches.
@micropython.viper
def _follow(record, own, changes):
    _copy(record, own, changes)
    left = ptr32(changes)[_AHEAD]
    while left:
        left -= 1


# Copy a record, then replace words of it.
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


# Return the functions (wait, send), of one number, by which the cores wait for and wake each
# other. A Cortex-M sleeps until an event. Elsewhere wait() sleeps briefly: in microseconds where
# both cores run bytecode at the same time, else in milliseconds, which lets the other thread run.
def _events():
    from ..micropython_port import native_arch

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


# Holds core 1 in firmware without finalizers: only free() closes it.
class _Holder:
    def __init__(self, function):
        self.close = function


# Return an object whose close() calls a function; with finalizers collecting it does so, too.
# Small firmware has no finalizer.py, some firmware no littlefs.
def _call_when_collected(function):
    try:
        from .finalizer import call_when_collected

        return call_when_collected(function)
    except ImportError:
        return _Holder(function)


# Core 1 and its thread, one for all Interpreters.
class _Worker:
    def __init__(self):
        self.users = 0
        self.cells = None

    # Start the thread unless it runs. Return the object that holds it; after its close(), or when
    # it is collected, there is one user less. Raises OSError if core 1 is in use, ImportError
    # without threads.
    def acquire(self):
        # This allocates: a collection may end other users before the thread starts.
        user = _call_when_collected(self._leave)
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
        collect()  # some ports do not collect when they allocate the stack
        self.cells = array("i", [_IDLE, 0, 0, 0])
        self.tasks = [None, wait, send]
        _thread.start_new_thread(_work, (self.tasks, self.cells))

    # One user less; without users the thread ends. May run during a collection.
    def _leave(self):
        self.users -= 1
        if self.users == 0 and self.cells is not None:
            if self.cells[_STATE] == _BUSY:  # it hangs, and core 1 stays in use
                self.cells = None
                return
            self.cells[_STATE] = _LEAVE
            self.tasks[_SEND](1)

    # Wait for a thread that is to end.
    def join(self):
        if self.cells is not None and self.cells[_STATE] == _LEAVE:
            while self.cells[_STATE] != _ENDED:
                time.sleep_ms(1)
            time.sleep_ms(1)  # until the port has noticed that the thread ended


worker = _Worker()


# Return the list that share() gets in place of a record. core_1, core_0: (record, patches) of a
# core that has its own record: before each run `words` words are copied to it, then the patches
# [(word, value)] are set; None: the core uses `record`. ahead: loops that core 0 waits before it
# starts, at least 1 if core_0 is given.
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
