# tflm.fleet: Ddi: the device side of hawkBit's Direct Device Integration API.
# MIT license; Copyright (c) 2026 the tflm authors

import json

from .download import Download
from .http import ServerError, split

SUFFIX = ".tflu"  # of files of updates
_MAX_DIGITS = 19  # of a number of 64 bits
_MAX_SECONDS = 24 * 60 * 60  # until the next poll


# Return the value at a path of keys and indices in an answer; None if it is missing or not of a
# type.
def get_nested(data, kind, *path):
    for key in path:
        if isinstance(key, int):
            data = data[key] if isinstance(data, list) and key < len(data) else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, kind) else None


# Return the seconds of "HH:MM:SS", at most a day; None for any other text.
def _seconds(text):
    numbers = (text or "").split(":")
    if len(numbers) != 3 or [each for each in numbers if not each.isdigit() or len(each) > 9]:
        return None
    hours, minutes, seconds = map(int, numbers)
    return min((hours * 60 + minutes) * 60 + seconds, _MAX_SECONDS)


# Return the number of an action, which is stored and becomes a piece of addresses; None if it is
# invalid.
def _number(answer):
    text = str(answer.get("id"))
    return text if text.isdigit() and len(text) <= _MAX_DIGITS else None


class Artifact:
    """A file that the server offers: filename and url."""

    def __init__(self, data):
        self.filename = get_nested(data, str, "filename") or ""
        links = get_nested(data, dict, "_links") or {}
        # hawkBit names the address "download" for https, else "download-http".
        url = get_nested(links, str, "download-http", "href")
        self.url = url or get_nested(links, str, "download", "href")


class Ddi:
    """The API of a server for one board.

    http: an Http. url: with the tenant. controller: the board's name. token: of the target or the
    gateway. Methods raise ServerError.
    """

    def __init__(self, http, url, controller, token):
        self._http = http
        self._base = "%s/controller/v1/%s" % (url.rstrip("/"), controller)
        self._origin = split(url)[:3]
        scheme = "" if " " in token else "TargetToken "
        self._token = ["Authorization: %s%s" % (scheme, token)] if token else []

    # Return the headers for an address. Only this server gets the token, no other that it names.
    def _headers(self, url):
        return self._token if split(url)[:3] == self._origin else []

    def _get(self, url):
        accept = ["Accept: application/hal+json, application/json"]
        return self._http.json(url, self._headers(url) + accept)

    def _send(self, method, url, data):
        headers = self._headers(url) + ["Content-Type: application/json"]
        self._http.ask(method, url, headers, json.dumps(data).encode()).close()

    def poll(self):
        """Return ({name: link}, seconds until the next poll or None)."""
        answer = self._get(self._base)
        links = get_nested(answer, dict, "_links") or {}
        found = {name: get_nested(links, str, name, "href") for name in links}
        return found, _seconds(get_nested(answer, str, "config", "polling", "sleep"))

    def deployment(self, url):
        """Return (action, Artifacts) to install; action is None if not now."""
        answer = self._get(url)
        action = _number(answer)
        chunks = get_nested(answer, list, "deployment", "chunks")
        if action is None or chunks is None:
            raise ServerError("%s is no deployment of DDI; check the server" % url)
        found = []
        for chunk in chunks:
            found += [Artifact(each) for each in get_nested(chunk, list, "artifacts") or []]
        if "skip" in (answer["deployment"].get("download"), answer["deployment"].get("update")):
            action = None
        return action, [each for each in found if each.url]

    def cancelled(self, url):
        """Return (number of the cancellation, number of the action to stop)."""
        answer = self._get(url)
        number = _number(answer)
        stop = (get_nested(answer, dict, "cancelAction") or {}).get("stopId")
        if number is None:
            raise ServerError("%s is no cancellation of DDI; check the server" % url)
        return number, str(stop)

    def send_feedback(self, action, execution, finished, text, kind="deploymentBase"):
        """Send the progress of an action.

        execution: "proceeding", "closed" or "rejected". finished: "success", "failure" or "none".
        text: a sentence. kind: "cancelAction" for a cancellation.
        """
        status = {"execution": execution, "result": {"finished": finished}, "details": [text]}
        url = "%s/%s/%s/feedback" % (self._base, kind, action)
        self._send("POST", url, {"id": action, "status": status})

    def describe(self, url, attributes):
        """Send attributes of the board, {name: text}."""
        self._send("PUT", url, {"mode": "merge", "data": attributes})

    def download(self, artifact):
        """Return the Download of an Artifact."""
        return Download(self._http, artifact.url, self._headers(artifact.url))
