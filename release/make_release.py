# release: builds all files of a version into dist/release; `make -C release` runs this
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_BOARDS = ("RPI_PICO", "RPI_PICO2")
_APPS = ("", "digits")
_SUMS = "SHA256SUMS"
_NOTES = """\
# tflm {version}

| Path | Content |
|---|---|
| `micropython_tflm-{version}-py3-none-any.whl`, `.tar.gz` | the command `tflm` for computers; `pip install` it with `[board]` after its name to connect boards |
| `firmware/` | MicroPython with tflm for a Pico and a Pico 2: hold BOOTSEL while you plug it in, and copy the .uf2 to the drive that appears; the files with `-digits` recognize handwritten digits |
| `mip/` | packages for other firmware: `mpremote mip install mip/armv6m_6.3/cnn.json`; see docs/how-to/deploy.md for the right one |
| `page/` | a Pico in a web page, for any web space |
| `{sums}` | `sha256sum -c {sums}` |

Made from commit {commit}.

## What is new

{changes}
"""  # noqa: E501


def _git(*words):
    answer = subprocess.run(["git", *words], cwd=_ROOT, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


# Return the changes of a version in CHANGELOG.md.
def _changes(version):
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)",
        (_ROOT / "CHANGELOG.md").read_text(),
        re.M | re.S,
    )
    # Replace links by their texts: the folder does not have these pages.
    return re.sub(r"\[([^\]]+)\]\(docs/[^)]+\)", r"\1", found[1].strip())


def _sums(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _SUMS)
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in paths
    )


# Build a release. Firmware and page are imported late, after SOURCE_DATE_EPOCH is set.
def _make(output, moment):
    import build
    import host_packages
    import make_page
    from tflm.version import __version__
    from tflm_tools.packages import dist

    shutil.rmtree(output, ignore_errors=True)
    (output / "firmware").mkdir(parents=True)
    host_packages.make(_ROOT, output, moment)
    for board in _BOARDS:
        for app in _APPS:
            built = build.build(board, app)
            shutil.copyfile(built.image, output / "firmware" / f"{built.folder.name}.uf2")
    dist.make_dist(output / "mip", report=lambda text: None)
    shutil.copytree(make_page.main(), output / "page")
    notes = _NOTES.format(
        version=__version__,
        commit=_git("rev-parse", "HEAD"),
        changes=_changes(__version__),
        sums=_SUMS,
    )
    (output / "NOTES.md").write_text(notes)
    (output / _SUMS).write_text(_sums(output))


# Return the sorted names of the files that differ between two folders, by their checksums.
def _differences(one, other):
    lines = [set((folder / _SUMS).read_text().splitlines()) for folder in (one, other)]
    return sorted({line.split("  ", 1)[1] for line in lines[0] ^ lines[1]})


def main():
    """Build dist/release; with --check, build it again from nothing and compare."""
    from build_folders import BUILD, FIRMWARE
    from tflm_tools.errors import ToolError

    parser = argparse.ArgumentParser(prog="release")
    parser.add_argument("--check", action="store_true", help="compare with a second build")
    check = parser.parse_args().check
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = str(moment)
    if _git("status", "--porcelain"):
        print("release: there are uncommitted changes; do not publish this build")
    output = _ROOT / "dist" / "release"
    if not check:
        _make(output, moment)
        print(output)
        return
    if not (output / _SUMS).exists():
        raise ToolError("there is no release to compare with; run `make -C release`")
    for board in _BOARDS:
        for folder in FIRMWARE.glob(f"{board}*"):
            shutil.rmtree(folder)
    again = BUILD / "release"
    _make(again, moment)
    different = _differences(output, again)
    if different:
        raise ToolError(f"{', '.join(different)} differ in the second build; see {again}")
    print("the second build is identical")


if __name__ == "__main__":
    from tflm.errors import TflmError

    try:
        main()
    except TflmError as error:
        sys.exit(f"release: {error}")
