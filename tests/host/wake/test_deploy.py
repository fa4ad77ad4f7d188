# Tests of `tflm deploy` for wake words and for models with features of a Learner
# MIT license; Copyright (c) 2026 the tflm authors

import json
import shutil

import pytest
from support.standin import Board
from tflm_tools.board.deploy import deploy
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError, ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.wake.deploy import deploy_word

_WAKE_HEAP = """
import gc
gc.collect()
before = gc.mem_alloc()
import tflm.wake
gc.collect()
print(gc.mem_alloc() - before)
"""


@pytest.fixture
def manifest(tmp_path, repository):
    for name in ("hey_pico.json", "hey_pico.tflite"):
        shutil.copy(repository / "models" / "hey_pico" / name, tmp_path)
    return tmp_path / "hey_pico.json"


# The lines that deploy prints load the word; then a second of sound contains no word.
def test_deploy_of_a_wake_word(tmp_path, manifest, tflm):
    with Board(tmp_path / "board") as board:
        done = deploy_word(manifest, board.port)
        names = {path.name for path in (tmp_path / "board").iterdir()}
        assert names == {"lib", "hey_pico.json", "hey_pico.tflm", "micro_frontend.tflm"}
        assert not done.unchanged and done.place == "files"
        with Link(board.port) as link:
            assert int(link.exec(_WAKE_HEAP)) <= 15 * 1024
            link.reset()
            link.exec("\n".join(done.use))
            heard = link.exec(
                "hop = bytearray(listener.hop_bytes)\n"
                "print([listener.hear(hop) for _ in range(100)] == [None] * 100)"
            )
            assert heard == "True\r\n"
        again = tflm("deploy", manifest, board.port, "--json").json()
        assert again["unchanged"] and again["sent"] == 0
        assert again["ms"] is None and again["hints"] == []
        printed = tflm("deploy", manifest, board.port).out
        assert "hey_pico on" in printed and "word = wake.load(" in printed
        assert "leave out --to" in tflm("deploy", manifest, board.port, "--name", "x").err
        assert "name one port" in tflm("deploy", manifest, board.port, board.port).err


def test_deploy_of_a_wake_word_to_firmware_with_tflm(tmp_path, manifest, repository):
    with Board(tmp_path / "board", library=repository / "modules") as board:
        done = deploy_word(manifest, board.port)
        assert "of the firmware" in done.runtime and done.sent > done.flat_bytes
        assert not list((tmp_path / "board" / "lib").iterdir())


def test_wake_word_does_not_fit(tmp_path, manifest):
    with (
        Board(tmp_path / "board", heap="150k") as board,
        pytest.raises(DeviceError, match="bytes of heap") as caught,
    ):
        deploy_word(manifest, board.port)
    assert caught.value.kind == "heap"
    assert not list((tmp_path / "board").glob("*.*"))


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "is not a manifest of a wake word; name"),
        ("[1]", "is not a manifest of a wake word; name"),
        (json.dumps({"model": "none.tflite"}), "which is not in the same folder; copy it"),
    ],
)
def test_manifest_is_not_valid(tmp_path, text, words):
    path = tmp_path / "word.json"
    path.write_text(text)
    with pytest.raises(ToolError, match=words):
        deploy_word(path, "/dev/null")


# A model with features brings tflm.learner; any other model does not.
def test_deploy_of_features_brings_the_learner(tmp_path, repository):
    data = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    path = tmp_path / "features.tflm"
    path.write_bytes(flatten(data, features=("last",)))
    with Board(tmp_path / "board") as board:
        done = deploy(path, board.port)
        with Link(board.port) as link:
            link.exec("\n".join(done.use))
            taught = link.exec(
                "from tflm.learner import Learner\n"
                "learner = Learner(interpreter)\n"
                "for label, value in (('paper', 0), ('ink', 16)):\n"
                "    learner.add(label, [[[[value]] * 8] * 8])\n"
                "print(learner.predict([[[[15]] * 8] * 8]))"
            )
            assert taught == "ink\r\n"
    path.write_bytes(flatten(data))
    with Board(tmp_path / "other") as board:
        done = deploy(path, board.port)
        with Link(board.port) as link, pytest.raises(DeviceError, match="learner"):
            link.exec("from tflm.learner import Learner")
