# Writes docs/licences.md from the comments in pyproject.toml: what is installed on the host
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = _REPOSITORY / "docs" / "licences.md"
_HEAD = """# Licences

<!-- written by tests/tools/licences_page.py (make docs) from the comments in pyproject.toml -->

tflm itself is under the MIT licence ([LICENSE](../LICENSE)). Boards need nothing else. On the host these packages are installed with pip, each pinned to a version; none is part of tflm. GPL programs are run as programs of their own, never imported.

| Package | Licence | What for | Installed with |
|---|---|---|---|
"""  # noqa: E501
_TAIL = """
`make firmware` and `make test-boards` also take MicroPython (MIT), pico-sdk (BSD-3), TinyUSB (MIT), mbedTLS (Apache-2.0), GCC (GPL-3 with the runtime exception) and qemu (GPL-2) from Debian's packages, and the emulator rp2040js (MIT) from npm. `make page` takes xterm.js (MIT), Pyodide (MPL-2.0), esbuild (MIT) and TypeScript (Apache-2.0) from npm; the page has a list of its own of what is in it. `make models` and `tflm wake train` have espeak-ng (GPL-3, Debian's package) speak the words that a model learns; it runs as a program. What of this is linked into a firmware image (MicroPython, pico-sdk, TinyUSB, mbedTLS) is under licences that allow that; keep their notices when you pass an image on.
"""  # noqa: E501


def packages():
    """Rows of (package, version, licence, purpose, extra or "") from pyproject.toml."""
    rows, extra = [], None
    for line in (_REPOSITORY / "pyproject.toml").read_text().splitlines():
        start = re.match(r"([\w-]+) = \[", line)
        if line.startswith("["):
            extra = None
        if start:
            extra = "" if start[1] == "dependencies" else start[1]
        found = re.match(
            r'\s+"([\w.-]+)==([^";\s]+)[^"]*",\s*(?:#\s*([^:]*)(?::\s*(.*))?)?$', line
        )
        if found and extra is not None:
            rows.append((found[1], found[2], found[3] or "", found[4] or "", extra))
    return rows


def page():
    """The whole page, as text."""
    merged = {}
    for name, version, licence, purpose, extra in packages():
        row = merged.setdefault(name, {"versions": [], "licence": "", "purpose": "", "extras": []})
        row["versions"] += [version] * (version not in row["versions"])
        row["licence"] = row["licence"] or licence
        row["purpose"] = row["purpose"] or purpose
        row["extras"] += [extra] * (extra not in row["extras"])
    lines = []
    for name in sorted(merged, key=str.lower):
        row = merged[name]
        extras = ", ".join(f"`[{extra}]`" if extra else "always" for extra in row["extras"])
        versions = ", ".join(row["versions"])
        lines.append(f"| {name} {versions} | {row['licence']} | {row['purpose']} | {extras} |")
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"wrote {PAGE.relative_to(_REPOSITORY)}")
