# firmware: downloads sources and compilers from any suite of Debian, without installing them
# MIT license; Copyright (c) 2026 the tflm authors

import getpass
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tflm_tools.errors import ToolError

_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_APT = Path("/etc/apt")


def say(text):
    """Print a line about the current step to stderr."""
    print(f"firmware: {text}", file=sys.stderr, flush=True)


# Yield (address, suite) of each source in the configuration of apt.
def _apt_sources():
    for path in sorted(_APT.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            stanza = "\n".join(x for x in stanza.splitlines() if not x.startswith("#"))
            address = re.search(r"^URIs:\s*(\S+)", stanza, re.M)
            suite = re.search(r"^Suites:\s*(\S+)", stanza, re.M)
            if address and suite:
                yield address[1], suite[1]
    for path in [_APT / "sources.list", *sorted(_APT.glob("sources.list.d/*.list"))]:
        if path.exists():
            pattern = r"^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)"
            yield from re.findall(pattern, path.read_text(), re.M)


def archive():
    """Return (address, suite) of the Debian archive that this machine uses."""
    if not _KEYS.exists() or not shutil.which("apt-get"):
        raise ToolError(
            "sources and compilers come from Debian's packages, and this is not Debian; build in "
            "a Debian 12 container, or name MicroPython's checkout with MICROPYTHON_DIR="
        )
    for address, suite in _apt_sources():
        if address.rstrip("/").endswith("debian") and "security" not in suite + address:
            return address, suite.removesuffix("-updates")
    raise ToolError(
        "apt's sources name no Debian archive; add one to /etc/apt, or name MicroPython's "
        "checkout with MICROPYTHON_DIR="
    )


class Suite:
    """A suite of Debian, with separate apt lists and downloads below `folder`.

    name: "sid", "trixie", or None for this machine's suite.
    """

    def __init__(self, folder, name=None):
        address, own = archive()
        self.name = name or own
        self.folder = Path(folder).absolute() / self.name
        self.downloads = self.folder / "downloads"
        for name in ("lists/partial", "cache/archives/partial", "sources", "downloads"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        signed = f"[signed-by={_KEYS}] {address} {self.name} main\n"
        (self.folder / "sources" / "suite.list").write_text(f"deb {signed}deb-src {signed}")
        self._updated = False

    # Run apt-get with this suite only; return its output.
    def _apt(self, *arguments):
        options = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": self.folder / "sources",
            "Dir::State::Lists": self.folder / "lists",
            "Dir::Cache": self.folder / "cache",
            "APT::Sandbox::User": getpass.getuser(),
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
        }
        flags = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        answer = subprocess.run(
            ["apt-get", "-qq", *flags, *arguments],
            cwd=self.downloads,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if answer.returncode:
            said = (answer.stderr or answer.stdout).strip().splitlines() or ["no output"]
            raise ToolError(
                f"apt-get {arguments[0]} of Debian's {self.name} failed ({said[-1]}); "
                "check the network and apt's sources"
            )
        return answer.stdout

    def update(self):
        """Fetch the lists of packages, once."""
        if not self._updated:
            self._apt("update")
            self._updated = True

    def source(self, *names):
        """Download source packages; return the .orig tar file of each."""
        self.update()
        for name in names:
            if not list(self.downloads.glob(f"{name}_*.orig.tar.*")):
                say(f"fetching the sources of {name} from Debian's {self.name}")
                self._apt("source", "--download-only", name)
        found = [sorted(self.downloads.glob(f"{name}_*.orig.tar.[xgb]z*")) for name in names]
        return [files[-1] for files in found]

    def download(self, *names):
        """Download binary packages; return the .deb of each."""
        self.update()
        missing = [name for name in names if not list(self.downloads.glob(f"{name}_*.deb"))]
        if missing:
            say(f"fetching {', '.join(missing)} from Debian's {self.name}")
            self._apt("download", *missing)
        return [sorted(self.downloads.glob(f"{name}_*.deb"))[-1] for name in names]

    def missing(self, *names):
        """Return these packages and their dependencies without those that this machine has."""
        self.update()
        plan = self._apt("install", "--simulate", "--no-install-recommends", *names)
        # -qq hides the plan's text except the lines "Inst NAME (VERSION ...)".
        return re.findall(r"^Inst (\S+)", plan, re.M)


def unpack(deb, folder):
    """Unpack a .deb below a folder."""
    subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)


def members(deb):
    """Return a .deb's files as a stream for tarfile.open(fileobj=..., mode="r|")."""
    return subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE).stdout
