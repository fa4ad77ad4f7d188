# tflm.fleet: Fleet: what a program has of all this: poll(), model(), confirm()
# MIT license; Copyright (c) 2026 the tflm authors

from binascii import unhexlify

from ..errors import InputError, check, check_count
from .ddi import SUFFIX, Ddi
from .http import Http, ServerError
from .p256 import is_key
from .shelf import Shelf
from .update import UpdateError, is_name, read_manifest

NOTHING = "nothing"  # there is no update
UPDATED = "updated"  # another model is active: load model() again
STAGED = "staged"  # there is no memory to try it now: after a reset model() will
REFUSED = "refused"  # it is not taken, and the server is told why
FAILED = "failed"  # server, network or file system: poll() again later

_KNOWS_NOTHING = (400, 404, 409, 410)  # of this action, or no more


def _public_key(key):
    try:
        key = unhexlify(key.strip()) if isinstance(key, str) else bytes(key)
    except (ValueError, TypeError):
        key = b""
    if not is_key(key):
        raise InputError("key is no public key; pass what `tflm fleet keygen` wrote to its .pub")
    return key


def _is_id(text):
    others = "-_."
    is_text = isinstance(text, str) and len(text) > 0
    return is_text and not [c for c in text if not (c.isalpha() or c.isdigit() or c in others)]


class Fleet:
    """Keeps one model of a board up to date, from a server that speaks hawkBit's DDI.

    url: of the server with its tenant, like http://host:8080/DEFAULT. controller: the board's name
    there. key: the public key that signs models, 64 bytes or their 128 hex digits. name: of the
    model; updates of others are refused. token: the target's, or "GatewayToken ...". folder:
    where models are kept; it has to be writable. first, version: path and version of the model
    that the board has from the start. starts: how often a model may be started before confirm().
    timeout: seconds that the server may be silent. resolver: for custom operators. tls: an
    ssl.SSLContext, for https. feed: called meanwhile, for a watchdog. Raises InputError.
    """

    def __init__(self, url, controller, key, name, *, token="", folder="/models", first=None,
                 version=0, starts=3, timeout=10, resolver=None, tls=None, feed=None):  # fmt: skip
        check("name", name, is_name(name), "1 to 32 letters, digits and _")
        check("controller", controller, _is_id(controller), "letters, digits and - _ .")
        check_count("version", version, 0)
        check_count("starts", starts)
        check_count("timeout", timeout)
        self._key = _public_key(key)
        self._ddi, reason = None, ""
        try:
            self._ddi = Ddi(Http(timeout, tls, feed), url, controller, token)
        except ServerError as error:
            reason = str(error)
        if self._ddi is None:
            raise InputError(reason)
        self._name = name
        self._shelf = Shelf(folder, name, first, version, starts, resolver, feed)
        self.said = ""
        self.seconds = None

    @property
    def version(self):
        """Version of the active model."""
        return self._shelf.version

    def model(self):
        """Path of the active model, None where there is none; call it before each load.

        The file has been checked and tried: tflm.load(path, trusted=True) is in order. A start
        counts until confirm(): after `starts` of them the model before is active again.
        """
        return self._shelf.path()

    def confirm(self):
        """The model that model() gave works: it stays, and the one before is removed.

        Call it once the program has used the model; further calls cost nothing.
        """
        self._shelf.confirm()

    def poll(self):
        """Ask the server once and do what it says: NOTHING, UPDATED, STAGED, REFUSED or FAILED.

        `said` is a sentence about it, `seconds` is when the server wants to be asked again. Raises
        nothing for what servers, networks, files and updates do: the active model stays.
        """
        self.said = ""
        try:
            return self._poll()
        except ServerError as error:
            self.said = str(error)
        except OSError as error:
            self.said = "a file of the update fails (%s); look at the file system" % error
        except MemoryError:
            self.said = "the heap has no room for updates; poll before the model is loaded"
        return FAILED

    def _poll(self):
        self._tell()
        links, self.seconds = self._ddi.poll()
        if links.get("configData"):
            self._describe(links["configData"])
        if links.get("cancelAction"):
            self._cancel(links["cancelAction"])
        elif links.get("deploymentBase"):
            return self._deploy(links["deploymentBase"])
        return NOTHING

    # Say what waits to be said. A server that knows nothing of it will never hear it; one that
    # does not want it now may at the next poll.
    def _tell(self):
        state = self._shelf.state
        while state.told:
            action, result, text = state.told[0]
            try:
                self._ddi.tell(action, "closed", result, text)
            except ServerError as error:
                if error.status not in _KNOWS_NOTHING:
                    return
            state.told = state.told[1:]
            state.save()

    # What people see of the board at the server; not worth a failure.
    def _describe(self, url):
        about = {"model": self._name, "version": str(self.version)}
        try:  # noqa: SIM105
            self._ddi.describe(url, about)
        except ServerError:
            pass

    # A model that is active already is not taken back.
    def _cancel(self, url):
        state = self._shelf.state
        number, action = self._ddi.cancelled(url)
        if not state.is_final and state.active["action"] == action:
            text = self._shelf.sentence(state.active, "is active already")
            self._ddi.tell(number, "rejected", "none", text, "cancelAction")
            return
        if state.candidate and state.candidate["action"] == action:
            self._shelf.forget_candidate()
        self._ddi.tell(number, "closed", "success", "nothing is left of it", "cancelAction")

    def _deploy(self, url):
        state = self._shelf.state
        action, artifacts = self._ddi.deployment(url)
        if action is None or not state.is_final and state.active["action"] == action:
            return NOTHING
        if [each for each in state.told if each[0] == action]:
            return NOTHING  # it is over, and the server does not know yet
        is_new = not state.candidate or state.candidate["action"] != action
        if is_new:
            try:
                if not self._pull(action, artifacts):
                    return NOTHING
            except UpdateError as error:
                return self._refuse(action, str(error))
        is_active = self._shelf.try_candidate()
        self.said = self._shelf.said
        if is_active is False:
            self._tell()
            return REFUSED
        if is_new:
            self._proceeding(action)
        return UPDATED if is_active else STAGED

    # Store what an update has, as the candidate; False when it is active already, which the server
    # has forgotten or never heard.
    def _pull(self, action, artifacts):
        updates = [each for each in artifacts if each.filename.endswith(SUFFIX)]
        own = [each for each in updates if each.filename.startswith(self._name + "-")]
        if not updates:
            raise UpdateError("no file of the deployment ends in %s; assign an update" % SUFFIX)
        download = self._ddi.download((own or updates)[0])
        try:
            manifest = read_manifest(download.read_all, self._key)
            if self._shelf.has(manifest):
                state = self._shelf.state
                state.tell(action, "success", self._shelf.sentence(state.active, "is in use"))
                state.save()
                self._tell()
                return False
            self._shelf.check(manifest)
            self._shelf.store(manifest, action, download.read)
        finally:
            download.close()
        return True

    def _refuse(self, action, why):
        self.said = why
        self._shelf.state.tell(action, "failure", why)
        self._shelf.state.save()
        self._tell()
        return REFUSED

    # People who look at the server see how far it is; not worth a failure.
    def _proceeding(self, action):
        self._tell()
        try:  # noqa: SIM105
            self._ddi.tell(action, "proceeding", "none", self.said)
        except ServerError:
            pass
