# Tests of the page: a local server, and headless Chromium
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import http.server
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

_CHROMIUM = "/usr/bin/chromium"
_WORDS = Path(__file__).resolve().parents[2] / "models" / "keywords" / "words.wav"
# No sandbox: containers have no user namespaces. A recording of words is the microphone. The other
# options stop requests for updates.
_OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={_WORDS}%noloop",
]  # fmt: skip


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """Serve a folder below a server's root; yield its address."""
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "some").mkdir()
        (Path(root) / "some" / "folder").symlink_to(folder)
        handler = functools.partial(_Quiet, directory=root)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/some/folder/"
            server.shutdown()


@contextmanager
def chromium():
    """Yield a browser of playwright; `make -C page test` installs it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_OPTIONS)
        yield browser
        browser.close()
