# tflm: example: trains a Learner on examples of a file, predicts others and saves the model
# MIT license; Copyright (c) 2026 the tflm authors

import report
import tflm
from tflm.learn import store
from tflm.learner import Learner


# The job:
#   model      path of a .tflm
#   inputs     path of a file with the inputs of all examples: first the ones to learn
#   numbers    class number of each example to learn
#   labels     names of the classes
#   count      number of the other examples, which are predicted
#   method, k  options of Learner
#   examples   path to which the learned examples are written
#   output     path to which the .tflm with the trained classifier is written
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
        predicted, unusual = [], 0
        for _ in range(job["count"]):
            inputs.readinto(raw)
            interp.reset()
            interp.invoke()
            predicted.append(labels.index(learner.predict()))
            if len(labels) == 1:
                unusual += learner.is_unusual()
    learner.save_model(job["output"])
    threshold = learner.threshold if len(labels) == 1 else None
    return {
        "predicted": predicted,
        "features": len(features),
        "threshold": threshold,
        "unusual": unusual,
        "arena": interp.arena_used_bytes(),
    }


report.serve(main)
