# Tests of docs/products/detect.md: its program prints what the page shows
# MIT license; Copyright (c) 2026 the tflm authors

import re

from detect.models import bright_squares
from support.script import run_script
from tflm_tools.flat.flatten import flatten


def test_page(repository, tmp_path):
    path = tmp_path / "fomo.tflm"
    path.write_bytes(flatten(bright_squares()))
    text = (repository / "docs" / "products" / "detect.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) == 1
    for program, printed in blocks:
        assert run_script(program.replace("/rom/fomo.tflm", str(path))) == printed
