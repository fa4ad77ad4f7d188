#!/usr/bin/env bash
# `pip install .` in a fresh environment, and what the command does there, away from the checkout.
# MIT license; Copyright (c) 2026 the tflm authors
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A copy of what git knows: building must not leave files in the checkout.
mkdir "$folder/source"
git -C "$repository" ls-files -co --exclude-standard -z |
  (cd "$repository" && tar cf - --null --ignore-failed-read -T -) | tar xf - -C "$folder/source"
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check "$folder/source"

cd "$folder"
export PATH="$folder/venv/bin:$PATH"
unset PYTHONPATH
model=$repository/models/digits/digits_int8.tflite
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$repository/modules/tflm/version.py")
tflm --version | grep -F "$version"
python -c "import tflm; assert tflm.__version__ == '$version'"
tflm inspect "$model" --json >inspect.json
python - <<'EOF'
import json
import numpy
assert json.load(open("inspect.json"))["missing"] == []
numpy.save("zeros.npy", numpy.zeros((1, 8, 8, 1), numpy.float32))
EOF
tflm flatten "$model" -o digits.tflm --target armv6m --json >flatten.json
tflm run digits.tflm --input zeros.npy --quantize --output-dir out --json >run.json
test -s out/output_0.npy
for shell in bash zsh fish; do
  _TFLM_COMPLETE=${shell}_source tflm | grep -q tflm
done
echo "tflm $version installs, inspects, flattens and runs"
