# tflm_tools: training: trains the network and writes its streaming .tflite, in a child process
# MIT license; Copyright (c) 2026 the tflm authors

# The argument is the file of the job (see train.py). The process reports its progress as lines of
# JSON on standard output; the output of TensorFlow goes to standard error.

import json
import os
import sys

from .streaming import convert, streaming
from .training import train

# These must be set before TensorFlow is imported. oneDNN orders float sums differently on each
# CPU.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def report(**fields):
        print(json.dumps(fields), file=replies, flush=True)

    with open(sys.argv[1]) as file:
        job = json.load(file)
    model, shape, examples = train(job, report)
    samples = examples.calibration(job["seed"])
    data = convert(streaming(model, shape), samples, job["saved_model"])
    with open(job["output"] + ".part", "wb") as file:
        file.write(data)
    os.replace(job["output"] + ".part", job["output"])


if __name__ == "__main__":
    main()
