# tflm.fleet: hawkBit's Direct Device Integration API, as a board speaks it
# MIT license; Copyright (c) 2026 the tflm authors

import json

from .download import Download
from .http import ServerError, split

SUFFIX = ".tflu"  # of files that are updates
_MOST_DIGITS = 19  # of 64 bits


# What lies below keys and indices of an answer, where it is of the kind that is wanted.
def dig(data, kind, *path):
    for key in path:
        if isinstance(key, int):
            data = data[key] if isinstance(data, list) and key < len(data) else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, kind) else None


# Seconds of "HH:MM:SS"; None for anything else.
def _seconds(text):
    parts = (text or "").split(":")
    if len(parts) != 3 or [part for part in parts if not part.isdigit()]:
        return None
    return (int(parts[0]) * 60 + int(parts[1])) * 60 + int(parts[2])


# The number of an action, which is kept and goes into addresses; None for what cannot be one.
def _number(said):
    text = str(said.get("id"))
    return text if text.isdigit() and len(text) <= _MOST_DIGITS else None


class Artifact:
    """A file that the server offers: its name and address."""

    def __init__(self, said):
        self.filename = dig(said, str, "filename") or ""
        links = dig(said, dict, "_links") or {}
        # hawkBit calls the address "download" where it has https, and "download-http" else.
        plain = dig(links, str, "download-http", "href")
        self.url = plain or dig(links, str, "download", "href")


class Ddi:
    """What a server has for one board. url: with the tenant; token: the target's or gateway's."""

    def __init__(self, http, url, controller, token):
        self._http = http
        self._base = "%s/controller/v1/%s" % (url.rstrip("/"), controller)
        self._origin = split(url)[:3]
        scheme = "" if " " in token else "TargetToken "
        self._token = ["Authorization: %s%s" % (scheme, token)] if token else []

    # The token is for this server alone: others that it may name get none.
    def _headers(self, url):
        return self._token if split(url)[:3] == self._origin else []

    def _get(self, url):
        accept = ["Accept: application/hal+json, application/json"]
        return self._http.json(url, self._headers(url) + accept)

    def _send(self, method, url, data):
        headers = self._headers(url) + ["Content-Type: application/json"]
        self._http.ask(method, url, headers, json.dumps(data).encode()).close()

    def poll(self):
        """(links by name, seconds until the next poll or None)."""
        said = self._get(self._base)
        links = dig(said, dict, "_links") or {}
        found = {name: dig(links, str, name, "href") for name in links}
        return found, _seconds(dig(said, str, "config", "polling", "sleep"))

    def deployment(self, url):
        """(action, Artifacts) of what is to be installed; action None: not now."""
        said = self._get(url)
        action = _number(said)
        chunks = dig(said, list, "deployment", "chunks")
        if action is None or chunks is None:
            raise ServerError("%s is no deployment as DDI has it; check the server" % url)
        parts = [dig(chunk, list, "artifacts") or [] for chunk in chunks]
        found = [Artifact(each) for part in parts for each in part]
        if "skip" in (said["deployment"].get("download"), said["deployment"].get("update")):
            action = None
        return action, [each for each in found if each.url]

    def cancelled(self, url):
        """(id of the cancellation, id of the action that is to stop)."""
        said = self._get(url)
        number, stop = _number(said), (dig(said, dict, "cancelAction") or {}).get("stopId")
        if number is None:
            raise ServerError("%s is no cancellation as DDI has it; check the server" % url)
        return number, str(stop)

    def tell(self, action, execution, finished, text, kind="deploymentBase"):
        """Say how an action goes: execution "proceeding", "closed" and so on, finished "success",
        "failure" or "none"."""
        status = {"execution": execution, "result": {"finished": finished}, "details": [text]}
        url = "%s/%s/%s/feedback" % (self._base, kind, action)
        self._send("POST", url, {"id": action, "status": status})

    def describe(self, url, attributes):
        """Say what the board is: texts by name."""
        self._send("PUT", url, {"mode": "merge", "data": attributes})

    def download(self, artifact):
        """The Download of an Artifact."""
        return Download(self._http, artifact.url, self._headers(artifact.url))
