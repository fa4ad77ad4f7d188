# tflm_tools: training: the child process that trains the network and writes its streaming .tflite
# MIT license; Copyright (c) 2026 the tflm authors

# Its argument is the job (see train.py). On standard output it tells how far it is, a line of JSON
# each time; what TensorFlow prints goes to standard error.

import json
import os
import sys

from .streaming import convert, streaming
from .training import train

# Must be set before TensorFlow loads: oneDNN reorders float sums from one CPU to the next.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**what):
        print(json.dumps(what), file=replies, flush=True)

    with open(sys.argv[1]) as file:
        job = json.load(file)
    model, shape, examples = train(job, tell)
    samples = examples.calibration(job["seed"])
    data = convert(streaming(model, shape), samples, job["saved_model"])
    with open(job["output"] + ".part", "wb") as file:
        file.write(data)
    os.replace(job["output"] + ".part", job["output"])


if __name__ == "__main__":
    main()
