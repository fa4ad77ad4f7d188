# Rules for the storages of MicroContext: each implements the protocol of tflm/tflite/storage.pyi
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import inspect
import re

import pytest
from rules.sources import PACKAGE
from tflm.tflite.allocator import MicroAllocator
from tflm.tflite.context import MicroContext
from tflm.tflite.flat_custom import FlatCustom
from tflm.tflite.prepare_model import prepare_model
from tflm_tools.image.rom import RomStorage

_PATH = PACKAGE / "tflite" / "storage.pyi"
_CLASSES = {n.name: n for n in ast.parse(_PATH.read_text()).body if isinstance(n, ast.ClassDef)}
_KEEP = {
    MicroAllocator: ("Storage", "PlanningStorage"),
    RomStorage: ("Storage", "PlanningStorage"),
    FlatCustom: ("Storage",),
}


# Return {name: parameters} of the methods of a protocol.
def _methods(protocol):
    nodes = [n for n in _CLASSES[protocol].body if isinstance(n, ast.FunctionDef)]
    return {node.name: [a.arg for a in node.args.args] for node in nodes}


def _attributes(protocol):
    return {n.target.id for n in _CLASSES[protocol].body if isinstance(n, ast.AnnAssign)}


@pytest.mark.parametrize("storage", _KEEP, ids=lambda storage: storage.__name__)
def test_storage_implements_the_protocol(storage):
    source = inspect.getsource(storage)
    for protocol in _KEEP[storage]:
        for name, wanted in _methods(protocol).items():
            found = list(inspect.signature(getattr(storage, name)).parameters.values())
            assert [p.name for p in found[: len(wanted)]] == wanted, name
            assert all(p.default is not p.empty for p in found[len(wanted) :]), name
        for name in _attributes(protocol):
            is_set = re.search(rf"self\.{name}\b[^\n(]*=[^=]", source)
            assert is_set or isinstance(getattr(storage, name, None), property), name


# Users call no method of a storage that the protocol lacks.
@pytest.mark.parametrize("user", [MicroContext, prepare_model], ids=["context", "prepare_model"])
def test_users_call_only_the_protocol(user):
    source = inspect.getsource(inspect.getmodule(user))
    asked = set(re.findall(r"\bstorage\.(?!pyi)(\w+)", source))
    known = set()
    for protocol in ("Storage", "PlanningStorage"):
        known |= _methods(protocol).keys() | _attributes(protocol)
    assert asked and asked <= known
