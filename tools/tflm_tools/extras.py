# tflm_tools: extras: the command that installs the optional packages of an extra
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shlex
import sys
from importlib import metadata

_NAME = "micropython-tflm"


# The packages of an extra as "name==version", without extras of extras, which developers install
# by make.
def _packages(extra):
    try:
        lines = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        return []
    marked = [line.partition(";") for line in lines]
    wanted = re.compile(f"""extra == ['"]{extra}['"]""")
    found = [package.strip() for package, _, marker in marked if wanted.search(marker)]
    return [package for package in found if not package.startswith(_NAME)]


# The path of this Python for a command line, relative if it is below the current folder.
def _python():
    near = os.path.relpath(sys.executable)
    return shlex.quote(sys.executable if near.startswith(os.pardir) else near)


def installing(extra):
    """Return the command that installs the packages of an extra of pyproject.toml.

    It names each package, because no registry knows the extras of a tflm installed from a folder.
    """
    packages = _packages(extra) or [f"{_NAME}[{extra}]"]
    return f"{_python()} -m pip install {' '.join(map(shlex.quote, packages))}"
