# App mlperf_tiny: answers the runner of the MLPerf Tiny benchmark
# MIT license; Copyright (c) 2026 the tflm authors

# The model is /rom/model.tflm; choose it with MODEL= of make. In the unix port the arguments are
# the folder, and a WAV file for sww01.

import sys

import settings
import tflm
from monitor import Monitor
from ports import open_port
from task import Task

_STREAM_HZ = 200_000_000  # of an RP2040; at 125 MHz it needs more than 32 ms for 32 ms of sound


# Set the clock before the port is opened, whose speed depends on it.
def _set_clock(task):
    hz = settings.HZ
    if hz is None and task.is_stream and "RP2040" in sys.implementation._machine:
        hz = _STREAM_HZ
    if hz:
        import machine

        machine.freq(hz)


def _stream(port, task):
    if not task.is_stream:
        return None
    from stream import Stream

    return Stream(port, task)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "/rom"
    try:
        task = Task(folder + "/model.tflm")
        _set_clock(task)
        port = open_port()
        Monitor(port, task, _stream(port, task)).run()
    except (OSError, tflm.TflmError) as error:
        open_port().write(b"e-[%s]\r\n" % str(error).encode())


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
