# tflm.fleet: ModelStore: the stored models of a folder: active, candidate and previous one.
# MIT license; Copyright (c) 2026 the tflm authors

import os

from ..errors import ArenaError
from . import trial
from .state import State, model_entry
from .update import UpdateError

_PIECE = 1024
_SPARE = 8192  # bytes that stay free for the file system's tables and the state


def _exists(path):
    try:
        os.stat(path)
        return True
    except OSError:
        return False


class ModelStore:
    """The stored models of one name: which is active, which is tried, which is the previous one.

    folder, name, first, version, starts, resolver, feed: see Fleet. said: a sentence about the
    last trial. state: a State, which also holds the reports for the server.
    """

    def __init__(self, folder, name, first, version, starts, resolver, feed):
        self._folder, self._name = folder.rstrip("/") + "/", name
        self._first, self._first_version = first, version
        self._max_starts, self._resolver, self._feed = starts, resolver, feed
        self._running = None  # file of the model that path() returned
        self._has_waited = False  # the candidate needs memory that is free only after a reset
        self.said = ""
        if not _exists(folder):
            os.mkdir(folder)
        self.state = state = State(self._folder + name + ".state")
        if not self._usable(state.active):
            self._go_back()

    # Return an entry if its model exists and is newer than the firmware's; else None.
    def _usable(self, entry):
        is_newer = entry and entry["version"] > self._first_version
        return entry if is_newer and _exists(self._folder + entry["model"]) else None

    def _go_back(self):
        state = self.state
        state.active, state.old, state.is_final = self._usable(state.old), None, True

    @property
    def version(self):
        """The version of the active model."""
        return self.state.active["version"] if self.state.active else self._first_version

    def path(self):
        """Return the path of the active model; while it is not confirmed this counts as a start.

        A candidate that waits for memory is tried first. If the file system cannot be written,
        the start is not counted.
        """
        try:  # noqa: SIM105 (boards have no contextlib)
            self._start()
        except OSError:
            pass
        active = self.state.active
        self._running = active["model"] if active else ""
        return self._folder + active["model"] if active else self._first

    def _start(self):
        state = self.state
        if state.candidate and self._running is None:
            self.try_candidate()
        if not state.is_final and self._running != state.active["model"]:
            if state.starts >= self._max_starts:
                self._roll_back()
            else:
                state.starts += 1
                state.save()

    def confirm(self):
        """Confirm the model of path() and remove the previous one."""
        state = self.state
        if state.is_final or self._running != state.active["model"]:
            return
        state.is_final, state.old = True, None
        text = self.sentence(state.active, "is in use")
        state.add_report(state.active["action"], "success", text)
        try:
            state.save()
            self._remove_unused()
        except OSError:
            pass  # it can be confirmed again at the next start

    def has(self, manifest):
        """Return True if the update of a Manifest is active and confirmed."""
        active = self.state.active
        is_same = active and manifest.model_sha256 == active["model_sha256"]
        return bool(is_same) and manifest.version == active["version"] and self.state.is_final

    def check(self, manifest):
        """Raise UpdateError if a Manifest is of another model or not newer."""
        if manifest.name != self._name:
            raise UpdateError(
                "the update is for the model %s, this board has %s; assign another"
                % (manifest.name, self._name)
            )
        if manifest.version <= self.version:
            raise UpdateError(
                "the update has version %d, the board has %d; sign the model with a newer one"
                % (manifest.version, self.version)
            )

    def store(self, manifest, action, read):
        """Store the vectors and the model as the candidate.

        read: a function that returns the next bytes of both. Raises UpdateError if they have
        another size than the Manifest says, or too little space.
        """
        self.forget_candidate()
        new = model_entry(manifest, action)
        needed = manifest.vectors_bytes + manifest.model_bytes
        about = os.statvfs(self._folder[:-1])
        free = max(about[1] * about[3] - _SPARE, 0)
        if needed > free:
            raise UpdateError(
                "the update needs %d bytes, the file system has %d free; remove files there"
                % (needed, free)
            )
        try:
            self._copy(new["vectors"], manifest.vectors_bytes, read)
            self._copy(new["model"], manifest.model_bytes, read)
            if read(1):
                raise UpdateError("the update is longer than signed; copy it again")
            self.state.candidate = new
            self.state.save()
        except Exception:
            self.state.candidate = None
            self._remove_unused()
            raise

    def _copy(self, name, size, read):
        with open(self._folder + name, "wb") as file:
            while size:
                data = read(min(size, _PIECE))
                if not data:
                    raise UpdateError("the update is shorter than signed; copy it again")
                file.write(data)
                size -= len(data)

    def forget_candidate(self):
        """Remove the candidate, and files that a power cut has left."""
        if self.state.candidate:
            self.state.candidate = None
            self.state.save()
        self._has_waited = False
        self._remove_unused()

    def try_candidate(self):
        """Try the candidate and make it active if its outputs are right; return True then.

        Returns False if the candidate was dropped, None if there is no memory before a reset. A
        trial is counted before it starts, so a trial that resets the board is not repeated
        forever.
        """
        state, new = self.state, self.state.candidate
        if self._has_waited:
            return self._wait()
        if new["version"] <= self.version:
            return self._drop("the board's firmware has a newer model")
        if new["tries"] >= self._max_starts:
            return self._drop("the board did not finish %d trials of it" % new["tries"])
        new["tries"] += 1
        state.save()
        try:
            trial.run(self._folder, new, self._resolver, self._feed)
        except UpdateError as error:
            return self._drop(str(error))
        except (MemoryError, ArenaError):
            if self._running is None:
                return self._drop("the board's heap is too small for it")
            new["tries"] -= 1
            state.save()
            return self._wait()
        self._activate(new)
        return True

    def _wait(self):
        self._has_waited = True
        self.said = self.sentence(self.state.candidate, "is stored; reset the board to try it")

    def _activate(self, new):
        state = self.state
        if state.is_final:
            state.old = state.active
        else:
            why = "it was replaced before it was confirmed"
            state.add_report(state.active["action"], "failure", why)
        state.active, state.candidate = new, None
        state.is_final, state.starts = False, 0
        state.save()
        self._remove_unused()
        self.said = self.sentence(new, "answers its test vectors and is active")

    def _drop(self, why):
        self.said = why
        self.state.add_report(self.state.candidate["action"], "failure", why)
        self.forget_candidate()
        return False

    def _roll_back(self):
        state = self.state
        why = "it was started %d times and not confirmed" % state.starts
        state.add_report(state.active["action"], "failure", why)
        self._go_back()
        state.save()
        self._remove_unused()
        self.said = why

    # Remove files of models that are not used any more.
    def _remove_unused(self):
        used = self.state.files()
        for name in os.listdir(self._folder[:-1]):  # FAT does not accept a slash at the end
            stem, _, kind = name.rpartition(".")
            is_own = kind in ("tflm", "vectors") and stem.rpartition("-")[0] == self._name
            if is_own and name not in used:
                os.remove(self._folder + name)

    def sentence(self, entry, what):
        """Return a sentence about a model_entry()."""
        return "%s %d %s" % (self._name, entry["version"], what)
