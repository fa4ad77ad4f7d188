# Tests of eval, verify and bench by several processes, boards, or the workers of a Dask cluster
# MIT license; Copyright (c) 2026 the tflm authors

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.standin import Board
from tflm.errors import ModelError
from tflm_tools.board.board_device import board_device
from tflm_tools.board.device_pool import DevicePool, open_boards
from tflm_tools.check.verify import verify
from tflm_tools.errors import ToolError
from tflm_tools.execution import task_pool
from tflm_tools.execution.processes import split_runs
from tflm_tools.flat.flatten import flatten
from tflm_tools.measure.evaluation import evaluate
from tflm_tools.measure.per_op import bench_ops
from tflm_tools.model.model_file import open_model


@pytest.fixture
def digits(repository):
    return repository / "models" / "digits" / "digits_int8.tflite"


@pytest.fixture
def data(repository):
    with np.load(repository / "models" / "digits" / "digits_test.npz") as file:
        return {"x": file["x"], "y": file["y"]}


@pytest.fixture
def board(tmp_path, repository):
    """Return a function board(name, cut=bytes after which the connection breaks)."""
    return lambda name, **options: Board(
        tmp_path / name, library=repository / "modules", rom=1 << 17, **options
    )


# Records the calls of a progress function, which must only increase and reach the total.
class _ProgressCalls(list):
    def __call__(self, done, total):
        self.append((done, total))

    def is_complete(self, total):
        return self == sorted(set(self)) and self[-1] == (total, total)


def _first_examples(data, count):
    return {name: array[:count] for name, array in data.items()}


def test_two_boards_share_an_evaluation(board, digits, data, tmp_path):
    few = _first_examples(data, 24)
    np.savez(tmp_path / "few.npz", **few)
    alone = evaluate(digits, few, jobs=1).score
    with board("a") as one, board("b") as two:
        steps = _ProgressCalls()
        with open_boards([one.port, two.port]) as device:
            before = one.received, two.received
            found = evaluate(digits, few, device=device, progress=steps)
            assert not device.lost
        assert found.score == alone and found.jobs == 2 and "2 x " in found.where
        assert steps.is_complete(24)
        for end, begin in zip((one.received, two.received), before, strict=True):
            assert end - begin > 2000  # both boards have run examples


# When one board is unplugged, the other board runs the rest, and an error names the lost port.
def test_eval_continues_when_a_board_is_unplugged(board, tflm, digits, data, tmp_path):
    np.savez(tmp_path / "few.npz", **_first_examples(data, 24))
    called = ("eval", digits, "--data", tmp_path / "few.npz", "--json")
    alone = tflm(*called, "--jobs", 1).json()["score"]
    with board("a", cut=14_000) as one, board("b") as two:
        found = tflm(*called, "--on", one.port, "--on", two.port)
        assert found.code == 0 and found.json()["score"] == alone
        assert found.err.count("\n") == 1 and one.port in found.err and two.port not in found.err
        assert "the other boards have done its work" in found.err
    with board("c", cut=14_000) as one, board("d", cut=15_000) as two:
        found = tflm(*called, "--on", one.port, "--on", two.port)
        assert (
            found.code == 1
            and found.out == ""
            and "no board is left for the remaining work; " in found.err
        )
        assert found.err.count("\n") == 1


def test_verify_and_bench_on_two_boards(board, tflm, layers, digits):
    with board("a") as one, board("b") as two:
        ports = "--on", one.port, "--on", two.port
        found = tflm("verify", layers, "--runs", 4, "--json", *ports)
        assert (found.code, found.err) == (0, "") and found.json()["cases"] == 8
        found = tflm("bench", layers, digits, layers, "--invokes", 2, "--json", *ports)
        assert (found.code, found.err) == (0, "")
        models = [Path(each["model"]).name for each in found.json()]
        assert models == ["layers.tflite", digits.name, "layers.tflite"]
        with board_device(one.port) as slow, board_device(two.port) as fast:
            fast.facts.frequency = slow.facts.frequency + 99_000_000
            with pytest.raises(ToolError, match=f"of different kinds.*{two.port}"):
                bench_ops([layers], 2, DevicePool([slow, fast]))


# When one of two workers of a Dask cluster is killed, the results equal the results of one job.
@pytest.mark.long
def test_cluster_survives_the_loss_of_a_worker(digits, data, monkeypatch):
    pytest.importorskip("distributed")
    from distributed import LocalCluster
    from tflm_tools.execution import dask_cluster

    alone = evaluate(digits, data, jobs=1)
    options = {"dashboard_address": None, "worker_dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options) as cluster:
        victim = next(iter(cluster.workers.values())).process.pid
        steps = _ProgressCalls()

        def progress(done, total):
            steps(done, total)
            if len(steps) == 2:
                os.kill(victim, signal.SIGKILL)

        found = evaluate(digits, data, scheduler=cluster.scheduler_address, progress=progress)
        assert found.score == alone.score and found.jobs == 2
        assert found.arena_bytes == alone.arena_bytes
        assert steps.is_complete(len(data["y"])) and len(steps) >= 6
        result = verify(digits, runs=2, scheduler=cluster.scheduler_address)
        assert result.is_equal() and [path.cases for path in result.paths] == [6, 6]
        with task_pool.open_pool(scheduler=cluster.scheduler_address) as pool:
            assert pool.map(_double, list(range(9))) == list(range(0, 18, 2))
            with pytest.raises(ModelError, match="item 3"):
                pool.map(_fails_from_3, list(range(9)))
            with pytest.raises(
                ToolError, match="did not finish a task .*install the same version"
            ):
                pool.map(_Unreadable(), [1, 2])
            monkeypatch.setattr(dask_cluster, "_MAX_SECONDS_WITHOUT_WORKERS", 1.0)
        with (
            pytest.raises(ToolError, match="has had no workers for 1 s; start workers"),
            task_pool.open_pool(scheduler=cluster.scheduler_address) as pool,
        ):
            threading.Timer(0.5, cluster.scale, [0]).start()
            pool.map(_slow, list(range(100)))


def _slow(item):
    time.sleep(0.2)


def _double(item):
    return 2 * item


# Item 3 fails later than the items after it.
def _fails_from_3(item):
    if item >= 3:
        time.sleep(0.2 if item == 3 else 0)
        raise ModelError(f"item {item}")


# A task that a worker cannot unpickle, as when tflm is not installed there.
class _Unreadable:
    def __call__(self, item):
        return item

    def __reduce__(self):
        return int, ("this is no number",)


def test_pool_raises_the_error_of_the_first_item():
    with task_pool.open_pool(3) as pool, pytest.raises(ModelError, match="item 3"):
        pool.map(_fails_from_3, list(range(9)))


# Ctrl-C and SIGTERM end the processes of all jobs and remove their temporary folders.
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_all_jobs(digits, tmp_path, repository, number, code):
    data = tmp_path / "data.npz"
    np.savez(data, x=np.zeros((2000, 8, 8, 1), np.int8), y=np.zeros(2000, int))
    folders = tmp_path / "folders"
    folders.mkdir()
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\necho $$ >> $0.pids\nexec sleep 60\n")
    slow.chmod(0o755)
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from tflm_tools.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "eval", digits, "--data", data, "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(folders),
             "TFLM_MICROPYTHON": str(slow)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    pids = tmp_path / "slow.pids"
    limit = time.monotonic() + 30
    while not pids.exists() or len(pids.read_text().split()) < 2:
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    assert len(list(folders.iterdir())) == 2
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code and "Traceback" not in err, err
    assert out == "" and not list(folders.iterdir())
    for pid in pids.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


# The runs of a model with variables stay in one slice, unless the variables are reset.
def test_split_runs(digits, tmp_path):
    model = ModelBuilder("sum")
    x = model.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    y = model.tensor((1, 4), "int8", scale=0.1, zero_point=0)
    model.custom("CIRCULAR_BUFFER", [x], [y])
    model.io([x], [y])
    stateful = open_model("sum.tflite", model.build())
    runs = list(range(100))
    for file, reset, count in (
        (stateful, False, 1),
        (stateful, True, 8),
        (open_model(digits), False, 8),
        (open_model("digits.tflm", flatten(digits.read_bytes())), False, 1),
    ):
        slices = [runs[each] for each in split_runs(file, runs, 2, reset)]
        assert sum(slices, []) == runs and len(slices) == count
    assert len(split_runs(open_model(digits), runs, 2, whole=True)) == 1


def test_verify_with_jobs_gives_the_same_result(tflm, layers):
    found = [
        tflm("verify", layers, "--runs", 5, "--json", *more).json()
        for more in ((), ("--jobs", 3))
    ]  # fmt: skip
    assert found[0] == found[1] and found[0]["mismatch"] is None


@pytest.mark.parametrize(
    "options, message",
    [
        (("--backend", "dask"), "--backend dask and --scheduler go together"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--backend dask and --scheduler go together"),
        (("--on", "a0", "--jobs", 2), "--jobs is for the unix port"),
        (("--on", "a0", "--backend", "dask", "--scheduler", "x"), "--backend dask is for the"),
    ],
)
def test_conflicting_options_are_refused(tflm, layers, options, message):
    for command in ("verify", "bench"):
        found = tflm(command, layers, *options)
        assert found.code == 2 and message in found.err and found.err.count("\n") == 1


def test_bench_refuses_jobs(tflm, layers):
    found = tflm("bench", layers, "--jobs", 2)
    assert found.code == 2 and "disturb each other's times" in found.err
    found = tflm("bench", layers, "--all", "--on", "a0", "--on", "a1")
    assert found.code == 2 and "--all is for one board" in found.err


# Without joblib one job is the default, and an error for more jobs says what to install.
def test_jobs_without_joblib(tflm, layers, monkeypatch, tmp_path):
    find = task_pool.importlib.util.find_spec
    monkeypatch.setattr(
        task_pool.importlib.util,
        "find_spec",
        lambda name, *rest: None if name in ("joblib", "distributed") else find(name, *rest),
    )
    found = tflm("verify", layers, "--jobs", 2)
    assert (
        found.code == 1
        and "jobs at once requires the package joblib; install it with:" in found.err
    )
    found = tflm("verify", layers, "--backend", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert found.code == 1 and "--backend dask requires the package" in found.err
    np.savez(tmp_path / "x.npz", x=np.zeros((3, 8), np.int8), y=np.zeros(3, int))
    assert tflm("eval", layers, "--data", tmp_path / "x.npz", "--json").json()["jobs"] == 1
