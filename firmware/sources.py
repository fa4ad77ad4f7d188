# firmware: MicroPython's sources with the libraries of the Pico, out of Debian's source packages
# MIT license; Copyright (c) 2026 the tflm authors

import os
import shutil
import tarfile
from pathlib import Path

from debian import Suite, unpack
from tflm_tools import files
from tflm_tools.errors import ToolError

# Kernels that stay in flash: few models run them, and heap is short on a Pico.
COLD = ("dense_lut", "lut_asm", "fully_connected_bands", "pooling_rows", "transpose_conv")

# Changes to frozen native code, (before, after) in tools/mpy-tool.py of MicroPython 1.26. Two are
# repairs: a frozen native function begins with a word, and has constants between its instructions,
# that a Cortex-M0+ can only load from multiples of 4; and RISC-V's assembler drops .align 1 in
# code sections, so a function of odd length would make the next one odd, too. The third lets a
# linker script (boards/common/hot_code.cmake) tell hot code, which is the kernels for a Cortex-M
# but COLD and what hands units to core 1, from all other; behind it, what older states of this
# project had there.
_HALFWORDS = "__attribute__ ((aligned (2)))"


# The third, with kernels that stay in flash.
def _placed(cold):
    return f"""& ~1, self.fun_data_attributes.replace('".text,', '".text.kernels,' if any(
                hot in self.escaped_name for hot in ('tflm_kernels_armv', 'tflm_run_second_core')
            ) and not any(cold in self.escaped_name for cold in {cold}) else '".text,'))"""


_REPAIRS = (
    (_HALFWORDS, "__attribute__ ((aligned (4)))"),
    (
        "% (self.escaped_name, len(self.fun_data), self.fun",
        "% (self.escaped_name, (len(self.fun_data) + 1) & ~1, self.fun",
    ),
    (
        "& ~1, self.fun_data_attributes)",
        _placed(COLD),
        _placed(("dense_lut", "lut_asm", "fully_connected_bands", "pooling_rows")),
        """& ~1, self.fun_data_attributes.replace('".text,', '".text.kernels,' if any(
                hot in self.escaped_name for hot in ('tflm_kernels_armv', 'tflm_run_second_core')
            ) else '".text,'))""",
        """& ~1, self.fun_data_attributes.replace('".text,',
                '".text.kernels,' if 'tflm_kernels_armv' in self.escaped_name else '".text,'))""",
    ),
)

# A file that is there when a port's submodules are.
_SUBMODULE = {
    "rp2": "pico-sdk/pico_sdk_init.cmake",
    "qemu": "micropython-lib/README.md",
    "esp32": "micropython-lib/README.md",
}


# Unpack a tar file as the folder `target`, whole or not at all.
def _extract(archive, target):
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(part, filter="tar") if hasattr(tarfile, "tar_filter") else tar.extractall(
            part
        )
    (inner,) = part.iterdir()
    return part, inner


# Change mpy-tool.py; what was changed before stays as it is.
def _repair(micropython):
    path = micropython / "tools" / "mpy-tool.py"
    text = was = path.read_text()
    for before, after, *older in _REPAIRS:
        for was_after in older:
            text = text.replace(was_after, before)
        if after not in text and before not in text:
            raise ToolError(
                f"{path} is not as this build knows it, so frozen native code may fault; use "
                "MicroPython 1.26, or name your own checkout with MICROPYTHON_DIR="
            )
        text = text.replace(before, after)
    if text != was:
        files.write(path, text.encode())


class Sources:
    """MicroPython's source tree below `folder`, fetched when it is not there.

    micropython: its folder. library: what stands in for micropython-lib, which Debian's source
    package lacks; None with a checkout of the user's, which has its own.
    """

    def __init__(self, folder, own=None):
        self.folder = Path(folder).absolute()
        self.library = None
        if own:
            self.micropython = Path(own).absolute()
            if not (self.micropython / "py" / "mpconfig.h").exists():
                raise ToolError(f"{own} is no checkout of MicroPython; check MICROPYTHON_DIR=")
            return
        self.micropython = self.folder / "micropython"
        self.library = self.folder / "no-library"
        if not self.micropython.exists():
            self._fetch()
        _repair(self.micropython)  # sources of an older state of this project lack some

    def check_submodules(self, port):
        """Raise ToolError for a checkout of the user's own without what a port needs of lib/."""
        needed = self.micropython / "lib" / _SUBMODULE[port]
        if self.library is None and not needed.exists():
            raise ToolError(
                f"{self.micropython} has no submodules yet; fetch them with: "
                f"make -C {self.micropython / 'ports' / port} submodules"
            )

    def check_frozen(self, arch):
        """Raise ToolError for a checkout of the user's own that would freeze code amiss."""
        tool = self.micropython / "tools" / "mpy-tool.py"
        if self.library is None and arch == "armv6m" and _HALFWORDS in tool.read_text():
            raise ToolError(
                f"{tool} lets frozen functions begin at any halfword, where constants of theirs "
                "are misread by a Cortex-M0+; write aligned (4) in place of aligned (2) there"
            )

    def _fetch(self):
        (archive,) = Suite(self.folder / "packages", "sid").source("micropython")
        part, inner = _extract(archive, self.micropython)
        self.library.mkdir(exist_ok=True)
        (self.library / "README.md").write_text("In place of micropython-lib.\n")
        os.replace(inner, self.micropython)
        part.rmdir()

    def add_pico(self):
        """Fetch what ports/rp2 needs besides: pico-sdk, TinyUSB and mbedTLS."""
        if self.library is None:
            return
        packages = self.folder / "packages"
        libraries = {
            "pico-sdk": self.folder / "pico" / "usr" / "src" / "pico-sdk",
            "tinyusb": self.folder / "pico" / "usr" / "src" / "tinyusb",
            "mbedtls": self.folder / "mbedtls",
        }
        if not libraries["mbedtls"].exists():
            (archive,) = Suite(packages, "sid").source("mbedtls")
            part, inner = _extract(archive, libraries["mbedtls"])
            os.replace(inner, libraries["mbedtls"])
            part.rmdir()
        if not libraries["tinyusb"].exists():
            # The Pico's SDK of trixie fits MicroPython 1.26; the one of sid does not.
            for deb in Suite(packages, "trixie").download("pico-sdk-source", "tinyusb-source"):
                unpack(deb, self.folder / "pico")
        for name, target in libraries.items():
            link = self.micropython / "lib" / name
            # Relative, so that the folder can be moved.
            place = os.path.relpath(target, link.parent)
            if not link.is_symlink():
                link.rmdir()
            elif os.readlink(link) != place:
                link.unlink()
            if not link.is_symlink():
                link.symlink_to(place)


def version(micropython):
    """MicroPython's version, "1.26.1", as py/mpconfig.h has it."""
    numbers = {}
    for line in (Path(micropython) / "py" / "mpconfig.h").read_text().splitlines():
        words = line.split()
        if len(words) > 2 and words[1].startswith("MICROPY_VERSION_"):
            numbers[words[1].removeprefix("MICROPY_VERSION_")] = words[2]
    return ".".join(numbers.get(name, "0") for name in ("MAJOR", "MINOR", "MICRO"))
