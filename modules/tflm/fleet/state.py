# tflm.fleet: State: which model is active and which reports wait, in a file that is written twice.
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..micropython_port import crc32

_MAX_REPORTS = 8  # that wait for the server


# Return a model's files and the data of its manifest, as a dict for JSON.
def model_entry(manifest, action):
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
    """The state of a ModelStore. After a power cut it is the state of the last or of this save().

    Two files are written in turn; the newer intact one counts. So no file is renamed over another,
    which FAT cannot do.

    active: the model_entry() of the active model; None: the first one. is_final: confirm() was
    called for it. old: the previous model, until then. starts: of the active model. candidate:
    a model before its trial. reports: [action, "success" or "failure", text] for the server.
    """

    _FIELDS = ("active", "is_final", "old", "starts", "candidate", "reports", "saved")

    def __init__(self, path):
        self._path = path
        self.active = self.old = self.candidate = None
        self.is_final = True
        self.starts = 0
        self.reports = []
        self.saved = 0  # the number of save() calls; its last bit selects the file
        for found in (self._read(0), self._read(1)):
            if found and found["saved"] > self.saved:
                for name in self._FIELDS:
                    setattr(self, name, found[name])

    def _crc(self, text):
        return b"%08x" % (crc32(text) & 0xFFFFFFFF)

    # Return the data of a file; None if it is missing or not intact.
    def _read(self, number):
        try:
            with open(self._path + str(number), "rb") as file:
                text, _, crc = file.read().rpartition(b"\n")
        except OSError:
            return None
        return json.loads(text.decode()) if crc == self._crc(text) else None

    def save(self):
        """Overwrite the older file. Raises OSError if the file system is full."""
        fields = {name: getattr(self, name) for name in self._FIELDS}
        fields["saved"] += 1
        text = json.dumps(fields).encode()
        with open(self._path + str(fields["saved"] & 1), "wb") as file:
            file.write(text + b"\n" + self._crc(text))
        self.saved = fields[
            "saved"
        ]  # after the write: a failed one must not select the intact file

    def add_report(self, action, result, text):
        """Add the result of an action for the server; save() it."""
        others = [each for each in self.reports if each[0] != action]
        self.reports = others[1 - _MAX_REPORTS :] + [[action, result, text]]

    def files(self):
        """Return the names of the files that are in use."""
        names = [each["model"] for each in (self.active, self.old, self.candidate) if each]
        return names + ([self.candidate["vectors"]] if self.candidate else [])
