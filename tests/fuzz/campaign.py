# A fuzzing campaign: gives damaged models to the host tools and to the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import signal
import struct
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.check import Cases
from support.kernel_tests import module_of
from support.runner import REPOSITORY, micropython_path
from tflm.errors import TflmError
from tflm_tools.flat.flatten import flatten
from unit.damaged_files import damaged_copies

from .forgery import forgeries
from .graph_mutations import mutated_copies

_TESTS = Path(__file__).resolve().parents[1]
_DEVICE = _TESTS / "unit" / "device" / "fuzz.py"
_DEVICE_SECONDS = 10  # for a group of models, and 1 for each model
_MAX_HOST_SECONDS = 20  # of CPU time for a model; half of that on an idle machine


@dataclass
class Outcome:
    """counts: {outcome: number of models}. failures: (model, what it did) of failed models."""

    counts: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[bytes, str]] = field(default_factory=list)

    def add(self, counts):
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count


def cases_of(name):
    """Return the cases without an error of one file of tests/kernels."""
    found = vars(module_of(name)).values()
    return [
        case for cases in found if isinstance(cases, Cases) for case in cases if not case.error
    ]


def seeds_of(name, most=5):
    """Return valid models of one file of tests/kernels, from the smallest to the largest."""
    models = sorted({case.build() for case in cases_of(name)}, key=len)
    if len(models) <= most:
        return models
    return [models[(len(models) - 1) * i // (most - 1)] for i in range(most)]


def kernel_tests():
    """Return the names of the test files whose models are the corpus."""
    return sorted(path.stem for path in (_TESTS / "kernels").glob("test_*.py"))


def damaged_models(model, seed, count):
    """Return `count` copies of a model: a fifth with changed bytes, others with changed graphs."""
    bytes_only = count // 5
    damaged = damaged_copies(model, seed, bytes_only)
    return damaged + mutated_copies(model, seed, count - bytes_only)


# Ends a flatten() that takes too long; the tools do not catch it.
class _TooLong(BaseException):
    pass


def _stop(_number, _frame):
    raise _TooLong


# Raise _TooLong in the `with` block after this CPU time, which other processes do not affect.
@contextmanager
def _limited(seconds):
    old = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


# Flatten a model as `tflm flatten` does. Return the .tflm, or None.
def _flattened(model, outcome, optimize):
    try:
        with _limited(_MAX_HOST_SECONDS):
            flat = flatten(model, optimize=optimize)
        outcome.add({"flattened": 1})
    except TflmError as error:
        if not str(error):
            outcome.failures.append((model, "an error without a text"))
        flat = None
        outcome.add({"refused by flatten": 1})
    except Exception as error:  # only a TflmError is allowed
        outcome.failures.append((model, f"flatten raised {error!r}"))
        flat = None
    except _TooLong:
        outcome.failures.append((model, f"flatten took more than {_MAX_HOST_SECONDS} s"))
        flat = None
    return flat


# Run models in one process. Return (exit code or "hung", models started, output, last lines).
def _device_run(models, path):
    path.write_bytes(b"".join(struct.pack("<I", len(model)) + model for model in models))
    command = [micropython_path(), "-X", "heapsize=16M", str(_DEVICE), str(path), "invoke"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_DEVICE_SECONDS + len(models),
            env={**os.environ, "MICROPYPATH": f"{REPOSITORY / 'modules'}:.frozen"},
        )
        code, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as error:
        code, output, errors = "hung", (error.stdout or b"").decode(errors="replace"), ""
    lines = output.splitlines()
    reached = sum(1 for line in lines if line.startswith("model "))
    return code, reached, lines, (errors or output).splitlines()[-2:]


def run_on_device(models, folder, outcome):
    """Load, prepare and invoke each model in MicroPython, also those after a failed one."""
    models = list(models)
    while models:
        code, reached, lines, tail = _device_run(models, folder / "models.bin")
        if code == 0:
            outcome.add(json.loads(lines[-1]))
            return
        outcome.failures.append((models[max(0, reached - 1)], f"exit {code}: {' '.join(tail)}"))
        del models[: max(1, reached)]


def campaign(sources, count, folder, seed):
    """Return the Outcome of `count` damaged copies of each of `sources` (.tflite).

    The copies and their .tflm run on the device, and so do forged copies of the valid .tflm. Every
    second source is flattened without a search for memory, which is slow for some models.
    """
    outcome = Outcome()
    models = []
    for number, source in enumerate(sources):
        optimize = "off" if number % 2 else "balanced"
        valid = _flattened(source, outcome, optimize)  # None: it has a custom operator
        if valid is not None:
            models += forgeries(valid, f"{seed} {number}", count)
        for model in damaged_models(source, f"{seed} {number}", count):
            models.append(model)
            flat = _flattened(model, outcome, optimize)
            if flat is not None:
                models.append(flat)
    run_on_device(models, folder, outcome)
    return outcome
