# Servers for the tests of tflm.fleet: the one of `tflm fleet serve`, and a faulty one
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import datetime
import json
import os
import signal
import ssl
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tflm_tools.fleet import server


class Faulty(server.Handler):
    """The beginning of a board's name selects the fault that it sees.

    cut_N: files end after N bytes, each time. once_N: only the first time. kill_N: then the
    board's process is killed (its pid is in server.pids). Others are methods of their own.
    """

    def parse_request(self):
        is_right = super().parse_request()
        if not is_right or "/controller/v1/" not in self.path:
            return is_right
        self.name = self.path.split("/controller/v1/")[1].split("/")[0]
        self.words = self.name.split("_")
        fault = getattr(self, "as_" + self.words[0], None)
        if fault:
            fault()
            self.close_connection = True
        return not fault

    def raw(self, text):
        self.wfile.write(text.replace("\n", "\r\n").encode())

    def as_status(self):
        self.raw(f"HTTP/1.1 {self.words[1]} No\nContent-Length: 2\n\nno")

    def as_silent(self):
        time.sleep(1.5)

    def as_dripping(self):
        with contextlib.suppress(OSError):
            for letter in "HTTP/1.1 200 OK\n":
                self.raw(letter)
                time.sleep(0.15)

    # Chunks of one byte, with long lines between them or slowly.
    def as_chunks(self):
        extension = "x" * 500 if self.words[1] == "long" else "x" * 10
        with contextlib.suppress(OSError):
            self.raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n")
            for letter in '{"_links":{}}':
                self.raw(f"1;{extension}\n{letter}\n")
                time.sleep(0.15)

    # The time until the next poll.
    def as_sleep(self):
        sleep = ":".join(self.words[1:])
        self.answer(200, {"_links": {}, "config": {"polling": {"sleep": sleep}}})

    def as_other(self):
        self.raw("220 mail server ready\n")

    def as_endless(self):
        with contextlib.suppress(OSError):
            self.raw("HTTP/1.1 200 OK\n" + "x: y\n" * 70)

    def as_page(self):
        self.raw("HTTP/1.1 200 OK\nContent-Length: 13\n\n<html></html>")

    def as_list(self):
        self.raw("HTTP/1.1 200 OK\nContent-Length: 2\n\n[]")

    def as_deep(self):
        self.raw("HTTP/1.1 200 OK\n\n" + "[" * 9000)

    def as_large(self):
        self.raw("HTTP/1.1 200 OK\n\n" + json.dumps({"_links": "x" * 17000}))

    def as_odd(self):
        links = {"deploymentBase": {"href": self.server.odd_url}}
        self.answer(200, {"_links": links} if self.words[1] == "links" else {"_links": 5})

    # HTTP's other ways to send a body: in chunks, and until the connection ends.
    def answer(self, status, data=b"", kind="application/hal+json", headers=()):
        words = getattr(self, "words", [""])
        if words[0] not in ("chunked", "ended"):
            super().answer(status, data, kind, headers)
            return
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.raw(f"HTTP/1.1 {status} OK\n")
        if words[0] == "chunked":
            self.raw("Transfer-Encoding: chunked\n\n")
            for at in range(0, len(body), 100):
                piece = body[at : at + 100]
                self.raw(f"{len(piece):x};x=y\n")
                self.wfile.write(piece + b"\r\n")
            self.raw("0\n\n")
        else:
            self.raw("\n")
            self.wfile.write(body)
        self.close_connection = True

    def _file(self, offer):
        kind = self.words[0]
        if kind not in ("cut", "once", "kill", "whole"):
            super()._file(offer)
            return
        if kind == "whole":  # it does not support ranges
            del self.headers["Range"]
        is_first = self.name not in self.server.cut
        self.server.cut.add(self.name)
        if is_first or kind == "cut":
            self.wfile = _Cut(self.wfile, int(self.words[1]))
        try:
            super()._file(offer)
        except _Broken:
            if kind == "kill":
                os.kill(self.server.pids[self.name], signal.SIGKILL)
            self.close_connection = True


class _Broken(Exception):
    pass


# A connection that ends after `left` bytes of a body.
class _Cut:
    def __init__(self, stream, left):
        self._stream, self._left = stream, left
        self._is_body = False
        self.closed = False

    def write(self, data):
        if data.startswith(b"HTTP/"):
            self._stream.write(data)
            return
        self._stream.write(data[: self._left])
        self._stream.flush()
        self._left -= len(data)
        if self._left < 0:
            raise _Broken

    def flush(self):
        self._stream.flush()

    def close(self):
        self._stream.close()


def certificate(path):
    """Write a key and a self-signed certificate for localhost; return the certificate as DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    begin = datetime.datetime(2024, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, begin)
    builder = builder.not_valid_after(begin + datetime.timedelta(36500))
    builder = builder.add_extension(x509.BasicConstraints(True, None), True)
    signed = builder.sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    key_format = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(pem, *key_format) + signed.public_bytes(pem))
    return signed.public_bytes(serialization.Encoding.DER)


class Site:
    """A server with its folder. said: the lines that all boards sent. Use it in a `with`.

    queue: updates (bytes), of which the next one is offered once one has failed. pem: a file with
    key and certificate, for https.
    """

    def __init__(self, folder, token="", handler=Faulty, pem=None):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.said, self.queue = [], []
        self._server = server.Server(folder, port=0, token=token, log=self._hear,
                                     handler=handler)  # fmt: skip
        self._server.cut, self._server.pids, self._server.odd_url = set(), {}, ""
        self.pids = self._server.pids
        port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{port}/DEFAULT"
        if pem:
            self.url = f"https://localhost:{port}/DEFAULT"
            self._server.scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def _hear(self, line):
        self.said.append(line)
        if self.queue and ": failure: " in line:
            self.put(self.queue.pop(0))

    def put(self, data):
        """Offer one update, and no others."""
        for path in self.folder.iterdir():
            path.unlink()
        (self.folder / "gestures-x.tflu").write_bytes(data)

    def links_to(self, url):
        self._server.odd_url = url

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
