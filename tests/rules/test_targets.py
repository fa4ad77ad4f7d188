# Rules for instruction sets: the tools' entries agree with the runtime, kernels and generators
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import sys

import pytest
from rules.sources import KERNELS, PACKAGE, REPOSITORY, files, tree
from tflm import micropython_port
from tflm_tools import targets
from tflm_tools.errors import ToolError

sys.path.insert(0, str(REPOSITORY / "tools"))

from asm import make


# The tools install the folders that OpResolver searches. The runtime asks the core whether it has
# DSP instructions: a Cortex-M3 lacks them, although its arch is armv7em too.
@pytest.mark.parametrize("arch", micropython_port.ARCHS)
def testoverride_folders_equal_those_of_the_runtime(arch, monkeypatch):
    monkeypatch.setattr(micropython_port, "native_arch", lambda: arch)
    monkeypatch.setattr(micropython_port, "_has_assembler", lambda: True)
    monkeypatch.setattr(micropython_port, "_has_dsp", lambda: "s" in arch or "d" in arch)
    monkeypatch.setattr(micropython_port, "import_module", lambda name: None)
    monkeypatch.setattr(micropython_port, "_folders", None)
    assert tuple(micropython_port.override_folders()) == targets.override_folders(arch)


def test_each_folder_has_an_entry():
    assert set(targets.ARCHS) <= set(micropython_port.ARCHS)
    folders = {path.parent.name for path in KERNELS.glob("*/__init__.py")}
    assert folders | set(make.TARGETS) <= set(targets.ARCHS)


def test_each_target_has_a_weight_layout():
    for arch in targets.ARCHS.values():
        assert (arch.target is None) == (not arch.packing)
    for target in targets.TARGETS:
        assert list(KERNELS.glob(f"*_{targets.packing_of(target)}.py")), target
    assert targets.PACKING_TARGETS == (None, "armv6m", "armv7em", "mac16", "pie")
    assert targets.targets_help().startswith("armv6m (Cortex-M0+: RP2040), armv7em (")
    with pytest.raises(ToolError, match="use one of armv6m, armv7em"):
        targets.packing_of("armv8m")


@pytest.mark.parametrize(
    "kernels, arch, core, wanted",
    [
        (["conv_mac16.eval_int8", "softmax.eval_int8"], "armv6m", "", ["mac16"]),
        (["conv_lanes.eval_int8"], "armv6m", "", []),
        (["conv_lanes.eval_int8"], "xtensawin", "mac16", []),
        (["conv_mac16.eval_int8", "conv_lanes.eval_int8"], "xtensawin", "pie", []),
        (["conv_pie.eval_int8"], "xtensawin", "mac16", ["pie"]),
        (["conv_lanes.eval_int8"], "armv7emsp", "", ["lanes"]),
        (["conv.eval_int8"], "x64", "", []),
    ],
)
def test_packings_of_another_core(kernels, arch, core, wanted):
    assert targets.foreign_packings(kernels, arch, core) == wanted


# Prepare reads the packing of a target from its entry, and never names a target.
@pytest.mark.parametrize("path", files(PACKAGE / "prepare"), ids=lambda path: path.stem)
def test_prepare_does_not_name_targets(path):
    packings = {targets.packing_of(target) for target in targets.TARGETS}
    names = {*targets.ARCHS, *targets.TARGETS} - packings
    module = tree(path)
    values = {  # of constants of the module, by name
        ast.unparse(node.targets[0]): node.value
        for node in module.body
        if isinstance(node, ast.Assign)
    }
    for node in ast.walk(module):
        where = f"prepare/{path.name} line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Constant):
            assert node.value not in names, f"{where} names a target; ask context.target_packing"
        if ast.unparse(node) in ("context.target", "context.storage.target"):
            raise AssertionError(f"{where} asks for the target; ask context.target_packing")
        if isinstance(node, ast.Compare) and ast.unparse(node.left) == "context.target_packing":
            (value,) = node.comparators
            value = ast.literal_eval(values.get(ast.unparse(value), value))
            asked = {*value} if isinstance(value, tuple) else {value}
            assert asked <= {None, *packings}, f"{where}: no entry has the packing {asked}"
