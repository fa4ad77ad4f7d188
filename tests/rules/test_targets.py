# Rules for instruction sets: the tools' entries agree with the runtime, kernels and generators
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import KERNELS, REPOSITORY
from tflm import op_resolver
from tflm_tools import targets

sys.path.insert(0, str(REPOSITORY / "tools"))

from asm import make


# What the tools give a board is what OpResolver looks for there. Of the arch armv7em alone nobody
# knows whether it has DSP instructions: the runtime asks the core.
@pytest.mark.parametrize("arch", op_resolver.ARCHS)
def test_twin_folders_are_those_of_the_runtime(arch, monkeypatch):
    monkeypatch.setattr(op_resolver, "native_arch", lambda: arch)
    monkeypatch.setattr(op_resolver, "_has_assembler", lambda: True)
    monkeypatch.setattr(op_resolver, "_has_dsp", lambda: arch != "armv7em")
    monkeypatch.setattr(op_resolver, "free_bytes", lambda: 1 << 30)
    monkeypatch.setattr(op_resolver, "_folders", None)
    assert tuple(op_resolver._twin_folders()) == targets.twin_folders(arch)


def test_each_folder_has_an_entry():
    assert set(targets.ARCHS) <= set(op_resolver.ARCHS)
    folders = {path.parent.name for path in KERNELS.glob("*/__init__.py")}
    assert folders | set(make.TARGETS) <= set(targets.ARCHS)


def test_records_are_those_of_a_target():
    for arch in targets.ARCHS.values():
        assert (arch.target is None) == (not arch.records)
        assert arch.records in ("", *targets.TARGETS)
    assert targets.FORMS == (None, "armv6m", "armv7em", "mac16")
    assert targets.targets_help().startswith("armv6m (Cortex-M0+: RP2040), armv7em (")
