# Fetches the models of our tables from their projects, for `make -C bench models`
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The repositories, and the SHA-256 of each model: projects rename files, but not their content.
REPOSITORIES = {
    "https://github.com/mlcommons/tiny": {
        "mlperf_ad01_int8": "87cf24194ef93d1d9b11a591d805526b98008e351655d29883c825c9c106ba24",
        "mlperf_kws_int8": "aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae",
        "mlperf_resnet8_int8": "3c002613d1b2475eb51dd78dfb85a546c8ae658dee71cf6ade43b022fe205415",
        "mlperf_vww96_int8": "597a384c8c2c8a1276f04702f25013b7838f2f814f1ca7c174d295b73e3d6b7b",
    },
    "https://github.com/tensorflow/tflite-micro": {
        "person_detect_int8": "808cfdfc0cf3a6fa6f6fa26bfa379ea97c16d5db7334637766e39c3408502e9d",
    },
}


# Clone only the .tflite files of the newest commit.
def _clone(url, folder):
    options = ["--quiet", "--depth", "1", "--filter=blob:none", "--no-checkout"]
    subprocess.run(["git", "clone", *options, url, folder], check=True)
    git = ["git", "-C", folder]
    subprocess.run([*git, "sparse-checkout", "set", "--no-cone", "*.tflite"], check=True)
    subprocess.run([*git, "checkout", "--quiet"], check=True)


def fetch(repositories, folder):
    """Copy the models to a folder, with the names of our tables; return the names not found."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for url, wanted in repositories.items():
        with tempfile.TemporaryDirectory(prefix="tflm-models-") as clone:
            _clone(url, clone)
            found = {
                hashlib.sha256(path.read_bytes()).hexdigest(): path
                for path in Path(clone).rglob("*.tflite")
            }
            for name, digest in wanted.items():
                if digest in found:
                    shutil.copyfile(found[digest], folder / f"{name}.tflite")
                else:
                    missing.append(name)
    return missing


if __name__ == "__main__":
    lacking = fetch(REPOSITORIES, sys.argv[1])
    if lacking:
        sys.exit(f"not found in their repositories any more: {', '.join(lacking)}")
