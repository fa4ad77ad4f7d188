# release: builds a reproducible wheel and sdist of the host tools
# MIT license; Copyright (c) 2026 the tflm authors

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tflm_tools import files
from tflm_tools.errors import ToolError

_BUILT_BY = "setuptools==84.2.1\n"  # the wheel records its name


# Copy the files that git tracks to a separate folder: building leaves files beside the sources.
def _copy_sources(repository, folder):
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repository / name, target)


def settled(data, moment):
    """Return a .tar.gz (bytes) with sorted entries, this time (seconds) and no owner."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, \
            tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:  # fmt: skip
        for entry in sorted(old.getmembers(), key=lambda entry: entry.name):
            entry.mtime, entry.mode = moment, 0o755 if entry.isdir() else 0o644
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.pax_headers = {}
            new.addfile(entry, old.extractfile(entry) if entry.isfile() else None)
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=moment) as file:
        file.write(plain.getvalue())
    return packed.getvalue()


def make(repository, output, moment):
    """Write the sdist, and the wheel that is made from it, to a folder.

    moment: time of the files, in seconds. Raises ToolError if that fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        sources, built = Path(folder) / "sources", Path(folder) / "built"
        _copy_sources(repository, sources)
        pinned = Path(folder) / "constraints.txt"
        pinned.write_text(_BUILT_BY)
        values = dict(os.environ, PIP_CONSTRAINT=str(pinned), SOURCE_DATE_EPOCH=str(moment))
        values.pop("PYTHONPATH", None)  # firmware/build.py is another build
        answer = subprocess.run(
            [sys.executable, "-m", "build", "--outdir", str(built), str(sources)],
            env=values, cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        if answer.returncode:
            sys.stderr.write(answer.stdout + answer.stderr)
            raise ToolError("the wheel was not built; see the lines above")
        for path in sorted(built.iterdir()):
            data = files.read(path)
            files.write(
                output / path.name, data if path.suffix == ".whl" else settled(data, moment)
            )
