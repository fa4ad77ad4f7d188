# tflm: example: suppresses noise in a file of raw sound: denoise.py JOB REPORT
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import tflm
from sound_source import FullReads
from tflm.speech import Denoiser


# Return the report of a job: the files "model", "sound" and "output".
def _denoise(job):
    with open(job["sound"], "rb") as sound, open(job["output"], "wb") as output:
        denoiser = Denoiser(tflm.load(job["model"]), FullReads(sound))
        samples = bytearray(8192)
        view = memoryview(samples)
        count = len(samples)
        while count == len(samples):
            count = denoiser.readinto(samples)
            output.write(view[:count])
    return {}


with open(sys.argv[1]) as file:
    job = json.load(file)
try:
    report = _denoise(job)
except (tflm.TflmError, OSError) as error:
    report = {"error": str(error), "kind": type(error).__name__}
with open(sys.argv[2], "w") as file:
    json.dump(report, file)
