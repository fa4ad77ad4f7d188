# Score a recording, one sample in mg per line: tflm micropython models/anomaly/listen.py FILE
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import features
import tflm
from monitor import Monitor

_MODEL = "/".join(__file__.split("/")[:-1] + ["anomaly_int8.tflite"])


# Yield the windows of the file.
def _windows(file):
    while True:
        lines = [file.readline() for _ in range(features.LENGTH)]
        if not lines[-1]:
            return
        yield [int(line) / 1000 for line in lines]


def main():
    monitor = Monitor(tflm.Interpreter(tflm.load(_MODEL)))
    with open(sys.argv[1]) as file:
        windows, second = _windows(file), 0
        while True:
            second += 1
            try:
                score = monitor.hear(windows)
            except StopIteration:
                return
            if score is not None:
                word = "odd" if score > monitor.threshold else "well"
                print(
                    "%3d s  %-5s %.3f (odd above %.3f)" % (second, word, score, monitor.threshold)
                )


main()
