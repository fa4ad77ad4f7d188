# App mlperf_tiny: a board that the runner of the MLPerf Tiny benchmark can drive
# MIT license; Copyright (c) 2026 the tflm authors

# /rom/model.tflm is the model: make it with MODEL=. In the unix port the folder is an argument.

import sys

import tflm
from monitor import Monitor
from ports import open_port
from task import Task


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "/rom"
    port = open_port()
    try:
        Monitor(port, Task(folder + "/model.tflm")).run()
    except (OSError, tflm.TflmError) as error:
        port.write(b"e-[%s]\r\n" % str(error).encode())


try:
    main()
except KeyboardInterrupt:
    print("stopped; import main runs it again")
