# Tests of the page without a browser: types, modules in node, the emulator's worker, index.html
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from by_unix_port import read_digits
from support.required import missing
from tflm_tools import files
from tflm_tools.errors import ToolError

pytestmark = pytest.mark.quick_page
_MODULES = Path(__file__).with_name("modules")


# Run node with arguments, which must succeed; return its output.
def _node(*arguments):
    import toolchain

    done = subprocess.run(
        [toolchain.have("node"), *map(str, arguments)], env=toolchain.environment(),
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Folder with the bundled scripts of the page; bundling checks their types."""
    import make_page

    try:
        make_page.install()
    except ToolError as error:
        missing(str(error))
    folder = tmp_path_factory.mktemp("bundles")
    make_page.bundle(folder)
    return folder


def test_modules(bundles):
    said = _node("--test", "--test-reporter=tap", *sorted(_MODULES.glob("*.test.mjs")))
    assert re.search(r"^# pass [1-9]", said, re.M)


# The emulator's worker runs the firmware: each digit of the test set equals the answer of the unix
# port, and the LED was on for each.
def test_board_reads(bundles, repository, tmp_path):
    import build
    from build_folders import EMULATOR
    from pico_image import TARGET, image
    from tflm_tools.apps.rom_contents import flat

    try:
        firmware = build.build("RPI_PICO", "digits")  # tests/boards builds the same firmware
    except ToolError as error:
        missing(str(error))
    digits = flat(repository / "models" / "digits" / "digits_int8.tflite", TARGET)
    samples = repository / "firmware" / "apps" / "digits" / "rom" / "images"
    contents = {
        "model.tflm": digits,  # the app's
        "digits.tflm": digits,
        "images": files.read(samples),
        "draw.py": files.read(repository / "page" / "rom" / "draw.py"),
    }
    files.write(tmp_path / "pico.uf2", image(files.read(firmware.bin), contents))
    said = json.loads(
        _node(
            _MODULES / "read_digits.mjs", bundles / "emulator_worker.js",
            EMULATOR / "bootrom.bin", tmp_path / "pico.uf2", samples,
        )
    )  # fmt: skip
    pictures = np.frombuffer(contents["images"], np.uint8).reshape(-1, 64)
    found = [
        (each["digit"], [int(100 * score + 0.5) for score in each["scores"]])
        for each in said["answers"]
    ]
    assert found == read_digits(repository, pictures)
    assert said["stopped"] == ["KeyboardInterrupt:"] * 3
    assert said["flashes"] >= len(pictures)
    assert all(3_000 < each["us"] < 8_000 for each in said["answers"][1:])


# Each id that a script uses is in index.html, once.
def test_ids(repository):
    page = (repository / "page" / "index.html").read_text()
    ids = re.findall(r'\bid="([\w-]+)"', page)
    assert len(ids) == len(set(ids))
    scripts = "".join(path.read_text() for path in (repository / "page" / "src").glob("*.js"))
    assert set(re.findall(r"element\('([\w-]+)'", scripts)) <= set(ids)


# The page has no inline scripts or styles, and loads nothing from other servers.
def test_policy(repository):
    page = (repository / "page" / "index.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy and "'unsafe-eval'" not in policy
    assert not re.search(r'<style|<script>|\sstyle="|\son\w+="', page)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)


# The page has no command line: messages name its controls, or leave the advice out.
@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("x is full; delete the old model first with --replace, or use: --to files",
         'x is full; tick "Delete the old model first if space is short", or choose "files" at '
         '"Where to put it"'),
        ("x is old; install a newer firmware with: tflm flash",
         "x is old; install a newer firmware"),
        ("x is large; use --flash-budget, or use another", "x is large; use another"),
        ("m.zip has 2 models (a, b); name one, like m.zip#a",
         "m.zip has 2 models (a, b); unpack it, and drop one of them"),
        ("a.keras is a trained model that is not converted yet; convert it: tflm convert a.keras "
         "--data DATA.npz -o model.tflite",
         "a.keras is a trained model that is not converted yet; convert it to a .tflite on a "
         "computer, then drop that"),
        ("the model is damaged: x; get it again", "the model is damaged: x; get it again"),
    ],
)  # fmt: skip
def test_plain_words(message, shown):
    from plain_words import plain

    assert plain(message) == shown
