# Tests of tflm.learner: beside scikit-learn on the same features; examples that outlast power cuts
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from unit.on_device import device

PRELUDE = """
    from tflm.learner import Learner

    interp = tflm.Interpreter(MODEL, keep_tensors=True)
    inputs = open(INPUTS, "rb").read()

    def see(i):
        interp.input(0).raw[:] = inputs[64 * i : 64 * i + 64]
        interp.invoke()
"""
LAYER = 21  # 128 features, before the last layer


@pytest.fixture(scope="module")
def digits(repository, tmp_path_factory):
    """Five examples of four digits, mixed, then all others that are held out."""
    data = np.load(repository / "models" / "digits" / "digits_test.npz")
    x, y = data["x"].reshape(-1, 64), data["y"]
    random = np.random.default_rng(0)
    classes = random.permutation(10)[:4]
    taken = [random.permutation(np.flatnonzero(y == c))[:5] for c in classes]
    taught = random.permutation(np.concatenate(taken))
    rest = np.setdiff1d(np.flatnonzero(np.isin(y, classes)), taught)
    order = np.concatenate([taught, rest])
    path = tmp_path_factory.mktemp("learner") / "inputs"
    quantized = np.round(x[order].astype(float) / 0.062745101749897) - 128
    path.write_bytes(np.clip(quantized, -128, 127).astype(np.int8).tobytes())
    names = {
        "MODEL": str(repository / "models" / "digits" / "digits_int8.tflite"),
        "INPUTS": str(path),
        "LABELS": y[order].tolist(),
        "FOLDER": str(path.parent),
    }
    return names, y[order]


def test_beside_scikit_learn(digits):
    from sklearn.linear_model import SGDClassifier
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    names, y = digits
    lines = device(
        PRELUDE
        + """
    learners = [Learner(interp, LAYER, method=method, classes=4, examples=20)
                for method in ("prototypes", "neighbours", "sgd")]
    for i, label in enumerate(LABELS):
        see(i)
        if i < 20:
            for learner in learners:
                learner.add(label)
        else:
            found = [0, 0, 0, 0]
            micropython.heap_lock()
            for k in range(3):
                found[k] = learners[k].predict()
            found[3] = learners[0].distance()
            micropython.heap_unlock()
            print(*found)
        print("features", interp.tensors()[LAYER].raw[:].hex())
    """,
        LAYER=LAYER,
        **names,
    )
    rows = [bytes.fromhex(line.split()[1]) for line in lines if line.startswith("features")]
    features = np.array([np.frombuffer(row, np.int8) for row in rows], float)
    found = np.array([line.split() for line in lines if line[0] != "f"], int)
    taught, held_out, wanted = features[:20], features[20:], y[20:]

    def points(predicted):
        return 100 * np.mean(predicted == wanted)

    means = NearestCentroid().fit(taught, y[:20]).predict(held_out)
    assert (found[:, 0] == means).all()
    near = KNeighborsClassifier(3).fit(taught, y[:20])
    assert points(found[:, 1]) >= points(near.predict(held_out)) - 1
    centre = taught.mean(0)
    layer = (
        SGDClassifier(random_state=0, max_iter=5000)
        .fit(taught - centre, y[:20])
        .predict(held_out - centre)
    )
    assert points(found[:, 2]) >= points(layer) - 1
    assert (found[:, 3] == np.round(near.kneighbors(held_out, 1)[0][:, 0] ** 2)).all()


def test_examples_that_stay(digits):
    names, _ = digits
    device(
        PRELUDE
        + """
    import os

    path = FOLDER + "/examples"
    learner = Learner(interp, LAYER, examples=6, classes=3)
    assert "add() some" in raises(InputError, learner.predict)
    raises(OSError, learner.load, path)
    for i in range(4):
        see(i)
        learner.add("even" if i % 2 == 0 else 1)
    assert learner.labels == ["even", 1] and len(learner) == 4
    assert learner.threshold > 0 and not learner.is_unusual()
    learner.save(path)
    answers = []
    for i in range(20):
        see(i)
        answers.append((learner.predict(), learner.distance()))

    def is_as_saved():
        other = Learner(interp, LAYER, examples=6, classes=3)
        other.load(path)
        for i in range(20):
            see(i)
            if (other.predict(), other.distance()) != answers[i]:
                return False
        return other.labels == ["even", 1] and len(other) == 4

    assert is_as_saved()
    # The power goes while the new file is written, then before the old one has gone, then after.
    whole = open(path, "rb").read()
    learner.add("more")
    learner.save(path)
    newer = open(path, "rb").read()
    assert len(newer) > len(whole)
    for data in (b"", newer[:7], newer[:-1], newer):
        with open(path, "wb") as file:
            file.write(whole)
        with open(path + ".new", "wb") as file:
            file.write(data)
        assert is_as_saved()
    os.remove(path)
    learner.load(path)  # the new one, by its other name
    assert learner.labels == ["even", 1, "more"] and len(learner) == 5
    learner.save(path)
    assert open(path, "rb").read() == newer
    for data in (b"", whole[:20], whole[:-1], whole[:30] + b"x" + whole[31:]):
        with open(path, "wb") as file:
            file.write(data)
        assert "save() them again" in raises(ModelError, learner.load, path)
    # Labels that save() never wrote, with the CRC they have to have.
    import binascii, struct

    names = struct.unpack_from("<I", whole, 8)[0]
    for text in (b"5", b"{}", b"null", b'["even", 2.5]', b"[[], 1]", b'["even"]', b"[", b"\xff"):
        data = whole[:8] + struct.pack("<I", len(text)) + whole[12:16] + text
        data += whole[16 + names : -4]
        with open(path, "wb") as file:
            file.write(data + struct.pack("<I", binascii.crc32(data)))
        assert "classes that it lacks" in raises(ModelError, learner.load, path)
    with open(path, "wb") as file:
        file.write(whole)

    learner.forget(1)
    assert learner.labels == ["even", "more"] and len(learner) == 3
    see(0)
    assert learner.predict() == "even"
    raises(InputError, learner.forget, 1)
    for label in ("more", "even", "more"):
        learner.add(label)
    assert "forget() a class" in raises(InputError, learner.add, "even")
    small = Learner(interp, LAYER, examples=3)
    assert "larger" in raises(InputError, small.load, path)
    few = Learner(interp, LAYER, classes=1)
    few.add(0)
    assert "1 classes" in raises(InputError, few.add, 1)
    other = Learner(interp)  # output 0
    assert "10" in raises(InputError, other.load, path)
    raises(InputError, lambda: Learner(interp, 999))
    raises(InputError, lambda: Learner(interp, LAYER, method="trees"))
    raises(InputError, few.add, None)
    learner.load(path)
    assert is_as_saved() and learner.predict([[[[0.5]] * 8] * 8]) in learner.labels
    """,
        LAYER=LAYER,
        **names,
    )
