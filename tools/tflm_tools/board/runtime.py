# tflm_tools: board: the runtime and the kernels that a model needs, in lib/ of the file system
# MIT license; Copyright (c) 2026 the tflm authors

# lib/tflm holds an __init__ and bundles (packages/bundle.py). What a further model lacks comes as
# one more bundle. Where something else lies already (another version, single files), all is
# written to a folder beside, which then takes the place of the old one: until that moment the old
# runtime runs the old models.

import binascii
import re

from ..packages import bundle, parts
from .files import PART
from .storage import blocks

_NEW, _OLD = "tflm.new", "tflm.old"
_MOST_INDEX = 32768  # bytes of a bundle before its data


class Runtime:
    """What of tflm a board lacks: `missing` (bytes to send), `flash` (bytes of flash that takes).

    wanted: {path below tflm/: bytes} that the board must have; extra: {path below lib/: bytes} of
    files that stand alone.
    """

    def __init__(self, files, facts, wanted, extra=()):
        self._files, self._facts = files, facts
        self._lib = f"{facts.root}lib"
        self._wanted = wanted
        there = files.tree(f"{self._lib}/tflm")
        names = [p.removeprefix(self._lib + "/") for p in there if not p.endswith(PART)]
        init = bundle.init(facts.arch)
        held, damaged = self._held(names)
        self._swap = damaged or (bool(names) and not self._agrees(names, init, held))
        if self._swap:
            wanted = {**self._recompiled(held, names), **wanted}
            held = {}
        lacking = {path: data for path, data in wanted.items() if path not in held}
        self._send = {}
        if lacking:
            packed = bundle.pack(lacking)
            self._send[bundle.name_of(packed)] = packed
        if self._swap or bundle.INIT not in names:
            self._send[bundle.INIT] = init
        self._alone = {
            path: data
            for path, data in dict(extra).items()
            if not files.has(f"{self._lib}/{path}", data)
        }
        sizes = [len(data) for part in (self._send, self._alone) for data in part.values()]
        self.missing = sum(sizes)
        self.flash = sum(map(blocks, sizes))

    # {path below tflm/: (bytes, CRC32)} of what the board's bundles hold, and whether one is not
    # what its name says, or is cut off; those of mip have other names.
    def _held(self, names):
        held, damaged = {}, False
        for name in names:
            if not name.endswith(".bundle"):
                continue
            path = f"{self._lib}/{name}"
            size, crc = self._files.crc(path)
            if re.fullmatch(r"tflm/[0-9a-f]{8}\.bundle", name) and name[5:13] != f"{crc:08x}":
                damaged = True
            else:
                start = bundle.data_start(self._files.read(path, bundle.HEAD_BYTES))
                if bundle.HEAD_BYTES < start <= min(_MOST_INDEX, size):
                    head = self._files.read(path, start)
                    damaged = damaged or not bundle.is_whole(head, size)
                    held.update(bundle.contents(head))
        return held, damaged

    # Whether what lies there is of this version, and of this kind.
    def _agrees(self, names, init, held):
        others = [n for n in names if n != bundle.INIT and not n.endswith(".bundle")]
        if others or not self._files.has(f"{self._lib}/{bundle.INIT}", init):
            return False
        return all(
            held[path] == (len(data), binascii.crc32(data))
            for path, data in self._wanted.items()
            if path in held
        )

    # Kernels that other models on the board may need, of this version; others are unknown here.
    def _recompiled(self, held, names):
        paths = [*held, *(name.removeprefix("tflm/") for name in names)]
        kernels = {path.rpartition(".")[0] for path in paths if path.startswith("kernels/")}
        known = [name for name in sorted(kernels) if parts.exists(name)]
        return bundle.files(parts.with_imports(known), self._facts.arch)

    def install(self):
        """Send what is missing; the old runtime works until all has arrived."""
        if self._swap:
            self._install_beside()
        else:
            self._add(self._send)
        self._add(self._alone)

    # Add files, each whole or not at all; an __init__ comes last, and makes the others count.
    def _add(self, send):
        for path in sorted(send, key=lambda p: (p.endswith("__init__.mpy"), p)):
            self._files.send(f"{self._lib}/{path}", send[path])
            self._files.rename((f"{self._lib}/{path}{PART}", f"{self._lib}/{path}"))

    # Write a second folder, then let it take the place of the first one.
    def _install_beside(self):
        new, old = f"{self._lib}/{_NEW}", f"{self._lib}/{_OLD}"
        self._files.remove(old)
        there = self._files.tree(new)
        for path in [path for path in there if not path.endswith(PART)]:
            if path.replace(f"{new}/", "tflm/") not in self._send:  # of a try with other files
                self._files.remove(path)
        for path, data in self._send.items():
            target = f"{new}/{path.removeprefix('tflm/')}"
            if there.get(target) != len(data) or not self._files.has(target, data):
                self._files.send(target, data)
                self._files.rename((target + PART, target))
            else:
                self._files.progress(len(data))
        self._files.rename((f"{self._lib}/tflm", old), (new, f"{self._lib}/tflm"))
        self._files.remove(old)

    def code_bytes(self):
        """Bytes of heap that the runtime takes once all is imported, as far as can be told."""
        return sum(map(len, self._wanted.values()))
