# tflm.fleet: Fleet: keep a model up to date from a server: poll(), model(), confirm().
# MIT license; Copyright (c) 2026 the tflm authors

from binascii import unhexlify

from ..errors import InputError, check, check_count
from .ddi import SUFFIX, Ddi
from .http import Http, ServerError
from .model_store import ModelStore
from .p256 import is_key
from .update import UpdateError, is_name, read_manifest

NOTHING = "nothing"  # there is no update
UPDATED = "updated"  # another model is active: load model() again
STAGED = "staged"  # too little memory for a trial now: model() tries it after a reset
REFUSED = "refused"  # the update is invalid; the server gets the reason
FAILED = "failed"  # of the server, the network or the file system: poll() again later

_UNKNOWN_ACTION = (
    400,
    404,
    409,
    410,
)  # status codes: the server does not have the action any more


def _public_key(key):
    try:
        key = unhexlify(key.strip()) if isinstance(key, str) else bytes(key)
    except (ValueError, TypeError):
        key = b""
    if not is_key(key):
        raise InputError("key is no public key; pass the text of the .pub of `tflm fleet keygen`")
    return key


def _is_id(text):
    others = "-_."
    is_text = isinstance(text, str) and len(text) > 0
    return is_text and not [c for c in text if not (c.isalpha() or c.isdigit() or c in others)]


class Fleet:
    """Keep one model of a board up to date, from a server with hawkBit's DDI API.

    url: address of the server with its tenant, such as http://host:8080/DEFAULT.
    controller: the board's name at the server. token: of the target, or "GatewayToken ...".
    key: the public key that signs models: 64 bytes or their 128 hex digits.
    name: of the model; updates of other models are refused.
    folder: where models are stored; it must be writable.
    first, version: path and version of the model that the board has from the start.
    starts: how often a model may start before confirm().
    timeout: seconds that the server may be silent. Each byte of an answer's body adds 10 ms to
        the same number of seconds for the whole answer. tls: an ssl.SSLContext, for https.
    resolver: an OpResolver with custom operators. feed: a function that feeds a watchdog.

    said: a sentence about the last poll(). seconds: when the server expects the next poll(), at
    most a day; None if it does not say. Raises InputError for invalid arguments.
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
        self._store = ModelStore(folder, name, first, version, starts, resolver, feed)
        self.said = ""
        self.seconds = None

    @property
    def version(self):
        """The version of the active model."""
        return self._store.version

    def model(self):
        """Return the path of the active model, or None; call it before each load.

        The file was checked and tried, so tflm.load(path, trusted=True) is safe. It counts as a
        start until confirm(): after `starts` of them the previous model is active again.
        """
        return self._store.path()

    def confirm(self):
        """Confirm that the model of model() works: the previous model is removed.

        Call it after the program has used the model; further calls cost nothing.
        """
        self._store.confirm()

    def poll(self):
        """Ask the server once; return NOTHING, UPDATED, STAGED, REFUSED or FAILED.

        Then `said` is a sentence about it, and `seconds` is the time until the server expects the
        next poll. Raises nothing for errors of servers, networks, files and updates: the active
        model remains.
        """
        self.said = ""
        try:
            return self._poll()
        except ServerError as error:
            self.said = str(error)
        except OSError as error:
            self.said = "a file of the update fails (%s); check the file system" % error
        except MemoryError:
            self.said = "not enough heap for updates; poll before the model is loaded"
        return FAILED

    def _poll(self):
        self._send_reports()
        links, self.seconds = self._ddi.poll()
        if links.get("configData"):
            self._describe(links["configData"])
        if links.get("cancelAction"):
            self._cancel(links["cancelAction"])
        elif links.get("deploymentBase"):
            return self._deploy(links["deploymentBase"])
        return NOTHING

    # Send the reports that wait. A report of an action that the server does not have is dropped;
    # other errors keep it for the next poll.
    def _send_reports(self):
        state = self._store.state
        while state.reports:
            action, result, text = state.reports[0]
            try:
                self._ddi.send_feedback(action, "closed", result, text)
            except ServerError as error:
                if error.status not in _UNKNOWN_ACTION:
                    return
            state.reports = state.reports[1:]
            state.save()

    # Send what people see of the board at the server; a failure does not matter.
    def _describe(self, url):
        about = {"model": self._name, "version": str(self.version)}
        try:  # noqa: SIM105
            self._ddi.describe(url, about)
        except ServerError:
            pass

    # A model that is active already stays active.
    def _cancel(self, url):
        state = self._store.state
        number, action = self._ddi.cancelled(url)
        if not state.is_final and state.active["action"] == action:
            text = self._store.sentence(state.active, "is active already")
            self._ddi.send_feedback(number, "rejected", "none", text, "cancelAction")
            return
        if state.candidate and state.candidate["action"] == action:
            self._store.forget_candidate()
        self._ddi.send_feedback(number, "closed", "success", "it is removed", "cancelAction")

    def _deploy(self, url):
        state = self._store.state
        action, artifacts = self._ddi.deployment(url)
        if action is None or not state.is_final and state.active["action"] == action:
            return NOTHING
        if [each for each in state.reports if each[0] == action]:
            return NOTHING  # the action is finished, but the server has no report yet
        is_new = not state.candidate or state.candidate["action"] != action
        if is_new:
            try:
                if not self._pull(action, artifacts):
                    return NOTHING
            except UpdateError as error:
                return self._refuse(action, str(error))
        is_active = self._store.try_candidate()
        self.said = self._store.said
        if is_active is False:
            self._send_reports()
            return REFUSED
        if is_new:
            self._report_progress(action)
        return UPDATED if is_active else STAGED

    # Store an update as the candidate. Return False if it is active already: the server forgot or
    # never got the report.
    def _pull(self, action, artifacts):
        updates = [each for each in artifacts if each.filename.endswith(SUFFIX)]
        own = [each for each in updates if each.filename.startswith(self._name + "-")]
        if not updates:
            raise UpdateError("the deployment has no file *%s; assign an update" % SUFFIX)
        download = self._ddi.download((own or updates)[0])
        try:
            manifest = read_manifest(download.read_all, self._key)
            if self._store.has(manifest):
                state = self._store.state
                state.add_report(
                    action, "success", self._store.sentence(state.active, "is in use")
                )
                state.save()
                self._send_reports()
                return False
            self._store.check(manifest)
            self._store.store(manifest, action, download.read)
        finally:
            download.close()
        return True

    def _refuse(self, action, why):
        self.said = why
        self._store.state.add_report(action, "failure", why)
        self._store.state.save()
        self._send_reports()
        return REFUSED

    # Show people at the server how far the update is; a failure does not matter.
    def _report_progress(self, action):
        self._send_reports()
        try:  # noqa: SIM105
            self._ddi.send_feedback(action, "proceeding", "none", self.said)
        except ServerError:
            pass
