# tflm.fleet: shelf: the models of a folder: one is active, one may be on trial, one waits behind
# MIT license; Copyright (c) 2026 the tflm authors

import os

from ..errors import ArenaError
from . import trial
from .state import State, entry
from .update import UpdateError

_PIECE = 1024
_SPARE = 8192  # bytes of the file system that stay free, for its own tables and the state


def _exists(path):
    try:
        os.stat(path)
        return True
    except OSError:
        return False


class Shelf:
    """The models of one name. first, version: the one that the board has from the start.

    starts: how often one is tried, or started before it is confirmed. `said` is a sentence about
    what was done last. What the server is to be told is kept in `state`.
    """

    def __init__(self, folder, name, first, version, starts, resolver, feed):
        self._folder, self._name = folder.rstrip("/") + "/", name
        self._first, self._first_version = first, version
        self._most_starts, self._resolver, self._feed = starts, resolver, feed
        self._given = None  # file of the model that path() gave
        self._has_waited = False  # the candidate needs memory that will be there after a reset
        self.said = ""
        if not _exists(folder):
            os.mkdir(folder)
        self.state = state = State(self._folder + name + ".state")
        if not self._usable(state.active):
            self._go_back()

    # An entry, if its model is there, and newer than what the firmware has brought; else None.
    def _usable(self, entry):
        is_newer = entry and entry["version"] > self._first_version
        return entry if is_newer and _exists(self._folder + entry["model"]) else None

    def _go_back(self):
        state = self.state
        state.active, state.old, state.is_final = self._usable(state.old), None, True

    @property
    def version(self):
        """Version of the active model."""
        return self.state.active["version"] if self.state.active else self._first_version

    def path(self):
        """Path of the active model; each start with one that is not confirmed counts.

        A candidate that has had no memory before is tried first. Where nothing can be written the
        active model goes on, uncounted.
        """
        try:  # noqa: SIM105 (boards have no contextlib)
            self._start()
        except OSError:
            pass
        active = self.state.active
        self._given = active["model"] if active else ""
        return self._folder + active["model"] if active else self._first

    def _start(self):
        state = self.state
        if state.candidate and self._given is None:
            self.try_candidate()
        if not state.is_final and self._given != state.active["model"]:
            if state.starts >= self._most_starts:
                self._roll_back()
            else:
                state.starts += 1
                state.save()

    def confirm(self):
        """Keep the model that path() gave, and remove the one before."""
        state = self.state
        if state.is_final or self._given != state.active["model"]:
            return
        state.is_final, state.old = True, None
        state.tell(state.active["action"], "success", self.sentence(state.active, "is in use"))
        try:
            state.save()
            self._sweep()
        except OSError:
            pass  # at the next start it is to be confirmed again

    def has(self, manifest):
        """True when the update of a Manifest is active and confirmed."""
        active = self.state.active
        is_same = active and manifest.model_sha256 == active["model_sha256"]
        return bool(is_same) and manifest.version == active["version"] and self.state.is_final

    def check(self, manifest):
        """Raise UpdateError when a Manifest is of another model, or of an old one."""
        if manifest.name != self._name:
            raise UpdateError(
                "the update is of the model %s, this board has %s; assign another"
                % (manifest.name, self._name)
            )
        if manifest.version <= self.version:
            raise UpdateError(
                "the update has version %d, the board has %d; sign the model with a higher one"
                % (manifest.version, self.version)
            )

    def store(self, manifest, action, read):
        """Store vectors and model, whose bytes `read(n)` gives, as the candidate.

        Raises UpdateError where there are fewer or more of them than the Manifest says.
        """
        self.forget_candidate()
        new = entry(manifest, action)
        needed = manifest.vectors_bytes + manifest.model_bytes
        about = os.statvfs(self._folder[:-1])
        room = max(about[1] * about[3] - _SPARE, 0)
        if needed > room:
            raise UpdateError(
                "the update needs %d bytes of the board's file system, which has room for %d; "
                "remove files there" % (needed, room)
            )
        try:
            self._copy(new["vectors"], manifest.vectors_bytes, read)
            self._copy(new["model"], manifest.model_bytes, read)
            if read(1):
                raise UpdateError("the update is longer than was signed; copy it again")
            self.state.candidate = new
            self.state.save()
        except Exception:
            self.state.candidate = None
            self._sweep()
            raise

    def _copy(self, name, size, read):
        with open(self._folder + name, "wb") as file:
            while size:
                data = read(min(size, _PIECE))
                if not data:
                    raise UpdateError("the update is shorter than was signed; copy it again")
                file.write(data)
                size -= len(data)

    def forget_candidate(self):
        """Remove what was to be tried, and what a power cut has left."""
        if self.state.candidate:
            self.state.candidate = None
            self.state.save()
        self._has_waited = False
        self._sweep()

    def try_candidate(self):
        """Make the candidate active when it answers its vectors: True.

        False: it is dropped; None: there is no memory for it before a reset. Each try is counted
        before it begins, so one that ends in a reset is not tried for ever.
        """
        state, new = self.state, self.state.candidate
        if self._has_waited:
            return self._wait()
        if new["version"] <= self.version:
            return self._drop("the board's firmware has brought a newer model")
        if new["tries"] >= self._most_starts:
            return self._drop("the board did not come through %d trials of it" % new["tries"])
        new["tries"] += 1
        state.save()
        try:
            trial.run(self._folder, new, self._resolver, self._feed)
        except UpdateError as error:
            return self._drop(str(error))
        except (MemoryError, ArenaError):
            if self._given is None:
                return self._drop("the board's heap has no room for it")
            new["tries"] -= 1
            state.save()
            return self._wait()
        self._activate(new)
        return True

    def _wait(self):
        self._has_waited = True
        self.said = self.sentence(self.state.candidate, "is here; reset the board to try it")

    def _activate(self, new):
        state = self.state
        if state.is_final:
            state.old = state.active
        else:
            why = "it was replaced before it was confirmed"
            state.tell(state.active["action"], "failure", why)
        state.active, state.candidate = new, None
        state.is_final, state.starts = False, 0
        state.save()
        self._sweep()
        self.said = self.sentence(new, "answers its test vectors and is active")

    def _drop(self, why):
        self.said = why
        self.state.tell(self.state.candidate["action"], "failure", why)
        self.forget_candidate()
        return False

    def _roll_back(self):
        state = self.state
        why = "it was started %d times and not confirmed" % state.starts
        state.tell(state.active["action"], "failure", why)
        self._go_back()
        state.save()
        self._sweep()
        self.said = why

    # Remove files of models that are in use no more.
    def _sweep(self):
        used = self.state.files()
        for name in os.listdir(self._folder[:-1]):  # FAT wants no slash at its end
            stem, _, kind = name.rpartition(".")
            is_own = kind in ("tflm", "vectors") and stem.rpartition("-")[0] == self._name
            if is_own and name not in used:
                os.remove(self._folder + name)

    def sentence(self, entry, what):
        """What is told of an entry()."""
        return "%s %d %s" % (self._name, entry["version"], what)
