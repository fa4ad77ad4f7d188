# tflm_tools: what installs the packages of an extra, however tflm itself came here
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shlex
import sys
from importlib import metadata

_NAME = "micropython-tflm"


# Packages of an extra, as "name==version"; extras of extras are for developers, who have make.
def _packages(extra):
    try:
        lines = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        return []
    marked = [line.partition(";") for line in lines]
    wanted = re.compile(f"""extra == ['"]{extra}['"]""")
    found = [package.strip() for package, _, marker in marked if wanted.search(marker)]
    return [package for package in found if not package.startswith(_NAME)]


# This Python as one would type it here.
def _python():
    near = os.path.relpath(sys.executable)
    return shlex.quote(sys.executable if near.startswith(os.pardir) else near)


def installing(extra):
    """The command that adds the packages of an extra of pyproject.toml to this Python.

    It names them one by one: where tflm was installed from a folder, no registry has its extras.
    """
    packages = _packages(extra) or [f"{_NAME}[{extra}]"]
    return f"{_python()} -m pip install {' '.join(map(shlex.quote, packages))}"
