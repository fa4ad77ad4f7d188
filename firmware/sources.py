# firmware: gets MicroPython's sources and the Pico's libraries from Debian's source packages
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shutil
import tarfile
from pathlib import Path

from debian import Suite, unpack
from tflm_tools import files
from tflm_tools.errors import ToolError

# Parts of the names of kernels that stay in flash, because heap is short on a Pico. Few models run
# the first ones. The others are all kernels for float32, int16 and hybrid operators: their
# arithmetic takes so long that waiting for flash adds 2 or 3 %.
COLD = (
    "dense_lut", "fully_connected_bands", "pooling_rows", "transpose_conv",
    "armv6m_gen_add_tflm", "armv6m_gen_arg_min_max", "armv6m_gen_attention",
    "armv6m_gen_batch_matmul", "armv6m_gen_cast", "armv6m_gen_comparisons",
    "armv6m_gen_conv_tflm", "armv6m_gen_cumsum", "armv6m_gen_depthwise_conv_tflm",
    "armv6m_gen_dequantize", "armv6m_gen_div", "armv6m_gen_log_softmax",
    "armv6m_gen_lstm_float", "armv6m_gen_maximum_minimum", "armv6m_gen_mul", "armv6m_gen_pad",
    "armv6m_gen_prelu", "armv6m_gen_reduce", "armv6m_gen_rescale", "armv6m_gen_resize",
    "armv6m_gen_squared_difference", "armv6m_gen_unpack_int4",
    "armv6m_float", "armv6m_gen_float", "float_tflm_slash_kernels_slash_armv6m",
    "armv6m_gen_conv_int16", "armv6m_gen_depthwise_conv_int16",
    "armv6m_gen_fully_connected_int16", "armv6m_hybrid", "armv6m_gen_hybrid",
    "armv6m_gen_add_int16", "armv6m_gen_mul_int16", "armv6m_gen_pooling_int16",
    "armv6m_gen_sigmoid_int16", "armv6m_gen_softmax_int16",
)  # fmt: skip

# Parts of the names of functions in RAM: kernels for a Cortex-M except COLD, the code that gives
# units to core 1, tflm.detect and tflm.features.
HOT = ("tflm_kernels_armv", "tflm_run_second_core", "tflm_detect_", "tflm_features_")
# Parts of the names of kernels that are in RAM if the firmware has the blocks of tflm.features,
# which run them.
HOT_WITH_FEATURES = (
    "kernels_float32_divide", "kernels_float32_log", "kernels_float32_sqrt",
    "kernels_armv6m_float32_tflm", "kernels_armv6m_gen_float32_asm",
)  # fmt: skip

# Three changes to tools/mpy-tool.py of MicroPython 1.26: (before, after).
# 1. Align frozen native functions to 4 bytes. Each starts with a word and has constants between
#    its instructions, and a Cortex-M0+ loads words only from multiples of 4.
# 2. Pad functions to even lengths. RISC-V's assembler ignores .align 1 in code sections, so a
#    function of odd length would misalign the next one.
# 3. Put hot code into a separate section for a linker script (boards/common/hot_code.cmake). The
#    arguments of the tool name all frozen files.
_HALFWORDS = "__attribute__ ((aligned (2)))"
_REPAIRS = (
    (_HALFWORDS, "__attribute__ ((aligned (4)))"),
    (
        "% (self.escaped_name, len(self.fun_data), self.fun",
        "% (self.escaped_name, (len(self.fun_data) + 1) & ~1, self.fun",
    ),
    (
        "& ~1, self.fun_data_attributes)",
        f"""& ~1, self.fun_data_attributes.replace('".text,', '".text.kernels,' if any(
                hot in self.escaped_name for hot in {HOT}
            ) and not any(cold in self.escaped_name for cold in {COLD}) or any(
                hot in self.escaped_name for hot in {HOT_WITH_FEATURES}
            ) and any('tflm/features/block.mpy' in name for name in sys.argv) else '".text,'))""",
    ),
)
# The third change as an older version of this project, with other names, has made it.
_OLDER = re.compile(r"""& ~1, self\.fun_data_attributes\.replace\(.*?'"\.text,'\)\)""", re.DOTALL)

# A file that exists if a port's submodules have been fetched.
_SUBMODULE = {
    "rp2": "pico-sdk/pico_sdk_init.cmake",
    "qemu": "micropython-lib/README.md",
    "esp32": "micropython-lib/README.md",
}


# Unpack a tar file beside the folder `target`; return the temporary folder and the one inside it.
def _extract(archive, target):
    partial = target.with_name(target.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "tar_filter"):
            tar.extractall(partial, filter="tar")
        else:
            tar.extractall(partial)
    (inner,) = partial.iterdir()
    return partial, inner


# Apply _REPAIRS to mpy-tool.py, if they are not applied yet.
def _repair(micropython):
    path = micropython / "tools" / "mpy-tool.py"
    text = was = path.read_text()
    text = _OLDER.sub(_REPAIRS[-1][0], text)
    for before, after in _REPAIRS:
        if after not in text and before not in text:
            raise ToolError(
                f"{path} is not MicroPython 1.26's, so frozen native code may fault; use "
                "MicroPython 1.26, or name your own checkout with MICROPYTHON_DIR="
            )
        text = text.replace(before, after)
    if text != was:
        files.write(path, text.encode())


class Sources:
    """MicroPython's source tree below `folder`, which is fetched at first use.

    micropython: its folder. library: replacement for micropython-lib, which Debian's source
    package lacks. own: the user's checkout, which is used instead; `library` is None then.
    """

    def __init__(self, folder, own=None):
        self.folder = Path(folder).absolute()
        self.library = None
        if own:
            self.micropython = Path(own).absolute()
            if not (self.micropython / "py" / "mpconfig.h").exists():
                raise ToolError(f"{own} is not a checkout of MicroPython; check MICROPYTHON_DIR=")
            return
        self.micropython = self.folder / "micropython"
        self.library = self.folder / "no-library"
        if not self.micropython.exists():
            self._fetch()
        _repair(self.micropython)  # sources fetched by an older version of this project lack some

    def check_submodules(self, port):
        """Raise ToolError for the user's checkout if it lacks a port's submodules."""
        needed = self.micropython / "lib" / _SUBMODULE[port]
        if self.library is None and not needed.exists():
            raise ToolError(
                f"{self.micropython} has no submodules yet; fetch them with: "
                f"make -C {self.micropython / 'ports' / port} submodules"
            )

    def check_frozen(self, arch):
        """Raise ToolError for the user's checkout if it would misalign frozen code."""
        tool = self.micropython / "tools" / "mpy-tool.py"
        if self.library is None and arch == "armv6m" and _HALFWORDS in tool.read_text():
            raise ToolError(
                f"{tool} aligns frozen functions to 2 bytes, and a Cortex-M0+ misreads their "
                "constants; replace aligned (2) by aligned (4) there"
            )

    def _fetch(self):
        (archive,) = Suite(self.folder / "packages", "sid").source("micropython")
        partial, inner = _extract(archive, self.micropython)
        self.library.mkdir(exist_ok=True)
        (self.library / "README.md").write_text("Replaces micropython-lib.\n")
        os.replace(inner, self.micropython)
        partial.rmdir()

    def add_pico(self):
        """Fetch the libraries of ports/rp2: pico-sdk, TinyUSB and mbedTLS."""
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
            partial, inner = _extract(archive, libraries["mbedtls"])
            os.replace(inner, libraries["mbedtls"])
            partial.rmdir()
        if not libraries["tinyusb"].exists():
            # MicroPython 1.26 needs the Pico's SDK of trixie; the SDK of sid is too new.
            for deb in Suite(packages, "trixie").download("pico-sdk-source", "tinyusb-source"):
                unpack(deb, self.folder / "pico")
        for name, target in libraries.items():
            link = self.micropython / "lib" / name
            # Relative, so that the folder can be moved.
            destination = os.path.relpath(target, link.parent)
            if not link.is_symlink():
                link.rmdir()
            elif os.readlink(link) != destination:
                link.unlink()
            if not link.is_symlink():
                link.symlink_to(destination)


def version(micropython):
    """Return MicroPython's version in py/mpconfig.h, like "1.26.1"."""
    numbers = {}
    for line in (Path(micropython) / "py" / "mpconfig.h").read_text().splitlines():
        words = line.split()
        if len(words) > 2 and words[1].startswith("MICROPY_VERSION_"):
            numbers[words[1].removeprefix("MICROPY_VERSION_")] = words[2]
    return ".".join(numbers.get(name, "0") for name in ("MAJOR", "MINOR", "MICRO"))
