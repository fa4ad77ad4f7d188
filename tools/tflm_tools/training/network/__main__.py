# tflm_tools: training: trains the network and writes its streaming .tflite, in a child process
# MIT license; Copyright (c) 2026 the tflm authors

# The argument is the file of the job (see train.py and speech_training.py). The process reports
# its progress as lines of JSON on standard output; TensorFlow's output goes to standard error.

import json
import os
import sys

from . import clip_training
from .streaming import convert, streaming
from .training import train

# These must be set before TensorFlow is imported. oneDNN orders float sums differently on each
# CPU.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"


# The .tflite of a wake word.
def _wake_word(job, report):
    model, shape, examples = train(job, report)
    samples = examples.calibration(job["seed"])
    return convert(streaming(model, shape), samples, job["saved_model"])


# The .tflite of a recognizer of words or of a voice detector.
def _speech(job, report):
    model, examples = clip_training.train(job, report)
    return clip_training.convert(model, examples, job["seed"], job["saved_model"])


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def report(**fields):
        print(json.dumps(fields), file=replies, flush=True)

    with open(sys.argv[1]) as file:
        job = json.load(file)
    data = (_speech if "task" in job else _wake_word)(job, report)
    with open(job["output"] + ".part", "wb") as file:
        file.write(data)
    os.replace(job["output"] + ".part", job["output"])


if __name__ == "__main__":
    main()
