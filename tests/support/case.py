# Test support: a case, which is a model, its inputs, and the expected outputs
# MIT license; Copyright (c) 2026 the tflm authors

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import inputs as values
from .compare import difference, undefined
from .model_info import input_infos, output_infos, repetition
from .oracle import Oracle, OracleError
from .runner import Job, Outcome

_FILLS = (0xAA, 0x55)  # fills of the oracle's memory, to find outputs that TFLM leaves undefined
_LINES = 4  # differences reported for a case in one format
PATHS = ("flat", "tflite")


class CaseError(Exception):
    """The oracle refuses the model or leaves outputs undefined, so the case proves nothing."""


# A case of a test. Cases.add() documents the fields.
@dataclass
class Case:
    """A model with inputs, tolerance and expectations."""

    name: str
    model: bytes | Callable[[], bytes]
    inputs: Any = None
    rtol: float = 0.0
    atol: float = 0.0
    runs: int = 2
    ranges: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    error: str | None = None
    expected: Sequence[Sequence[np.ndarray]] | Callable | None = None
    oracle_model: bytes | None = None
    ignore_undefined: bool = False
    reset: bool = False
    repeat: str | None = None
    slices: Sequence[int] = (1, 3)
    heap_lock: bool = True
    paths: Sequence[str] = PATHS
    selected: bool = False  # pytest will run it

    def build(self) -> bytes:
        """Return the .tflite file, built at the first call."""
        if callable(self.model):
            self.model = self.model()
        return self.model

    def input_lists(self) -> list[list[np.ndarray]]:
        """Return for each run the list of its inputs, of the model's types and shapes."""
        infos = input_infos(self.build())
        if self.inputs is not None and not isinstance(self.inputs, str):
            return [
                [np.asarray(v, i.dtype).reshape(i.shape) for v, i in zip(run, infos, strict=True)]
                for run in self.inputs
            ]
        random = values.generator(self.name)
        lists = []
        if self.inputs in (None, "random"):
            lists += [values.random_inputs(infos, random, self.ranges) for _ in range(self.runs)]
        if self.inputs in (None, "extreme"):
            lists += values.extreme_inputs(infos, self.ranges)
        return lists

    def job(self, path: str, data: bytes, runs: list[list[np.ndarray]]) -> Job:
        """Return the job that runs the model file `data`, which is `path`, with `runs`."""
        return Job(
            f"{self.name} [{path}]",
            data,
            [[array.tobytes() for array in run] for run in runs],
            repeat="none" if self.error else self.repeat or repetition(self.build()),
            reset=self.reset,
            slices=self.slices,
            heap_lock=self.heap_lock,
        )

    def wanted(self, oracle: Oracle, runs: list[list[np.ndarray]]) -> "Wanted":
        """Ask the oracle twice, with different memory; return the outputs that a device must give.

        Raises CaseError if TFLM leaves outputs undefined.
        """
        infos = output_infos(self.build())
        if self.expected is not None:
            if callable(self.expected):
                outputs = self.expected(self.build(), runs)
                return Wanted(outputs, [0] * len(outputs), None)
            outputs = [
                [np.asarray(v, i.dtype).reshape(i.shape) for v, i in zip(run, infos, strict=True)]
                for run in self.expected
            ]
            return Wanted(outputs, [0] * len(outputs), None)
        model = self.oracle_model or self.build()
        try:
            first = oracle.run(model, runs, self.reset, fill=_FILLS[0])
            statuses = oracle.statuses
            second = oracle.run(model, runs, self.reset, fill=_FILLS[1])
        except OracleError as error:
            raise CaseError(f"the oracle does not run this model: {error}") from error
        masks = [list(map(undefined, *pair)) for pair in zip(first, second, strict=True)]
        for number, run in enumerate(masks):
            if not statuses[number] and not self.ignore_undefined and any(m.any() for m in run):
                raise CaseError(
                    f"TFLM leaves outputs of run {number} undefined (they change with what memory "
                    "held before); give `expected`, or ignore_undefined=True to compare the rest"
                )
        return Wanted(first, statuses, masks)

    def judge_error(self, path: str, outcome: Outcome) -> str:
        """Return "" for a TflmError whose text matches `error`, else what is wrong."""
        where = f"{self.name} [{path}]"
        if outcome.kind == "ok":
            return f"{where}: ran, but had to be refused with {self.error!r}"
        if outcome.kind != "error" or not outcome.is_tflm:
            return _failure(where, outcome)
        if not re.search(self.error, outcome.text):
            return f"{where}: {outcome.error}({outcome.text!r}) does not match {self.error!r}"
        return ""


@dataclass
class Wanted:
    """Outputs, the status of each run (15: aborted), masks of undefined elements."""

    outputs: list[list[np.ndarray]]
    statuses: list[int]
    undefined: list[list[np.ndarray]] | None

    def judge(self, case: Case, path: str, outcome: Outcome) -> str:
        """Return "" when the outcome is right, else one line for each difference."""
        where = f"{case.name} [{path}]"
        if outcome.kind != "ok":
            return _failure(where, outcome)
        lines = [f"{where}: {problem}" for problem in outcome.problems]
        for run, outputs in enumerate(self.outputs):
            if bool(self.statuses[run]) != bool(outcome.statuses[run]):
                lines.append(
                    f"{where} run {run}: invoke() gave {outcome.statuses[run]}, "
                    f"TFLM {self.statuses[run]}"
                )
            if self.statuses[run]:
                continue  # aborted: the outputs are undefined
            if len(outcome.outputs[run]) != len(outputs):
                return f"{where}: {len(outcome.outputs[run])} outputs instead of {len(outputs)}"
            for i, wanted in enumerate(outputs):
                text = self._judge_output(case, outcome, run, i, wanted)
                if text:
                    lines.append(f"{where} run {run} output {i}: {text}")
        if len(lines) > _LINES:
            lines[_LINES:] = [f"{where}: and {len(lines) - _LINES} more"]
        return "\n".join(lines)

    def _judge_output(self, case, outcome, run, i, wanted):
        raw = outcome.outputs[run][i]
        if len(raw) != wanted.nbytes:
            return f"{len(raw)} bytes instead of {wanted.nbytes}"
        if outcome.dtypes[i] != wanted.dtype.name:
            return f"type is {outcome.dtypes[i]}, not {wanted.dtype.name}"
        if outcome.shapes[i] != wanted.shape:
            return f"shape is {outcome.shapes[i]}, not {wanted.shape}"
        got = np.frombuffer(raw, wanted.dtype).reshape(wanted.shape)
        mask = self.undefined[run][i] if self.undefined else None
        return difference(got, wanted, case.rtol, case.atol, mask)


# Return a text for an outcome without outputs.
def _failure(where, outcome):
    what = f"{outcome.error}: {outcome.text}" if outcome.kind == "error" else outcome.text
    return f"{where}: {outcome.kind}: {what}\n{outcome.log.rstrip()}"
