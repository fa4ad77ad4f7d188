# tflm_tools: measure: runs a model for each kernel on a board and compares with stored results
# MIT license; Copyright (c) 2026 the tflm authors

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tflm.errors import TflmError

from .. import files
from ..board.facts import script_source
from ..board.files import Files
from ..board.link import Link
from ..board.runtime import Runtime
from ..board.session import Session, send_bytes
from ..check.comparison import ATOL, RTOL
from ..errors import DeviceError, ToolError
from ..flat.flatten import flatten
from ..kernel_files import PACKAGES
from ..model.model_file import open_model
from ..packages import bundle, dist, runtime_files
from ..port.invocation import DEFAULTS

# Written by bench/kernel_cases.py: KERNEL.tflite, and KERNEL.npz with input_0..., output_0... and
# tolerance (relative, absolute).
CASES = Path(__file__).resolve().parents[3] / "models" / "kernels" / "cases.zip"
_NO_PACKAGE = "other"  # of kernels that are no file, such as control flow
_SECONDS = 60.0  # for one model
_MEMORY_KINDS = ("MemoryError", "ArenaError", "ModelError")


@dataclass
class PackageCheck:
    """The kernels of one package for mip on a board.

    kernels: how many were run. wrong: models whose outputs differ from the stored ones. refused:
    {model: why it did not run}. A model has the name of the kernel for which it was chosen.
    """

    package: str
    kernels: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


# A model (.tflm, bytes) with its inputs, the outputs of TFLM and their (rtol, atol). new: those
# of its kernels that the models before it lack.
@dataclass
class _Case:
    name: str
    flat: bytes
    kernels: set
    new: set
    inputs: list
    outputs: list
    tolerance: tuple


def check_kernels(port, facts, progress=None, timeout=None):
    """Run the stored models on the board at a port; return a PackageCheck for each package.

    facts: of the board. The kernels that the board lacks are installed. progress: called as
    progress(models done, models). Raises TflmError if the board does not answer any more.
    """
    packages = _by_package(_cases(facts.target), facts.arch)
    total = sum(map(len, packages.values()))
    found, done = [], 0
    for package, cases in packages.items():
        with Link(port, timeout) as link:
            check = _Check(link, facts, package)
            for case in check.install(cases):
                if progress is not None:
                    progress(done, total)
                check.run(case)
                done += 1
        found.append(check.result)
    return found


# The stored models for a target; models without a kernel that the others lack are left out.
def _cases(target):
    if not CASES.exists():
        raise ToolError(
            f"{CASES} is missing; run this command in a clone of the repository, with the package "
            "installed by: pip install -e '.[board]'"
        )
    archive = zipfile.ZipFile(io.BytesIO(files.read(CASES)))
    cases, seen = [], set()
    for name in archive.namelist():
        if not name.endswith(".tflite"):
            continue
        name = name.removesuffix(".tflite")
        flat = flatten(archive.read(f"{name}.tflite"), target=target, optimize="off")
        kernels = set(runtime_files.kernels_of(flat))
        new = kernels - seen
        if not new:
            continue
        seen |= kernels
        with np.load(io.BytesIO(archive.read(f"{name}.npz"))) as arrays:
            inputs, outputs = (
                [arrays[f"{kind}_{i}"] for i in range(sum(kind in each for each in arrays))]
                for kind in ("input", "output")
            )
            tolerance = tuple(arrays["tolerance"])
            cases.append(_Case(name, flat, kernels, new, inputs, outputs, tolerance))
    return cases


# {package: its cases}; a case belongs to the first package that has one of its new kernels.
def _by_package(cases, arch):
    packages = {package: dist.package_kernels(package, arch) for package in PACKAGES}
    found = {}
    for case in cases:
        names = {kernel.partition(".")[0] for kernel in case.new}
        package = next((p for p in PACKAGES if names & packages[p]), _NO_PACKAGE)
        found.setdefault(package, []).append(case)
    return found


# The check of one package over a Link.
class _Check:
    def __init__(self, link, facts, package):
        self._link, self._facts = link, facts
        self.result = PackageCheck(package)

    # Install the kernels of the cases, or leave out the cases that the firmware lacks; return the
    # cases to run.
    def install(self, cases):
        link, facts = self._link, self._facts
        kernels = sorted(set().union(*(case.kernels for case in cases)))
        if facts.frozen:
            link.exec(script_source("kernels"))
            missing = set(link.eval(f"missing_kernels({kernels!r})", 60, [str]))
            for case in cases:
                if case.kernels & missing:
                    self.result.refused[case.name] = "the firmware was built without it"
            cases = [case for case in cases if not case.kernels & missing]
        else:
            names = runtime_files.files_for_kernels(kernels, facts.arch, facts.assembler)
            Runtime(Files(link), facts, bundle.files(names, facts.arch)).install()
        self._reset()
        return cases

    def _reset(self):
        self._link.reset()
        self._link.exec(script_source("invoke"))

    # Run a case; after an error of memory run it once more on an empty heap.
    def run(self, case):
        try:
            try:
                self._compare(case)
            except DeviceError as error:
                if error.kind not in _MEMORY_KINDS:
                    raise
                self._reset()
                self._compare(case)
        except TflmError as error:
            if isinstance(error, DeviceError) and error.is_of_board():
                raise
            self.result.refused[case.name] = str(error)
            self._reset()

    def _compare(self, case):
        link = self._link
        model = open_model(f"{case.name}.tflm", case.flat)
        link.exec(f"_interpreter = None\n_model = allocate({len(case.flat)})")
        send_bytes(link, case.flat)
        arena = link.eval("start(_model, None, False, False, None)", _SECONDS, 1 << 48)
        outputs, _ = Session(link, model, arena, _SECONDS, DEFAULTS).invoke(case.inputs)
        self.result.kernels += len(case.new)
        if not all(
            _is_equal(got, wanted, *case.tolerance)
            for got, wanted in zip(outputs, case.outputs, strict=True)
        ):
            self.result.wrong.append(case.name)


# Whether an output equals the stored one: integers exactly unless the case has a tolerance.
def _is_equal(got, wanted, rtol, atol):
    got = got.reshape(wanted.shape)
    if wanted.dtype.kind == "f":
        rtol, atol = max(rtol, RTOL), max(atol, ATOL)
    elif not rtol and not atol:
        return bool((got == wanted).all())
    return bool(
        np.allclose(got.astype(np.float64), wanted.astype(np.float64), rtol, atol, equal_nan=True)
    )
