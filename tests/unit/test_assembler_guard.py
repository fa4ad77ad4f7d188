# Tests of micropython_port.py: assembler kernels are not imported where they would crash
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit.on_device import device


# Return the folders of kernels on a board of an instruction set, with these inline assemblers.
def folders(arch, assemblers):
    script = """
        from tflm import micropython_port

        def execute(source, scope):
            if not [name for name in ASSEMBLERS if "@micropython." + name in source]:
                raise SyntaxError("invalid micropython decorator")

        micropython_port.native_arch = lambda: ARCH
        micropython_port.exec = execute
        print(" ".join(micropython_port.override_folders()))
        """
    return device(script, ARCH=arch, ASSEMBLERS=assemblers)[-1].split()


@pytest.mark.parametrize(
    ("arch", "assemblers", "wanted"),
    [
        ("armv6m", ("asm_thumb",), ["armv6m"]),
        ("armv6m", (), []),
        ("armv7m", (), []),
        ("rv32imc", (), ["rv32imc"]),
        ("xtensawin", (), ["xtensawin"]),
        ("x64", (), ["x64"]),
        ("", (), []),
    ],
)
def test_folders(arch, assemblers, wanted):
    assert folders(arch, assemblers) == wanted


def test_most_specific_folder_first():
    assert folders("armv7emsp", ("asm_thumb",))[-1] == "armv6m"


# The unix port has no inline assembler for its own instruction set, so its compiler refuses.
def test_compiler_without_assembler():
    script = """
        from tflm import micropython_port
        print(micropython_port._has_assembler())
        """
    assert device(script)[-1] == "False"
