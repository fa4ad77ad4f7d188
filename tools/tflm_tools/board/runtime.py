# tflm_tools: board: the runtime and the kernels that a model needs, in lib/ of the file system
# MIT license; Copyright (c) 2026 the tflm authors

# Files that are missing are added one by one. Where something else lies already (another version,
# .py files), all is written to a folder beside, which then takes the place of the old one: until
# that moment the old runtime runs the old models.

from ..packages import parts
from .files import PART
from .storage import blocks

_NEW, _OLD = "tflm.new", "tflm.old"


class Runtime:
    """What of tflm a board lacks: `missing` (bytes to send), `flash` (bytes of flash that takes).

    files: {path below lib/: bytes} that the board must have.
    """

    def __init__(self, files, facts, wanted, extra=()):
        self._files, self._facts = files, facts
        self._lib = f"{facts.root}lib"
        self._extra = dict(extra)  # {path below lib/: bytes} of files that stand alone
        there = files.tree(f"{self._lib}/tflm")
        there = {path.removeprefix(self._lib + "/"): size for path, size in there.items()}
        present = {path: size for path, size in there.items() if not path.endswith(PART)}
        self._swap = self._conflicts(present, wanted)
        if self._swap:
            others = [p for p in present if p not in wanted and p.startswith("tflm/kernels/")]
            wanted = {**self._recompiled(others), **wanted}
            self._send = wanted
        else:
            self._send = {path: data for path, data in wanted.items() if path not in present}
        self._wanted = wanted
        for path, data in self._extra.items():
            if not files.has(f"{self._lib}/{path}", data):
                self._send = {**self._send, path: data}
        self.missing = sum(map(len, self._send.values()))
        self.flash = sum(blocks(len(data)) for data in self._send.values())
        self.files = len(self._send)

    # True when the board has something else in the place of a file that must be there.
    def _conflicts(self, present, wanted):
        if any(path.endswith(".py") for path in present):
            return True
        return any(
            path in present and not self._files.has(f"{self._lib}/{path}", data)
            for path, data in wanted.items()
        )

    # Kernels that other models on the board may need, of this version; others are unknown here.
    def _recompiled(self, paths):
        names = [path.removeprefix("tflm/").rpartition(".")[0] for path in paths]
        known = [name for name in names if parts.exists(name)]
        return parts.compiled(parts.with_imports(known), self._facts.arch)

    def install(self):
        """Send what is missing; the old runtime works until all has arrived."""
        alone = {path: data for path, data in self._send.items() if path in self._extra}
        rest = {path: data for path, data in self._send.items() if path not in self._extra}
        if self._swap:
            self._install_beside(rest)
        else:
            self._add(rest)
        self._add(alone)

    # Add files, each whole or not at all; an __init__ comes last, and makes the others count.
    def _add(self, send):
        for path in sorted(send, key=lambda p: (p.endswith("__init__.mpy"), p)):
            self._files.send(f"{self._lib}/{path}", send[path])
            self._files.rename((f"{self._lib}/{path}{PART}", f"{self._lib}/{path}"))

    # Write a second folder, then let it take the place of the first one.
    def _install_beside(self, send):
        new, old = f"{self._lib}/{_NEW}", f"{self._lib}/{_OLD}"
        self._files.remove(old)
        there = self._files.tree(new)
        for path, data in send.items():
            target = f"{new}/{path.removeprefix('tflm/')}"
            if there.get(target) != len(data) or not self._files.has(target, data):
                self._files.send(target, data)
                self._files.rename((target + PART, target))
            else:
                self._files.progress(len(data))
        self._files.rename((f"{self._lib}/tflm", old), (new, f"{self._lib}/tflm"))
        self._files.remove(old)

    def code_bytes(self):
        """Bytes of heap that the runtime takes when it is imported, as far as can be told."""
        return sum(map(len, self._wanted.values()))
