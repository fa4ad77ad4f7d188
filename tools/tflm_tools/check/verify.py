# tflm_tools: verify: compares a model's outputs in MicroPython with TFLM's
# MIT license; Copyright (c) 2026 the tflm authors

import functools
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from tflm import dtypes
from tflm.prepare.table import CUSTOM
from tflm.tflite.reader import TfliteModel

from ..errors import DeviceError, ToolError
from ..execution.device_model import invoke
from ..execution.processes import Processes
from ..model.model_file import open_tflite
from ..model.schema import op_name
from ..optimize.memory.levels import BALANCED
from ..port.invocation import InvokeOptions
from ..render.common import Shown
from . import oracle
from .cases import make_cases
from .comparison import (
    Difference,
    first_difference,
    is_rounded,
    largest_difference,
    undefined,
)
from .layers import Layers, compare_layers

PATHS = ("flat", "tflite")
_TABLES = {"EMBEDDING_LOOKUP": 1, "DEQUANTIZE": 0}  # operator: input whose scales TFLM ignores
_FILLS = (0xAA, 0x55)  # bytes that fill the oracle's memory, to find bytes that it never writes


@dataclass
class PathResult:
    """One path that was verified, with the bytes of its arena."""

    path: str
    cases: int
    arena_bytes: int


@dataclass
class OpDifference:
    """The first operator, in order of execution, whose output differs from the oracle's."""

    node: int
    op: str
    kernel: str
    tensor: str
    difference: Difference


@dataclass
class Mismatch:
    """The first output that differs.

    op: the first operator that differs, or None; then `note` says why.
    """

    path: str
    case: str
    output: int
    difference: Difference
    op: OpDifference | None
    note: str


@dataclass
class Verification(Shown):
    """The result of `tflm verify`; `mismatch` is None when all outputs are equal.

    layers: the outputs of all operators on each path, if asked for. refused: {case: why} of the
    cases that the oracle refuses. unwritten: outputs of which the oracle never writes some bytes.
    rounded: {output: number of elements that differ from LiteRT by one step} (_rounded()).
    kernels: of LiteRT, oracle.REFERENCE or another name; "" of TFLM. If tflm differs from the
    reference kernels and equals the optimized ones, it is oracle.OPTIMIZED, and
    `differing_kernels` names the reference kernels.
    """

    _shown = ("results", "print_verification")

    model: str
    seed: int
    cases: int
    paths: list[PathResult]
    mismatch: Mismatch | None
    layers: list[Layers] = field(default_factory=list)
    oracle: str = oracle.TFLM
    refused: dict[str, str] = field(default_factory=dict)
    unwritten: list[int] = field(default_factory=list)
    rounded: dict[int, int] = field(default_factory=dict)
    kernels: str = ""
    differing_kernels: str = ""

    def is_equal(self):
        """True when neither an output nor an operator's tensor differs."""
        return self.mismatch is None and not any(layers.first() for layers in self.layers)


@dataclass(frozen=True)
class VerifyOptions:
    """What verify() compares, and where.

    runs: number of random inputs, in addition to four extreme ones. seed: of the random inputs.
    form: "flat", "tflite" or "both". heap, timeout: bytes and seconds of MicroPython. layers:
    also compare the outputs of every operator. oracle_name: oracle.TFLM or oracle.LITERT. custom:
    Python files that register custom operators. by_rows, optimize, arena_budget: options of the
    flat model, as for `tflm flatten`. jobs, scheduler: processes of the unix port, as for
    measure.evaluation.evaluate(). A model with state runs in one process.
    """

    runs: int = 8
    seed: int = 0
    form: str = "both"
    heap: int | None = None
    timeout: float | None = None
    layers: bool = False
    oracle_name: str = oracle.TFLM
    custom: tuple[str, ...] = ()
    by_rows: bool = False
    optimize: str = BALANCED
    arena_budget: int | None = None
    jobs: int | None = 1
    scheduler: str | None = None

    def check(self):
        """Raise ToolError if the oracle is not installed or options contradict each other."""
        oracle.require(self.oracle_name)
        plans = self.by_rows or self.optimize != BALANCED or self.arena_budget is not None
        if self.form == "tflite" and plans:
            raise ToolError(
                "--optimize, --arena-budget and --input-by-rows plan a flat model, and --path "
                "tflite prepares the .tflite where it runs; leave these options out, or give "
                "--path flat"
            )

    def paths(self, is_board):
        """Return the paths to compare; a board compares only the flat model by default."""
        if self.form != "both":
            return (self.form,)
        return PATHS[:1] if is_board or self.by_rows else PATHS

    def invoke_options(self, path):
        """Return the InvokeOptions for a path."""
        flat = {"by_rows": self.by_rows, "optimize": self.optimize,
                "arena_budget": self.arena_budget}  # fmt: skip
        return InvokeOptions(path, locked=True, heap=self.heap, timeout=self.timeout,
                             custom=self.custom, flat=flat)  # fmt: skip


def verify(path, device=None, progress=None, **options):
    """Compare a model in MicroPython with TFLM; return a Verification.

    Integers must be equal, floats within rtol 1e-5 and atol 1e-6. The comparison stops at the
    first path that differs. Inputs that the oracle refuses are skipped, and bytes that the oracle
    never writes are not compared. device: a board (board.board_device) or several
    boards instead of the unix port; then form "both" is "flat". progress: called as
    progress(done, total). options: the fields of VerifyOptions. Raises TflmError if the model does
    not run, and ToolError for options that contradict each other.
    """
    options = VerifyOptions(**options)
    options.check()
    model = open_tflite(path, "verify")
    _refuse_flex(model, options.custom)
    if options.oracle_name == oracle.TFLM:
        _refuse_scales(model)
    comparison = _Comparison(model, options, device or Processes(options.jobs, options.scheduler))
    return comparison.run(str(path), progress)


# Compares one model:
#
# 1. Run tflm on each path, without the cases that the oracle refuses.
# 2. Run the oracle twice, over differently filled memory, to find bytes that it never writes.
# 3. Compare all other elements of the outputs. If they differ from LiteRT's reference kernels,
#    compare with its optimized ones. At the first difference, find its operator.
# 4. If `layers` is set, compare the outputs of all operators.
class _Comparison:
    def __init__(self, model, options, device):
        self._model, self._options, self._device = model, options, device
        self._cases = make_cases(model.inputs, options.runs, options.seed)
        self._wanted = None  # the oracle's results
        self._unwritten = None  # masks [case][output] of the elements that the oracle never writes
        self._ask = functools.partial(_ask, model.data, options.timeout, options.oracle_name)

    def run(self, name, progress):
        """Return the Verification."""
        options = self._options
        result = Verification(name, options.seed, len(self._cases), [], None,
                              oracle=options.oracle_name)  # fmt: skip
        paths = options.paths(self._device.is_board)
        for number, path in enumerate(paths):
            reported = functools.partial(_report, progress, number, len(paths))
            got = self._invoke(path, reported, result)
            if self._wanted is None and self._ask_oracle(result):
                got = self._invoke(path, reported, result)
            result.paths.append(PathResult(path, len(self._cases), got.arena))
            self._compare(result, got, path)
            if result.mismatch is not None:
                break
        if options.layers:
            result.layers = self._all_layers(result)
        return result

    # Step 3: set `mismatch` and `rounded` of a Verification.
    def _compare(self, result, got, path):
        found = self._difference(result, got)
        if found and result.kernels == oracle.REFERENCE and not result.differing_kernels:
            reference = self._wanted, self._unwritten, result.rounded
            with suppress(oracle.OracleError):
                self._wanted = self._ask(self._arrays(), kernels=oracle.OPTIMIZED)
                self._unwritten = _unwritten(self._wanted, self._wanted)
                if not self._wanted.refused and self._difference(result, got) is None:
                    result.differing_kernels, result.kernels = result.kernels, oracle.OPTIMIZED
                    return
            self._wanted, self._unwritten, result.rounded = reference
        if found:
            result.mismatch = self._mismatch(found, path, result)

    def _arrays(self, count=None):
        return [case.inputs for case in self._cases[:count]]

    # Step 1.
    def _invoke(self, path, progress, result):
        options = self._options.invoke_options(path)
        try:
            return invoke(self._model, self._arrays(), options, self._device, progress)
        except DeviceError:
            if self._wanted is not None:
                raise
            refused = self._ask(self._arrays()).refused
            if not _leave_out(result, self._cases, refused):
                raise
        return invoke(self._model, self._arrays(), options, self._device, progress)

    # Step 2. Return True if the oracle refuses cases that tflm does not refuse: their results must
    # be removed.
    def _ask_oracle(self, result):
        fills = _fills(self._model.data)
        self._wanted = self._ask(self._arrays(), fill=fills[0])
        is_shorter = _leave_out(result, self._cases, self._wanted.refused)
        if is_shorter:
            self._wanted = self._ask(self._arrays(), fill=fills[0])
        self._unwritten = _unwritten(self._wanted, _again(self._ask, self._arrays(), fills[1]))
        result.kernels = self._wanted.kernels
        outputs = range(len(self._model.outputs))
        result.unwritten = [k for k in outputs if any(m[k].any() for m in self._unwritten)]
        result.cases = len(self._cases)
        return is_shorter

    # (case, output, Difference) of the first output that differs; None if all outputs are equal.
    # Set `rounded`, the outputs that are not compared.
    def _difference(self, result, got):
        if self._options.oracle_name == oracle.LITERT:
            result.rounded = _rounded(self._model, got, self._wanted)
        for i in range(len(self._cases)):
            for k, output in enumerate(self._wanted.outputs[i]):
                if k in result.rounded:
                    continue
                shape = self._model.outputs[k].shape
                output, mask = output.reshape(shape), self._unwritten[i][k].reshape(shape)
                difference = first_difference(np.where(mask, output, got.outputs[i][k]), output)
                if difference is not None:
                    return i, k, difference
        return None

    # The Mismatch of what _difference() found.
    def _mismatch(self, found, path, result):
        i, k, difference = found
        op = _first_op(*self._layers(i + 1, path, result.kernels))
        return Mismatch(path, self._cases[i].name, k, difference, *op)

    # Step 4: return the Layers of each path after the last random case, or after the case that
    # differs.
    def _all_layers(self, result):
        mismatch = result.mismatch
        names = [case.name for case in self._cases]
        paths = [entry.path for entry in result.paths]
        count = max(self._options.runs, 1)
        if mismatch is not None:
            paths, count = paths[-1:], names.index(mismatch.case) + 1
        found = []
        for path in paths:
            layers, note = self._layers(count, path, result.kernels)
            if layers is None:
                raise ToolError(f"--layers: {note}; verify without it")
            found.append(layers)
        return found

    # Compare the operators' outputs after the first `count` cases; see compare_layers().
    def _layers(self, count, path, kernels):
        options = self._options
        invoke_options = InvokeOptions(
            path, heap=options.heap, timeout=options.timeout, custom=options.custom
        )
        return compare_layers(
            self._model, self._arrays(count), self._cases[count - 1].name, invoke_options,
            options.oracle_name, self._device, kernels or oracle.REFERENCE,
        )  # fmt: skip


# Report the progress of one of several paths as the progress of all paths.
def _report(progress, number, paths, done, total):
    if progress is not None:
        progress(number * total + done, paths * total)


# No oracle runs the custom operators of TensorFlow (Flex) that tflm runs, or the user's files.
def _refuse_flex(model, custom):
    names = {str(node.custom_name or "") for node in _nodes(model.data)}
    names = sorted(name for name in names if name.startswith("Flex"))
    if any(custom or name in CUSTOM for name in names):
        raise oracle.RefusedModelError(
            f"{model.path} has operators of TensorFlow ({', '.join(names)}), which neither TFLM "
            "nor the package of LiteRT runs; convert with OpsSet.TFLITE_BUILTINS only"
        )


# TFLM reads only the first scale of these tables, so its results are wrong.
def _refuse_scales(model):
    for node in _nodes(model.data):
        number = _TABLES.get(op_name(node))
        tensor = None if number is None else node.input(number)
        if tensor is None or tensor.scales_length() <= 1:
            continue
        if node.output(0).dtype == dtypes.FLOAT32:
            raise oracle.RefusedModelError(
                f"{model.path}: TFLM reads only the first of {tensor.scales_length()} scales of "
                f"{tensor} in {node}, so its results are wrong; compare with LiteRT: --oracle "
                "litert"
            )


# Run the oracle; see oracle.run(). Where TFLM does not run the model, LiteRT may.
def _ask(data, timeout, name, arrays, tensors=None, fill=None, kernels=oracle.REFERENCE):
    options = {"tensors": tensors, "timeout": timeout, "name": name, "kernels": kernels}
    try:
        found = oracle.run(data, arrays, **options, fill=fill, refusals=True)
        if arrays and len(found.refused) == len(arrays):
            oracle.run(data, arrays[:1], **options)  # raises its error
        return found
    except oracle.RefusedModelError as error:
        if name != oracle.TFLM:
            raise
        raise oracle.RefusedModelError(f"{error}; compare with LiteRT: --oracle litert") from None


# The bytes that fill the oracle's memory in two runs. TFLM's SPACE_TO_BATCH_ND pads with a number
# that it never sets, so the memory is filled with the right one: the zero point of its input.
def _fills(data):
    inputs = [node.input(0) for node in _nodes(data) if op_name(node) == "SPACE_TO_BATCH_ND"]
    zero_points = {each.zero_point() & 0xFF if each.scales_length() else 0 for each in inputs}
    return tuple(zero_points) * 2 if len(zero_points) == 1 else _FILLS


# Remove the cases that the oracle refuses; False if it refuses none or all of them.
def _leave_out(result, cases, refused):
    if not refused or len(refused) == len(cases):
        return False
    result.refused |= {cases[i].name: why for i, why in refused.items()}
    cases[:] = [case for i, case in enumerate(cases) if i not in refused]
    return True


# Run the oracle again with differently filled memory. If possible its tensors do not share memory:
# then the bytes that an operator never writes keep the fill instead of another tensor's bytes.
def _again(ask, arrays, fill):
    try:
        return ask(arrays, oracle.TENSOR_MODES[0], fill=fill)
    except oracle.OracleError:
        return ask(arrays, fill=fill)


# Masks of the elements that differ in two results of the oracle, [case][output].
def _unwritten(wanted, again):
    return [
        [undefined(a, b) for a, b in zip(one, two, strict=True)]
        for one, two in zip(wanted.outputs, again.outputs, strict=True)
    ]


# {output: number of elements that differ} of integer outputs that are as near to LiteRT's as its
# FULLY_CONNECTED of int8 is to TFLM's: it rounds a small share of the elements to the next step.
def _rounded(model, got, wanted):
    found = {}
    names = {op_name(node) for node in _nodes(model.data)}
    for k in range(len(model.outputs)) if "FULLY_CONNECTED" in names else ():
        ours, theirs = (
            np.concatenate([outputs[k].reshape(-1) for outputs in each.outputs])
            for each in (got, wanted)
        )
        difference = first_difference(ours, theirs)
        if difference and is_rounded(difference, largest_difference(ours, theirs)):
            found[k] = difference.count
    return found


# All operators of all sub-graphs.
def _nodes(data):
    for subgraph in TfliteModel(data).subgraphs:
        yield from map(subgraph.node, range(subgraph.nodes_length()))


# (OpDifference of the first operator that differs, ""), or (None, a note that says why none does).
def _first_op(layers, note):
    if layers is None:
        return None, note
    row = layers.first()
    if row is None:
        return None, (
            "no operator differs when tensors do not share memory: a kernel writes outside its "
            "tensors, or the arena plan overlaps tensors in use"
        )
    return OpDifference(row.node, row.op, row.kernel, row.tensor, row.difference), ""
