# Tests of the choice of kernels for Xtensa: CONFIGID0 identifies ESP32 and ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
import qemu_xtensa
from fuzz.kernel_tracer import KERNELS
from packed_cases import BUILD
from tflm_tools.board.facts import script_source
from tflm_tools.packages import mpy_compiler
from tflm_tools.packages.machine_code import listing
from xtensa_core import Core

_FOLDER = (KERNELS / "xtensawin" / "__init__.py").read_text()
# CONFIGID0 as Espressif's headers have it (core-isa.h).
_ESP32, _S2, _S3 = 0xC2BCFFFE, 0xC2ECFAFE, 0xC2F0FFFE
_WITH_MAC16 = (_ESP32, _S3)
_YES = """
    #: 364100 entry a1, 32
    #: 0c12 movi.n a2, 1
    #: 1df0 retw.n
"""


# What a function of the shipped code says of a core.
def _answer(configid0, function="has_mac16"):
    (code,) = (code for name, _, code in listing.functions(_FOLDER) if name == function)
    core = Core(None, None)
    core.configid0 = configid0
    return core.call(code, [])


def test_the_answer():
    assert [_answer(known) for known in _WITH_MAC16] == [1, 1]
    near = {known ^ 1 << bit for known in _WITH_MAC16 for bit in range(32)}
    assert [_answer(other) for other in {_S2, 0, 0xFFFFFFFF, *near}] == [0] * (len(near) + 3)


def test_only_an_s3_has_vectors():
    near = {_S3 ^ 1 << bit for bit in range(32)}
    assert _answer(_S3, "has_pie") == 1
    assert [_answer(other, "has_pie") for other in (_ESP32, _S2, 0, 0xFFFFFFFF, *near)] == [0] * 36


# The folder's source as on a core that says yes.
def _on_an_esp32():
    head, rest = _FOLDER.split("def has_mac16() -> int:", 1)
    return head + "def has_mac16() -> int:" + _YES + rest[rest.index("    return 0") :]


needs_qemu = pytest.mark.skipif(
    not qemu_xtensa.is_there(),
    reason="there is no firmware for Xtensa; `bench/cycles.py --core xtensa` builds it",
)


# The core of qemu is unknown to it; the kernels for MAC16 are there only where the answer is yes.
@needs_qemu
@pytest.mark.parametrize("yes", [False, True])
def test_files_of_the_folder(yes):
    files = dict(qemu_xtensa.modules(BUILD))
    name = "tflm/kernels/xtensawin/__init__"
    files[f"{name}.mpy"] = mpy_compiler.compile_text(
        _on_an_esp32() if yes else _FOLDER, f"{name}.py", "xtensawin"
    )
    script = (
        "import tflm.kernels.xtensawin as folder\nfrom tflm.op_resolver import OpResolver\n"
        "kernel = OpResolver().kernel\n"
        "import tflm.kernels.conv_mac16, tflm.kernels.xtensawin.gen.conv_lanes\n"
        "print('conv_mac16' in folder.FILES)\n"
        "print(kernel('conv_mac16.eval_int8') != tflm.kernels.conv_mac16.eval_int8)\n"
        "print(kernel('conv_lanes.eval_int8') == folder.gen.conv_lanes.eval_int8)\n"
    )
    said = qemu_xtensa.run(qemu_xtensa.firmware(), files, script)
    assert said.split() == [str(yes), str(yes), "True"]


# `tflm deploy` sends that file to the board before it packs a model; what does not load says no.
@needs_qemu
def test_what_deploy_asks():
    asked = [
        mpy_compiler.compile_text(source, "tflm/kernels/xtensawin/__init__.py", arch)
        for source, arch in (
            (_FOLDER, "xtensawin"),
            (_on_an_esp32(), "xtensawin"),
            (
                "@micropython.viper\ndef has_mac16() -> int:\n    return 1\nhas_pie = has_mac16\n",
                "rv32imc",
            ),
        )
    ]
    asked += [b"", b"M\x05" + asked[1][2:]]
    text = script_source("core") + "".join(f"print(options({data!r}))\n" for data in asked)
    said = qemu_xtensa.run(qemu_xtensa.firmware(), {"none": b""}, text)
    assert said.split() == ["0", "1", "0", "0", "0"]
