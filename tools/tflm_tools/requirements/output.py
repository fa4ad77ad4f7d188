# tflm_tools: output: writes a resolver and a manifest with only the kernels that models need
# MIT license; Copyright (c) 2026 the tflm authors

import os
from pathlib import Path

from tflm.format import CONTROL_KERNEL, CUSTOM_KERNEL
from tflm.introspection.op_names import name
from tflm.prepare.table import CUSTOM, OPS

from .. import files
from ..errors import ToolError
from ..packages import runtime_files
from ..targets import override_folders
from .files import kernels_in, prepare_in

_MANIFEST = Path(__file__).resolve().parents[3] / "modules" / "manifest.py"

_RESOLVER = '''\
# Resolver with only the operators of these models; written by `tflm ops --resolver`
{models}

from tflm import OpResolver
from tflm.errors import UnsupportedError
from tflm.introspection.op_names import name

_BUILTIN = (
{builtin})
_SHIPPED = (
{shipped})
_KERNELS = (
{kernels})


class Resolver(OpResolver):
    """Refuses all other operators and kernels; {custom}"""

    def builtin(self, code):
        if code in _BUILTIN or code in self._builtin:
            return super().builtin(code)
        raise UnsupportedError(
            "the resolver lacks the operator %s; write it again with: "
            "tflm ops MODEL --resolver FILE" % name(code)
        )

    def shipped(self, name):
        return super().shipped(name) if name in _SHIPPED else None

    def kernel(self, name):
        if name in _KERNELS:
            return super().kernel(name)
        raise UnsupportedError(
            "the resolver lacks the kernel %s; write it again with: "
            "tflm ops MODEL --resolver FILE" % name
        )
'''


# Raise ToolError for models that do not run.
def _check(needs):
    for model in needs.models:
        if model.missing:
            entry = model.missing[0]
            raise ToolError(
                f"{model.path} does not run on tflm: {entry.op}: {entry.reason}; see all with: "
                "tflm inspect"
            )


# Comment lines with the names of the models' files.
def _names(needs):
    return "\n".join("#   " + " ".join(Path(model.path).name.split()) for model in needs.models)


# The kernels that a resolver loads: neither control flow nor a user's operators.
def _own_kernels(needs):
    kernels = kernels_in(needs.models, needs.form)
    return [k for k in kernels if not k.startswith((CUSTOM_KERNEL, CONTROL_KERNEL))]


# The items of a tuple, one per line. items: [(item, comment)].
def _lines(items):
    return "".join(f"    {item},{comment}\n" for item, comment in items)


def resolver_source(needs):
    """Return the Python source of a Resolver with only the operators and kernels of Needs.

    A board uses it for .tflm and .tflite files. Raises ToolError if an operator is missing.
    """
    _check(needs)
    ops = {op.name: op for model in needs.models for op in model.ops}.values()
    codes = sorted({op.code for op in ops if op.code in OPS})
    custom = sorted({op.name for op in ops if op.code is None})
    users = [op for op in custom if op not in CUSTOM and _is_users(needs, op)]
    text = "the models have no custom operators."
    if users:
        text = "add your operators with add_custom: " + ", ".join(users) + "."
    return _RESOLVER.format(
        models=_names(needs),
        builtin=_lines((code, f"  # {name(code)}") for code in codes),
        shipped=_lines((repr(op).replace("'", '"'), "") for op in custom if op in CUSTOM),
        kernels=_lines((f'"{kernel}"', "") for kernel in _own_kernels(needs)),
        custom=text.replace("\\", "").replace('"', "'"),
    )


# True for a custom operator of a user. A .tflm has no names of custom operators that tflm
# provides.
def _is_users(needs, op):
    return any(CUSTOM_KERNEL + op in kernels_in([model], "both") for model in needs.models)


def manifest_source(needs, output, arch=""):
    """Return a MicroPython manifest that freezes only the kernels and files of Prepare of Needs.

    output: the manifest's path, from which the path of modules/manifest.py is relative. arch: of
    the board, "" for portable kernels only. Raises ToolError if an operator is missing.
    """
    _check(needs)
    kernels = sorted({kernel.partition(".")[0] for kernel in _own_kernels(needs)})
    folders = [f for f in override_folders(arch) if runtime_files.exists(f"kernels/{f}/__init__")]
    path = "modules/manifest.py"
    if _MANIFEST.exists():
        path = os.path.relpath(_MANIFEST, Path(output).resolve().parent)
    lines = [
        "# tflm with what these models need; written by `tflm ops --manifest`",
        _names(needs),
        "",
        "include(",
        f"    {Path(path).as_posix()!r},",
        f'    arch="{" ".join(folders)}",',
        *_words("kernels", kernels or ["copy"]),
    ]
    prepare = [file for file in prepare_in(needs.models, needs.form) if file != "table"]
    if needs.form == "flat" or not prepare:
        lines.append("    prepare=False,")
    else:
        lines += _words("prepare", prepare)
    return "\n".join([*lines, ")"]) + "\n"


# The lines of an option with a list of words.
def _words(option, words):
    lines, line = [f"    {option}=("], ""
    for word in words:
        if len(line) + len(word) > 80:
            lines.append(f'        "{line}"')
            line = ""
        line += word + " "
    return [*lines, f'        "{line.rstrip()}"', "    ),"]


def write_outputs(needs, resolver=None, manifest=None, arch=""):
    """Write a resolver and a manifest to these paths, where given; returns the written paths."""
    written = []
    if resolver:
        files.write(resolver, resolver_source(needs).encode())
        written.append(str(resolver))
    if manifest:
        files.write(manifest, manifest_source(needs, manifest, arch).encode())
        written.append(str(manifest))
    return written
