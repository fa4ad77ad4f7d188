# tflm: an example: teaches a Learner examples of a file, asks it about others, and keeps the model
# MIT license; Copyright (c) 2026 the tflm authors

import report
import tflm
from tflm.learn import store
from tflm.learner import Learner


# The job: `model` (path of a .tflm), `inputs` (path: those of all examples, one after the other;
# first those to learn), `numbers` (the class of each of these), `labels`, `count` (of the others),
# `method`, `k`, `examples` and `output` (paths to write what was learnt, and the .tflm with it).
def main(job):
    interp = tflm.Interpreter(job["model"])
    interp.allocate_tensors()
    raw = interp.input(0).kept.raw
    numbers, labels = job["numbers"], job["labels"]
    learner = Learner(
        interp, method=job["method"], classes=len(labels), examples=len(numbers), k=job["k"]
    )
    features = learner.features
    rows = bytearray()
    with open(job["inputs"], "rb") as inputs:
        for _ in numbers:
            inputs.readinto(raw)
            interp.reset()
            interp.invoke()
            rows.extend(features)
        store.save(job["examples"], labels, rows, bytes(numbers), len(features))
        learner.load(job["examples"])
        found, unusual = [], 0
        for _ in range(job["count"]):
            inputs.readinto(raw)
            interp.reset()
            interp.invoke()
            found.append(labels.index(learner.predict()))
            if len(labels) == 1:
                unusual += learner.is_unusual()
    learner.save_model(job["output"])
    threshold = learner.threshold if len(labels) == 1 else None
    return {
        "found": found,
        "features": len(features),
        "threshold": threshold,
        "unusual": unusual,
        "arena": interp.arena_used_bytes(),
    }


report.serve(main)
