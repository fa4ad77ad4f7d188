# tflm_tools: board: installs the runtime and the kernels that a model needs in a board's lib/
# MIT license; Copyright (c) 2026 the tflm authors

# lib/tflm contains an __init__, a loader and bundles (packages/bundle.py). Files that another
# model needs in addition are sent as one more bundle, until there are too many for fast imports:
# then all files are sent again as one bundle. If lib/tflm has another version of tflm or
# single files, the new runtime is written to the folder lib/tflm.new, which is renamed to lib/tflm
# when it is complete. Until then the old runtime runs the old models.

import binascii
import re

from ..packages import bundle, runtime_files
from .files import PARTIAL_SUFFIX
from .storage import RESERVED_BYTES, file_flash_bytes

_NEW, _OLD = "tflm.new", "tflm.old"
_MAX_BUNDLES = 4  # each one makes imports slower
_MAX_INDEX_BYTES = 32768  # of a bundle before its data


class Runtime:
    """The files of tflm that a board lacks.

    required: {path below tflm/: bytes} that the board must have in bundles. extra: {path below
    lib/: bytes} of separate files. missing: bytes to send. flash: bytes of flash for these.
    """

    def __init__(self, files, facts, required, extra=()):
        self._files, self._facts = files, facts
        self._lib = f"{facts.root}lib"
        self._required = required
        paths = files.tree(f"{self._lib}/tflm")
        names = [
            path.removeprefix(self._lib + "/")
            for path in paths
            if not path.endswith(PARTIAL_SUFFIX)
        ]
        init_files = bundle.init_files(facts.arch)
        bundled, damaged = self._bundled(names)
        self._is_new = not names
        self._swap = damaged or (bool(names) and not self._is_current(names, init_files, bundled))
        if self._swap:
            required = {**self._recompiled(bundled, names), **required}
            bundled = {}
        lacking = {path: data for path, data in required.items() if path not in bundled}
        if lacking and not self._swap and self._should_merge(names):
            lacking = {**self._present(bundled), **required}
            self._swap = True
        self._send = {}
        if lacking:
            packed = bundle.pack(lacking)
            self._send[bundle.name_of(packed)] = packed
        for path, data in init_files.items():
            if self._swap or path not in names:
                self._send[path] = data
        self._send_extra = {
            path: data
            for path, data in dict(extra).items()
            if not files.has(f"{self._lib}/{path}", data)
        }
        sizes = [len(data) for data in [*self._send.values(), *self._send_extra.values()]]
        self.missing = sum(sizes)
        self.flash = sum(map(file_flash_bytes, sizes))

    # {path below tflm/: (bytes, CRC32)} of the files in the board's bundles, and whether a bundle
    # is damaged: its CRC32 differs from its name, or it is cut off. Bundles of mip have other
    # names.
    def _bundled(self, names):
        bundled, damaged = {}, False
        for name in names:
            if not name.endswith(".bundle"):
                continue
            path = f"{self._lib}/{name}"
            size, crc = self._files.crc(path)
            if re.fullmatch(r"tflm/[0-9a-f]{8}\.bundle", name) and name[5:13] != f"{crc:08x}":
                damaged = True
            else:
                start = bundle.data_start(self._files.read(path, bundle.HEAD_BYTES))
                if bundle.HEAD_BYTES < start <= min(_MAX_INDEX_BYTES, size):
                    head = self._files.read(path, start)
                    damaged = damaged or not bundle.is_whole(head, size)
                    bundled.update(bundle.contents(head))
        return bundled, damaged

    # Whether lib/tflm contains only bundles, and these are of this version of tflm.
    def _is_current(self, names, init_files, bundled):
        others = [n for n in names if n not in init_files and not n.endswith(".bundle")]
        if others or not all(
            self._files.has(f"{self._lib}/{p}", init_files[p]) for p in init_files
        ):
            return False
        return all(
            bundled[path] == (len(data), binascii.crc32(data))
            for path, data in self._required.items()
            if path in bundled
        )

    # Whether to replace all bundles by one.
    def _should_merge(self, names):
        bundles = [name for name in names if name.endswith(".bundle")]
        sizes = (self._files.crc(f"{self._lib}/{name}")[0] for name in bundles)
        needed = sum(map(file_flash_bytes, sizes)) + sum(map(len, self._required.values()))
        free = self._facts.file_system[0] - RESERVED_BYTES if self._facts.file_system else 0
        return len(bundles) >= _MAX_BUNDLES and needed <= free

    # The files of this version that are in the board's bundles.
    def _present(self, bundled):
        names = [path.rpartition(".")[0] for path in bundled]
        return bundle.files(sorted(filter(runtime_files.exists, names)), self._facts.arch)

    # The kernels of this version for other models: those that the old runtime had.
    def _recompiled(self, bundled, names):
        paths = [*bundled, *(name.removeprefix("tflm/") for name in names)]
        kernels = {path.rpartition(".")[0] for path in paths if path.startswith("kernels/")}
        known = [name for name in sorted(kernels) if runtime_files.exists(name)]
        return bundle.files(runtime_files.with_imports(known), self._facts.arch)

    def install(self):
        """Send the missing files; the old runtime works until all of them have arrived."""
        if self._swap:
            self._install_new_folder()
        else:
            self._add(self._send)
        self._add(self._send_extra)

    def remove(self):
        """Remove the files that install() has added. The files of a new version stay."""
        if self._swap:
            return
        paths = ["tflm"] if self._is_new else self._send
        for path in [*self._send_extra, *paths]:
            self._files.remove(f"{self._lib}/{path}")

    # Add files by renaming complete ones. __init__ is the last: with it, tflm can be imported.
    def _add(self, send):
        for path in sorted(send, key=lambda p: (p == bundle.INIT, p)):
            self._files.send(f"{self._lib}/{path}", send[path])
            self._files.rename((f"{self._lib}/{path}{PARTIAL_SUFFIX}", f"{self._lib}/{path}"))

    # Write the runtime to a new folder, then rename it to replace the old folder.
    def _install_new_folder(self):
        new, old = f"{self._lib}/{_NEW}", f"{self._lib}/{_OLD}"
        self._files.remove(old)
        present = self._files.tree(new)
        for path in [path for path in present if not path.endswith(PARTIAL_SUFFIX)]:
            if path.replace(f"{new}/", "tflm/") not in self._send:  # of an interrupted install
                self._files.remove(path)
        for path, data in self._send.items():
            target = f"{new}/{path.removeprefix('tflm/')}"
            if present.get(target) != len(data) or not self._files.has(target, data):
                self._files.send(target, data)
                self._files.rename((target + PARTIAL_SUFFIX, target))
            else:
                self._files.progress(len(data))
        self._files.rename((f"{self._lib}/tflm", old), (new, f"{self._lib}/tflm"))
        self._files.remove(old)
