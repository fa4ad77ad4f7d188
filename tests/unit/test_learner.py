# Tests of tflm.learner: results compared with scikit-learn, and files that survive power cuts
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from kernels.test_control_flow import quantized
from kernels.test_resource_variables import accumulator
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import flatten
from unit.on_device import device, model_files

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
    """Five examples of each of four digits, mixed, then all other held-out examples."""
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


def test_scikit_learn_predicts_the_same(digits):
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


def test_saved_examples(digits):
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
    # Power cuts: during the write of the new file, before the old one is removed, after that.
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
    learner.load(path)  # the new file, under its other name
    assert learner.labels == ["even", 1, "more"] and len(learner) == 5
    learner.save(path)
    assert open(path, "rb").read() == newer
    for data in (b"", whole[:20], whole[:-1], whole[:30] + b"x" + whole[31:]):
        with open(path, "wb") as file:
            file.write(data)
        assert "save() them again" in raises(ModelError, learner.load, path)
    # Labels that save() never writes, with a matching CRC.
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


# Two saves in turn, each interrupted at any write to the flash: load() finds the examples (or the
# model) of the first, second or third save. The third counts only if it was begun.
@pytest.mark.parametrize("what", ["examples", "model"])
@pytest.mark.parametrize("kind", ["VfsFat", "VfsLfs2"])
def test_power_cuts_in_two_saves(kind, what):
    inputs = [Tensor((number,), "float32") for number in range(1, 4)]
    lines = device(
        """
    import vfs
    from tflm.learn import store

    BLOCK = 512

    class Cut(Exception):
        pass

    # A block device that stops before write number `left`.
    class Flash:
        def __init__(self, data, left):
            self.data, self.left = data, left

        def _write(self, at, data):
            if not self.left:
                raise Cut
            self.left -= 1
            self.data[at : at + len(data)] = data

        def readblocks(self, block, target, offset=0):
            at = block * BLOCK + offset
            target[:] = self.data[at : at + len(target)]

        def writeblocks(self, block, source, offset=0):
            for at in range(0, len(source), BLOCK):
                self._write(block * BLOCK + offset + at, source[at : at + BLOCK])

        def ioctl(self, command, block):
            if command == 4:
                return len(self.data) // BLOCK
            if command == 5:
                return BLOCK
            if command == 6:
                self._write(block * BLOCK, bytes([255]) * BLOCK)
                return 0

    # Call a function with a file system; return (its result or None, writes to the flash).
    def mounted(data, left, function, number=0):
        flash = Flash(data, left)
        result = None
        try:
            vfs.mount(getattr(vfs, KIND)(flash), "/flash")
            try:
                result = function(number)
            finally:
                flash.left += 1000
                vfs.umount("/flash")
                flash.left -= 1000
        except (Cut, OSError):
            pass
        return result, left - flash.left

    def save(number):
        if WHAT == "model":
            store.write("/flash/model", [MODELS[number - 1]])  # as save_model() does
        else:
            store.save("/flash/examples", [number], bytes([number]) * 600, bytes(60), 10)

    def load(_):
        if WHAT == "model":
            return tflm.Interpreter("/flash/model").input(0).shape[0]
        labels, rows, _ = store.load("/flash/examples", 10)
        assert rows == bytes(labels) * 600
        return labels[0]

    base = bytearray(BLOCK * (128 if KIND == "VfsFat" else 64))
    getattr(vfs, KIND).mkfs(Flash(base, 1000))
    mounted(base, 1000, save, 1)
    pairs = 0
    for first in range(mounted(bytearray(base), 1000, save, 2)[1] + 1):
        once = bytearray(base)
        mounted(once, first, save, 2)
        found, _ = mounted(bytearray(once), 1000, load)
        assert found in (1, 2), (first, found)
        for second in range(mounted(bytearray(once), 1000, save, 3)[1] + 1):
            twice = bytearray(once)
            mounted(twice, second, save, 3)
            last, _ = mounted(bytearray(twice), 1000, load)
            assert last in (found, 3), (first, second, found, last)
            pairs += 1
    print(pairs)
    """,
        KIND=kind,
        WHAT=what,
        MODELS=[flatten(single_op("NEG", [x], [Tensor(x.shape, "float32")])) for x in inputs],
    )
    assert int(lines[-1]) > 50


# Ctrl-C or too little heap while a head learns: the change is complete, and the next use learns.
@pytest.mark.parametrize("method", ["prototypes", "neighbours", "sgd"])
def test_interrupted_changes(digits, method):
    names, _ = digits
    device(
        PRELUDE
        + """
    def new(count):
        learner = Learner(interp, LAYER, method=METHOD, classes=5, examples=20)
        for i in range(count):
            see(i)
            learner.add(LABELS[i])
        return learner

    def answers(learner):
        found = []
        for i in range(40):
            see(i)
            found.append(learner.predict())
        return found, learner.labels, len(learner), learner.threshold

    # Call a method of a Learner; learning raises an exception.
    def interrupted(error, method, *arguments):
        def learn(*_):
            raise error

        head = type(learner._head)
        real, head.learn = head.learn, learn
        try:
            method(*arguments)
            assert False
        except error:
            pass
        head.learn = real

    for error in (KeyboardInterrupt, MemoryError):
        for number in (0, 9, 19):
            learner, wanted = new(number), new(number + 1)
            see(number)
            interrupted(error, learner.add, LABELS[number])
            assert answers(learner) == answers(wanted)
        for label in set(LABELS[:20]):
            learner, wanted = new(20), new(20)
            interrupted(error, learner.forget, label)
            wanted.forget(label)
            assert answers(learner) == answers(wanted)
            assert label not in answers(learner)[0]
        learner, wanted = new(20), new(7)
        wanted.save(FOLDER + "/interrupted")
        interrupted(error, learner.load, FOLDER + "/interrupted")
        assert answers(learner) == answers(wanted)
        # Features that cannot be copied: nothing has changed.
        learner, wanted = new(7), new(7)
        learner.features = None
        raises(NotImplementedError, learner.add, "new")
        learner.features = wanted.features
        assert answers(learner) == answers(wanted)
    """,
        LAYER=LAYER,
        METHOD=method,
        **names,
    )


# A .tflm with a head keeps the network's state, sub-graphs and outputs, also if two of them share
# an arena; its scores give the label that predict() returns.
@pytest.mark.parametrize("name", ["variables", "sub-graphs"])
def test_saved_models(name, tmp_path):
    network = quantized() if name == "sub-graphs" else accumulator((8,), "int8", scale=0.5)
    device(
        """
    path = FOLDER + "/taught.tflm"
    from tflm.learner import Learner

    def see(interp, i):
        last = interp.inputs_size() - 1
        interp.input(0).raw[0] = i & 1  # the condition of IF
        for k in range(8):
            interp.input(last).raw[k] = 37 * i + 11 * k + i * k & 255
        interp.invoke()

    for method in ("prototypes", "neighbours", "sgd"):
        interp = tflm.Interpreter(FLAT)
        learner = Learner(interp, method=method, classes=3, examples=9)
        assert "add() some" in raises(InputError, learner.save_model, path)
        for i in range(9):
            see(interp, i)
            learner.add("line" + chr(10) + str(i % 3))
        learner.save_model(path)
        model = tflm.load(path)
        assert model.labels() == ["line 0", "line 1", "line 2"]
        arena = tflm.Arena(1 << 14)
        both = [tflm.Interpreter(path), tflm.Interpreter(path, arena=arena),
                tflm.Interpreter(FLAT, arena=arena)]
        interp.reset()
        for i in range(12):
            see(interp, i)
            wanted = [bytes(interp.output(k).raw) for k in range(interp.outputs_size())]
            for other in both:
                see(other, i)
                has_head = other.outputs_size() > len(wanted)
                found = [bytes(other.output(k + has_head).raw) for k in range(len(wanted))]
                assert found == wanted
                if has_head:
                    scores = list(other.output(0).data)
                    assert learner.labels[scores.index(max(scores))] == learner.predict()
    """,
        FOLDER=str(tmp_path),
        **model_files(tmp_path, network.build()),
    )


def test_features_of_a_tflite(digits):
    names, _ = digits
    device(
        PRELUDE
        + """
    learner = Learner(interp, "reshape_1/Reshape")
    assert bytes(learner.features) == bytes(interp.tensors()[LAYER].raw)
    assert "21 reshape_1/Reshape" in raises(InputError, Learner, interp, "nothing")
    see(0)
    learner.add(1)
    assert "tflm flatten MODEL --feature last" in raises(InputError, learner.save_model, "x")
    """,
        LAYER=LAYER,
        **names,
    )
