# Test support: collects the cases of a test module and runs them in one batch
# MIT license; Copyright (c) 2026 the tflm authors

import atexit
import functools
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from . import runner
from .case import Case, CaseError
from .oracle import Oracle, shared_oracle
from .runner import Outcome

_SLICES = ((1,), (3,))


@functools.cache
def portable_modules() -> Path:
    """Return a copy of modules/ without kernels/x64: boards run these kernels."""
    folder = Path(tempfile.mkdtemp(prefix="tflm-portable-"))
    atexit.register(shutil.rmtree, folder, True)
    source = runner.REPOSITORY / "modules" / "tflm"
    shutil.copytree(source, folder / "tflm", ignore=shutil.ignore_patterns("x64"))
    return folder


@functools.cache
def modules_for_level(level: int) -> Path:
    """Return a copy of modules/ whose machine code for x86-64 uses SSE2 (0), AVX (1), AVX2 (2)."""
    folder = Path(tempfile.mkdtemp(prefix="tflm-level-"))
    atexit.register(shutil.rmtree, folder, True)
    shutil.copytree(runner.REPOSITORY / "modules" / "tflm", folder / "tflm")
    path = folder / "tflm" / "kernels" / "x64" / "__init__.py"
    text = path.read_text()
    assert "    LEVEL = level()\n" in text
    path.write_text(text.replace("LEVEL = level()", f"LEVEL = min({level}, level())"))
    return folder


# The cases of one test module. Nothing runs before the first check; then all that pytest selected
# run in one process of MicroPython.
class Cases:
    """Collector of cases: add() them, then decorate one test function with `parametrize`.

    `timeout` (seconds a case), `heap` (as for -X heapsize) and `modules` go to the device runner.
    By default the path "tflite" runs without the overrides for x86-64, so each case tests both
    the overrides and the portable kernels.
    """

    def __init__(
        self,
        *,
        timeout: float = 60.0,
        heap: str | None = None,
        modules: Path | None = None,
    ):
        self._cases: dict[str, Case] = {}
        self._failures: dict[str, str] = {}
        self._device = {"timeout": timeout, "heap": heap, "modules": modules}

    def add(
        self,
        name: str,
        model: bytes | Callable[[], bytes],
        inputs: Any = None,
        rtol: float = 0.0,
        atol: float = 0.0,
        runs: int = 2,
        *,
        ranges: Mapping[int, tuple[float, float]] | None = None,
        error: str | None = None,
        expected: Sequence[Sequence[Any]] | Callable | None = None,
        oracle_model: bytes | None = None,
        ignore_undefined: bool = False,
        reset: bool = False,
        repeat: str | None = None,
        slices: Sequence[int] | None = None,
        heap_lock: bool = True,
        paths: Sequence[str] = ("flat", "tflite"),
    ) -> None:
        """Add a case.

        model: the .tflite file, or a function that makes it at first use.
        inputs: "random" (`runs` lists), "extreme" (lowest, highest, zero point, alternating),
            None for both, or a list of input lists, one for each run.
        rtol, atol: tolerance for floats; integers are always exact.
        ranges: {number of an input: (low, high)}, both included, for generated inputs.
        error: a regular expression. Loading or preparing (or invoking, if `inputs` are given)
            must raise a TflmError that matches it.
        expected: a list of output lists, if TFLM is wrong; the oracle does not run. Or a function
            of the model and the runs that returns this list, like `litert.outputs`.
        oracle_model: an equivalent .tflite file that the wheel can run, for the oracle.
        ignore_undefined: do not compare bytes that TFLM leaves undefined (else the case fails).
        reset: reset() between runs.
        repeat: how a second invoke is compared with the first: "invoke" again, "reset" before,
            "none"; by default as the model's state requires.
        slices: units of a slice, each in a separate Interpreter; by default 1 and 3 in alternating
            cases.
        heap_lock: False for ops that may allocate during invoke.
        paths: how to make the model: "tflite"; "flat"; or flat for a target of flatten, with
            weights in lanes ("armv6m") or in bytes ("armv6m bytes"). "saved" before the target
            runs all optimization passes of flatten, otherwise none run. "compressed"
            after armv6m: weights of at most 16 values have four bits.
        """
        if name in self._cases:
            raise ValueError(f"there are two cases named {name!r}")
        self._cases[name] = Case(
            name,
            model,
            inputs=inputs,
            rtol=rtol,
            atol=atol,
            runs=runs,
            ranges=ranges or {},
            error=error,
            expected=expected,
            oracle_model=oracle_model,
            ignore_undefined=ignore_undefined,
            reset=reset,
            repeat=repeat,
            slices=slices or _SLICES[len(self._cases) % len(_SLICES)],
            heap_lock=heap_lock,
            paths=paths,
        )

    def parametrize(self, function: Callable) -> Callable:
        """Decorate a test with parameter `case`: each case becomes a separate test item."""
        bound = [BoundCase(self, case) for case in self._cases.values()]
        return pytest.mark.parametrize("case", bound, ids=list(self._cases))(function)

    def __iter__(self):
        return iter(self._cases.values())

    def check(self) -> None:
        """Check all cases at once; fail with the texts of all failures."""
        for case in self._cases.values():
            case.selected = True
        failures = [text for name in self._cases if (text := self.failure(name))]
        if failures:
            pytest.fail("\n".join(failures), pytrace=False)

    def failure(self, name: str) -> str:
        """Return "" if the case is right, else the faults; run the batch if it has not run."""
        if name not in self._failures:
            waiting = [c for c in self._cases.values() if c.name not in self._failures]
            batch = [case for case in waiting if case.selected or case.name == name]
            self._failures.update(_check(batch, shared_oracle(), self._device))
        return self._failures[name]


# A case with its collector: the parameter of a parametrized test.
class BoundCase:
    """Parameter of a test: call `case.check()`."""

    def __init__(self, cases: Cases, case: Case):
        self._cases = cases
        self._case = case

    def select(self) -> None:
        """Note that pytest will run this case, so that it joins the batch."""
        self._case.selected = True

    def check(self) -> None:
        """Fail unless the .tflm and the .tflite give TFLM's outputs."""
        text = self._cases.failure(self._case.name)
        if text:
            pytest.fail(text, pytrace=False)


# Run a batch; return {case: text of its faults}, empty for a right case.
def _check(batch: list[Case], oracle: Oracle, device: dict[str, Any]) -> dict[str, str]:
    texts: dict[str, str] = {case.name: "" for case in batch}
    wanted, jobs, outcomes = {}, [], {}
    for case in batch:
        try:
            # A model that must be refused may be too damaged for reading its inputs.
            runs = [] if case.error and case.inputs is None else case.input_lists()
            if not case.error:
                if not runs:
                    raise CaseError("has no inputs to run")
                wanted[case.name] = case.wanted(oracle, runs)
            for path in case.paths:
                data, refused = _file_for(case.build(), path)
                if refused:
                    outcomes[case.name, path] = refused
                else:
                    jobs.append((case, path, case.job(path, data, runs)))
        except CaseError as error:
            texts[case.name] = f"{case.name}: {error}"
        except Exception:  # an error in the code of a test must not hide the other cases
            texts[case.name] = f"{case.name}: {traceback.format_exc()}"
    for is_tflite in (False, True):
        chosen = [each for each in jobs if (each[1] == "tflite") is is_tflite]
        default = portable_modules() if is_tflite else runner.REPOSITORY / "modules"
        options = {**device, "modules": device["modules"] or default}
        results = runner.run([job for _, _, job in chosen], **options)
        for (case, path, _), outcome in zip(chosen, results, strict=True):
            outcomes[case.name, path] = outcome
    for case in batch:
        if texts[case.name]:
            continue
        judged = []
        for path in case.paths:
            outcome = outcomes[case.name, path]
            if case.error:
                judged.append(case.judge_error(path, outcome))
            else:
                judged.append(wanted[case.name].judge(case, path, outcome))
        texts[case.name] = "\n".join(filter(None, judged))
    return texts


# Words of a path besides target and level. "rows": lanes are unpacked in blocks of rows.
_WORDS = ("flat", "saved", "bytes", "rows", "compressed")
_ROWS_BYTES = 6000


def flat_model_for(model: bytes, path: str) -> bytes:
    """Return the .tflm of a .tflite for a path of Cases.add()."""
    from tflm.prepare.lanes import BYTES, LANES
    from tflm.tflite.reader import TfliteModel
    from tflm_tools.flat.flatten import prepare
    from tflm_tools.image.flat_image import image_of
    from tflm_tools.image.prepare import prepare_graph
    from tflm_tools.optimize.memory.levels import LEVELS, OFF
    from tflm_tools.optimize.passes import passes_without

    words = path.split()
    passes = passes_without() if "saved" in words else ()
    level = next((word for word in words if word in LEVELS), OFF)
    packing = dict.fromkeys(range(64), BYTES) if "bytes" in words else None
    targets = [word for word in words if word not in (*_WORDS, *LEVELS)]
    target = targets[0] if targets else None
    if "rows" not in words:
        prepared = prepare(
            model, target=target, packing=packing, passes=passes, optimize=level,
            compress_weights="compressed" in words,
        )  # fmt: skip
        return image_of(model, *prepared)
    tflite = TfliteModel(model)
    layouts = dict.fromkeys(range(64), (BYTES if packing else LANES, _ROWS_BYTES))
    return image_of(model, tflite, prepare_graph(tflite, target=target, layouts=layouts))


# Return the file for a path, or the outcome if the host tool refuses to make it.
def _file_for(model: bytes, path: str) -> tuple[bytes, Outcome | None]:
    if path == "tflite":
        return model, None
    from tflm.errors import TflmError

    try:
        return flat_model_for(model, path), None
    except Exception as error:
        kind = type(error).__name__
        text = "".join(traceback.format_exception(*sys.exc_info()))
        is_tflm = isinstance(error, TflmError)
        return b"", Outcome("error", error=kind, text=str(error), is_tflm=is_tflm, log=text)
