# page: builds the static files of dist/page; `make -C page` runs this
# MIT license; Copyright (c) 2026 the tflm authors

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
import zlib
from pathlib import Path

import build
import emulators
import mpremote
import ready_made_zip
import rich
import tflm
import tflm_tools
import toolchain
from build_folders import APPS, BUILD, EMULATOR, ROOT
from debian import say
from pico_image import TARGET, image
from tflm.errors import TflmError
from tflm.version import __version__
from tflm_tools import files
from tflm_tools.apps.rom_contents import flat
from tflm_tools.board import profiles
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import mpy_compiler, runtime_files
from tflm_tools.render.report_style import page_style

_SOURCES = ROOT / "page"
_WORK = BUILD / "page"
_OUTPUT = ROOT / "dist" / "page"
_ENTRIES = ("main", "emulator_worker", "python_worker", "microphone_worklet", "offline")
# Packages that the bundles include.
_PACKAGES = ("@xterm/xterm", "@xterm/addon-fit", "rp2040js")

_MAX_FIRST_BYTES = 5_000_000  # files that are loaded before the board's first answer
_MAX_BYTES = 25_000_000
_LATER = (
    "pico.uf2",
    "pyodide/",
    "tools.zip",
    "compiled.zip",
    "models/",
    "words.wav",
)  # files that are loaded only on request

# Models and other files of the board's /rom: {name: path in the repository}.
_MODELS = {
    "digits.tflm": "models/digits/digits_int8.tflite",
    "hello_world.tflm": "models/hello_world/hello_world_int8.tflite",
    "keywords/model.tflm": "models/keywords/keywords_int8.tflite",
    "keywords/frontend.tflm": "models/audio_frontend/audio_frontend_int8.tflite",
    "story/model.tflm": "models/story/story_int8.tflite",
}
# Networks whose features page/rom/teach.py learns.
_TAUGHT = {
    "teach.tflm": "models/digits/digits_int8.tflite",
    "teach_sound.tflm": "models/keywords/keywords_int8.tflite",
    "teach_motion.tflm": "models/gestures/gestures_int8.tflite",
}
_FILES = {
    "images": "firmware/apps/digits/rom/images",
    "listener.py": "firmware/apps/keywords/listener.py",
    "recognizer.py": "firmware/apps/keywords/recognizer.py",
    "draw.py": "page/rom/draw.py",
    "listen.py": "page/rom/listen.py",
    "run_model.py": "page/rom/run_model.py",
    "story/__init__.py": "page/rom/story/__init__.py",
    "teach.py": "page/rom/teach.py",
}
# Models that the page offers.
_OFFERED = (
    "models/digits/digits_int8.tflite",
    "models/hello_world/hello_world_float.tflite",
    "models/keywords/keywords_int8.tflite",
)
_PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
_OTHER_LICENCES = """\
pyodide/

Pyodide is under the MPL-2.0 (https://www.mozilla.org/MPL/2.0/), and unchanged here as npm has it;
CPython in it is under the PSF licence.

tools.zip

tflm (MIT), rich (MIT), mpremote (MIT)

pico.uf2, bootrom.bin

The firmware has MicroPython (MIT), pico-sdk (BSD-3), TinyUSB (MIT) and mbedTLS (Apache-2.0) in it;
the boot ROM of the RP2040 is Raspberry Pi's (BSD-3).
"""
_DATE = (2026, 1, 1, 0, 0, 0)  # fixed date of the files in tools.zip: the zip is reproducible
_PIXELS = 64  # of one digit
_DIGITS = 10


def install():
    """Install the npm packages of package-lock.json and of the emulator."""
    emulators.prepare_pico()
    files.make_folder(_WORK)
    lock = _SOURCES / "package-lock.json"
    stamp = _WORK / "installed"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_SOURCES / name, _WORK / name)
    say("fetching the page's packages with npm")
    command = [toolchain.have("npm"), "ci", "--no-audit", "--no-fund", "--silent"]
    _run([*command, "--ignore-scripts"], "npm could not install the page's packages")
    shutil.copyfile(lock, stamp)


def _run(command, failure):
    answer = subprocess.run(
        [str(word) for word in command], cwd=_WORK, env=toolchain.environment(),
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if answer.returncode:
        sys.stderr.write(answer.stdout + answer.stderr)
        raise ToolError(f"{failure}; see the lines above")


# tsc and esbuild find packages beside the sources, so the sources go to the folder of npm.
def bundle(folder):
    """Check types, then write the page's scripts into a folder. Raises ToolError."""
    shutil.rmtree(_WORK / "src", ignore_errors=True)
    shutil.copytree(_SOURCES / "src", _WORK / "src")
    shutil.copyfile(_SOURCES / "tsconfig.json", _WORK / "tsconfig.json")
    node = toolchain.have("node")
    _run([node, "node_modules/typescript/bin/tsc"], "the page's types are wrong")
    command = [node, "node_modules/esbuild/bin/esbuild", f"--alias:emulator={EMULATOR}"]
    command += ["--bundle", "--format=esm", "--minify", "--target=es2022", "--legal-comments=none"]
    command += [f"--outdir={folder}", "--log-level=warning"]
    _run([*command, *(f"src/{name}.js" for name in _ENTRIES)], "the page cannot be bundled")


# Return the firmware of `make firmware` (bytes), and {path: bytes} of /rom.
def _board():
    contents = {name: flat(ROOT / path, TARGET) for name, path in _MODELS.items()}
    # Not packed for a Pico: the visitor can send the taught network to any board.
    for name, path in _TAUGHT.items():
        contents[name] = flatten(files.read(ROOT / path), features=("last",))
    contents.update({name: files.read(ROOT / path) for name, path in _FILES.items()})
    compiled = mpy_compiler.compile_runtime_files(runtime_files.text(), TARGET)
    contents.update(
        {f"story/{name.removeprefix('tflm/')}": data for name, data in compiled.items()}
    )
    return files.read(build.build("RPI_PICO").bin), contents


# Return {path: bytes} of the host's tools with their data files, their dependencies, the firmware
# and /rom.
def _tools(firmware, rom):
    found = {}
    for package in (tflm, tflm_tools, rich, mpremote):
        folder = Path(package.__file__).parent
        for path in sorted(folder.rglob("*.py")):
            found[str(path.relative_to(folder.parent))] = files.read(path)
    project = tomllib.loads(files.read(ROOT / "pyproject.toml").decode())
    for package, patterns in project["tool"]["setuptools"]["package-data"].items():
        if package.startswith("tflm_tools."):
            folder = ROOT / "tools" / package.replace(".", "/")
            for path in sorted(path for pattern in patterns for path in folder.glob(pattern)):
                found[str(path.relative_to(ROOT / "tools"))] = files.read(path)
    for path in sorted((_SOURCES / "python").glob("*.py")):
        found[path.name] = files.read(path)
    found["data/firmware.bin"] = firmware
    found.update({f"data/rom/{name}": content for name, content in rom.items()})
    return found


# Return a reproducible zip (bytes) of {name: bytes}.
def _zip(contents):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def programs():
    """Return the programs of page/programs.md: dicts of title, about (a sentence) and code."""
    text = files.read(_SOURCES / "programs.md").decode()
    pattern = r"^## (.+?)\n\n(.+?)\n\n```python\n(.+?)^```$"
    return [
        {"title": title, "about": about, "code": code}
        for title, about, code in re.findall(pattern, text, re.M | re.S)
    ]


# Return the profiles of real boards, with the boards of the rp2 port first.
def _boards():
    real = [profile for profile in profiles.load_all() if profile.qemu is None]
    return sorted(real, key=lambda profile: profile.port != "rp2")


# Return the content of about.json (About in src/messages.d.ts).
def _about():
    digits = files.read(APPS / "digits" / "rom" / "images")
    samples = [list(digits[i * _PIXELS : (i + 1) * _PIXELS]) for i in range(_DIGITS)]
    models = [Path(path).name for path in _OFFERED]
    boards = [{"id": p.id, "name": p.name} for p in _boards()]
    return {
        "version": __version__,
        "samples": samples,
        "programs": programs(),
        "models": models,
        "boards": boards,
    }


# Return the licences of all parts of the page in their original words.
def _licences():
    texts = [f"tflm\n\n{(ROOT / 'LICENSE').read_text()}"]
    for name in _PACKAGES:
        folder = (EMULATOR if name == "rp2040js" else _WORK) / "node_modules" / name
        text = next(iter(sorted(folder.glob("LICEN[CS]E*")))).read_text()
        version = json.loads((folder / "package.json").read_text())["version"]
        texts.append(f"{name} {version}\n\n{text}")
    texts.append(_OTHER_LICENCES)
    return ("\n" + "-" * 78 + "\n\n").join(texts)


# Return index.html with the hash of the reports' style, the only inline style that it permits.
def _index():
    digest = base64.b64encode(hashlib.sha256(page_style().encode()).digest()).decode()
    page = files.read(_SOURCES / "index.html")
    return page.replace(b"sha256-REPORT", f"sha256-{digest}".encode())


# Print the size of the page; raise ToolError if it exceeds a limit.
def _check_sizes():
    sizes = {
        str(path.relative_to(_OUTPUT)): path.stat().st_size
        for path in _OUTPUT.rglob("*")
        if path.is_file()
    }
    first = sum(size for name, size in sizes.items() if not name.startswith(_LATER))
    for what, size, limit in (
        ("before the first answer", first, _MAX_FIRST_BYTES),
        ("in all", sum(sizes.values()), _MAX_BYTES),
    ):
        print(f"{what}: {size:,} of {limit:,} bytes")
        if size > limit:
            raise ToolError(f"the page has {size} bytes {what}, more than {limit}; see dist/page")


def main():
    """Build dist/page; return its path."""
    install()
    shutil.rmtree(_OUTPUT, ignore_errors=True)
    files.make_folder(_OUTPUT)
    bundle(_OUTPUT)
    files.write(_OUTPUT / "index.html", _index())
    shutil.copyfile(_SOURCES / "style.css", _OUTPUT / "style.css")
    shutil.copyfile(_WORK / "node_modules/@xterm/xterm/css/xterm.css", _OUTPUT / "xterm.css")
    shutil.copyfile(EMULATOR / "bootrom.bin", _OUTPUT / "bootrom.bin")
    shutil.copyfile(ROOT / "models/keywords/words.wav", _OUTPUT / "words.wav")
    firmware, rom = _board()
    board = image(firmware, rom)
    files.write(_OUTPUT / "pico.uf2", board)
    files.write(_OUTPUT / "pico.zlib", zlib.compress(board, 9))
    files.write(_OUTPUT / "tools.zip", _zip(_tools(firmware, rom)))
    files.write(_OUTPUT / "compiled.zip", _zip(ready_made_zip.contents()))
    for path in _OFFERED:
        files.make_folder(_OUTPUT / "models")
        shutil.copyfile(ROOT / path, _OUTPUT / "models" / Path(path).name)
    files.make_folder(_OUTPUT / "pyodide")
    for name in _PYODIDE:
        shutil.copyfile(_WORK / "node_modules" / "pyodide" / name, _OUTPUT / "pyodide" / name)
    files.write(_OUTPUT / "about.json", json.dumps(_about()).encode())
    files.write(_OUTPUT / "licences.txt", _licences().encode())
    _check_sizes()
    return _OUTPUT


if __name__ == "__main__":
    try:
        print(main())
    except TflmError as error:
        sys.exit(f"page: {error}")
