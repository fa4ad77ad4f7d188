# tflm.fleet: state: which model is active, and what is still to be said, in a file written twice
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..micropython_port import crc32

_MOST_TOLD = 8  # that wait for a server


# A model's files and what its update said of them; a dict, so that it goes to JSON as it is.
def entry(manifest, action):
    stem = "%s-%d" % (manifest.name, manifest.version)
    return {
        "model": stem + ".tflm",
        "vectors": stem + ".vectors",
        "version": manifest.version,
        "count": manifest.vectors,
        "model_bytes": manifest.model_bytes,
        "model_sha256": manifest.model_sha256,
        "vectors_bytes": manifest.vectors_bytes,
        "vectors_sha256": manifest.vectors_sha256,
        "action": action,
        "tries": 0,
    }


class State:
    """What outlasts a power cut: after one it is as save() was to make it, or as it was before.

    Two files take turns, and the newer one that is whole counts: no file system has to rename one
    over another, which FAT cannot.

    active: the model that runs, an entry(); None for the first one. is_final: confirm() was
    called for it. old: the model before, until then. starts: of the active one. candidate: one
    that has to be tried. told: [action, "success" or "failure", text] that wait for the server.
    """

    _FIELDS = ("active", "is_final", "old", "starts", "candidate", "told", "saved")

    def __init__(self, path):
        self._path = path
        self.active = self.old = self.candidate = None
        self.is_final = True
        self.starts = 0
        self.told = []
        self.saved = 0  # how often; the last bit says in which of the files
        for found in (self._read(0), self._read(1)):
            if found and found["saved"] > self.saved:
                for name in self._FIELDS:
                    setattr(self, name, found[name])

    def _crc(self, text):
        return b"%08x" % (crc32(text) & 0xFFFFFFFF)

    # What a file has; None where it is not whole, or not there.
    def _read(self, number):
        try:
            with open(self._path + str(number), "rb") as file:
                text, _, crc = file.read().rpartition(b"\n")
        except OSError:
            return None
        return json.loads(text.decode()) if crc == self._crc(text) else None

    def save(self):
        """Write it over the older of the files; raises OSError where there is no room."""
        fields = {name: getattr(self, name) for name in self._FIELDS}
        fields["saved"] += 1
        text = json.dumps(fields).encode()
        with open(self._path + str(fields["saved"] & 1), "wb") as file:
            file.write(text + b"\n" + self._crc(text))
        self.saved = fields["saved"]  # only now: else the next one would go over the whole file

    def tell(self, action, result, text):
        """Keep what an action came to, until the server has been told; save() it."""
        told = [each for each in self.told if each[0] != action]
        self.told = told[1 - _MOST_TOLD :] + [[action, result, text]]

    def files(self):
        """Names of the files that are in use."""
        names = [each["model"] for each in (self.active, self.old, self.candidate) if each]
        return names + ([self.candidate["vectors"]] if self.candidate else [])
