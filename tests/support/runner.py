# Test support: runs batches of jobs in the MicroPython unix port; a crash ends only its job
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_SCRIPT = Path(__file__).parent / "device" / "run_cases.py"
_MARK = "\x1etflm "  # starts the lines that run_cases.py sends
_LOG_LIMIT = 4000  # characters of other output kept for a failure


# A model with its inputs, which runs on the device.
@dataclass
class Job:
    """`runs` holds for each run the bytes of each input; see run_cases.py for the checks."""

    name: str
    model: bytes
    runs: list[list[bytes]]
    repeat: str = "invoke"  # how a second invoke is made comparable: "invoke", "reset", "none"
    reset: bool = False  # reset() between runs
    slices: Sequence[int] = (1, 3)  # units of a slice, each with a new Interpreter
    heap_lock: bool = True


@dataclass
class Outcome:
    """`kind` is "ok", "error" (an exception), "crash" (a signal or exit) or "hang"."""

    kind: str
    outputs: list[list[bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # of an "ok" outcome: checks that failed
    arena: int = 0
    error: str = ""  # name of the exception's type
    text: str = ""
    is_tflm: bool = False  # the exception is a TflmError
    log: str = ""  # traceback and other output


# Find the MicroPython of the tests.
def micropython_path() -> str:
    """Return $TFLM_MICROPYTHON, or the `micropython` beside this Python."""
    given = os.environ.get("TFLM_MICROPYTHON") or Path(sys.executable).parent / "micropython"
    return os.path.abspath(given)  # the runner works in another folder


# Run all jobs. A new process starts only after a crash or a hang.
def run(
    jobs: Sequence[Job],
    *,
    timeout: float = 60.0,
    heap: str | None = None,
    modules: Path | str = REPOSITORY / "modules",
    executable: str | None = None,
) -> list[Outcome]:
    """Return an Outcome for each job.

    `timeout` is in seconds for a job; `heap` as for -X heapsize (None: by the size of the jobs).
    A job that crashes or hangs ends its process and is reported. The jobs after it run in a new
    process.
    """
    outcomes: dict[int, Outcome] = {}
    command = [
        executable or micropython_path(),
        "-X",
        f"heapsize={heap or _heap_for(jobs)}",
        str(_SCRIPT),
    ]
    environment = {**os.environ, "MICROPYPATH": f"{modules}:.frozen"}
    with tempfile.TemporaryDirectory(prefix="tflm-test-") as name:
        directory = Path(name)
        plan = [_write(directory, number, job) for number, job in enumerate(jobs)]
        while len(outcomes) < len(jobs):
            rest = directory / "plan.json"
            rest.write_text(json.dumps(plan[len(outcomes) :]))
            process = _Process([*command, str(rest)], environment, directory)
            done = len(outcomes)
            log = process.collect(outcomes, timeout)
            if len(outcomes) == done:
                raise RuntimeError(f"run_cases.py itself failed: {log}")
        for number, outcome in outcomes.items():
            if outcome.kind == "ok":
                outcome.outputs = _split(directory / plan[number]["outputs"], outcome.outputs)
    return [outcomes[number] for number in range(len(jobs))]


# Return a heap of several times the largest job. A larger heap would slow down collections.
def _heap_for(jobs):
    largest = max((len(job.model) + sum(map(len, sum(job.runs, []))) for job in jobs), default=0)
    return f"{8 + (16 * largest >> 20)}M"


# Write the files of a job and return its entry in the plan.
def _write(directory, number, job):
    (directory / f"{number}.model").write_bytes(job.model)
    (directory / f"{number}.in").write_bytes(b"".join(b"".join(inputs) for inputs in job.runs))
    return {
        "number": number,
        "model": f"{number}.model",
        "inputs": f"{number}.in",
        "outputs": f"{number}.out",
        "runs": [[len(values) for values in inputs] for inputs in job.runs],
        "repeat": job.repeat,
        "reset": job.reset,
        "slices": list(job.slices),
        "heap_lock": job.heap_lock,
        "cores": bool(os.environ.get("TFLM_TEST_CORES")),
    }


# Cut the file of outputs into runs and outputs of the given sizes.
def _split(path, sizes):
    raw, position, runs = path.read_bytes(), 0, []
    for lengths in sizes:
        runs.append([])
        for length in lengths:
            runs[-1].append(raw[position : position + length])
            position += length
    return runs


# One process of the unix port, read line by line.
class _Process:
    def __init__(self, command, environment, directory):
        self._process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._buffer = b""

    # Add the outcomes of this process, also for the job in which it ends early. Return its last
    # output.
    def collect(self, outcomes, timeout):
        current, log = None, []
        with self._process, selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            deadline = time.monotonic() + timeout
            while (line := self._line(selector, deadline)) is not None:
                printed, mark, message = line.partition(_MARK)
                if printed or not mark:
                    log.append(printed)
                if not mark:
                    continue
                message = json.loads(message)
                deadline = time.monotonic() + timeout
                if "begin" in message:
                    current, log = message["begin"], []
                else:
                    outcomes[message["end"]] = _outcome(message, "\n".join(log))
                    current, log = None, []
            hangs = time.monotonic() >= deadline
            if hangs:
                self._process.kill()
            code = self._process.wait()
        log.append(self._buffer.decode(errors="replace"))
        said = "\n".join(log)[-_LOG_LIMIT:]
        if hangs and current is not None:
            outcomes[current] = Outcome("hang", text=f"no end after {timeout} s", log=said)
        elif current is not None:
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            outcomes[current] = Outcome("crash", text=f"ended with {name}", log=said)
        return said

    # Return the next line, or None at the end of the output or of the time limit.
    def _line(self, selector, deadline):
        while b"\n" not in self._buffer:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace")


# Return the outcome in a message of run_cases.py.
def _outcome(message, log):
    if "error" in message:
        return Outcome(
            "error",
            error=message["error"],
            text=message["text"],
            is_tflm=message["is_tflm"],
            log=(message["traceback"] + log)[-_LOG_LIMIT:],
        )
    return Outcome(
        "ok",
        outputs=message["sizes"],
        statuses=message["statuses"],
        shapes=[tuple(shape) for shape in message["shapes"]],
        dtypes=message["dtypes"],
        problems=message["problems"],
        arena=message["arena"],
        log=log[-_LOG_LIMIT:],
    )
