# Tests of tflm.fleet: after power cuts and lost connections boards have the old or the new model
# MIT license; Copyright (c) 2026 the tflm authors

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fleet import updates
from fleet.servers import Site
from support.runner import REPOSITORY, micropython_path
from support.script import run_script
from tflm_tools.port import invocation

_BOARDS = Path(__file__).parent / "device" / "boards.py"
_PROCESSES = 4


@pytest.fixture(scope="module")
def job():
    answers = {}
    for version in (1, 2):
        _, outputs, _ = invocation.invoke(updates.model(version), updates.INPUT)
        answers[str(version)] = outputs.hex()
    assert len(set(answers.values())) == 2
    return {"key": updates.PUBLIC.hex(), "name": updates.NAME, "answers": answers}


def run(folder, name, function, job, timeout=120):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(job))
    said = run_script(_BOARDS, str(path), function, timeout=timeout, heap="8M").splitlines()
    return [line[2:] for line in said if line.startswith("= ")]


# A server with one update.
def site(folder, packed):
    found = Site(folder)
    found.put(packed)
    return found


# Boards 3, 13, ... lose power at a random written byte; boards 7, 17, ... lose the connection at a
# random byte of the file. Boards 0, 5, ... get a forged and an older update first.
def test_a_hundred_boards(job, tmp_path):
    random = np.random.default_rng(11)
    new = updates.pack(2)
    boards = []
    for i in range(100):
        name, share = f"pico_{i}", None
        if i % 10 == 3:
            share = random.uniform(0, 0.95)
        elif i % 10 == 7:
            name = f"cut_{int(random.integers(0, len(new)))}_{i}"
        boards.append((name, i % 5 == 0, share))
    old = updates.pack(1, updates.model(2))
    with (
        site(tmp_path / "first", updates.pack(1)) as first,
        site(tmp_path / "new", new) as good,
        site(tmp_path / "forged", updates.pack(2, key=updates.OTHER_KEY)) as forged,
        site(tmp_path / "old", old) as older,
        ThreadPoolExecutor(_PROCESSES) as pool,
    ):
        job = {**job, "first": first.url, "url": good.url, "bad": [forged.url, older.url]}

        def update_boards_of(i):
            return run(tmp_path, i, "update_boards", {**job, "boards": boards[i::_PROCESSES]})

        said = dict(
            line.split(" ", 1)
            for lines in pool.map(update_boards_of, range(_PROCESSES))
            for line in lines
        )
        assert len(said) == 100 + _PROCESSES
        for name, bad, share in boards:
            steps = said[name].split("; ")
            if share is not None:
                assert steps[0] in ("cut 1", "cut 2") and steps[-1] == "nothing 2", (name, steps)
            elif name.startswith("cut_"):  # after a number of bytes each time; ranges help
                assert steps[-1] in ("updated 2", "nothing 2", "failed 1"), (name, steps)
            else:
                assert steps == ["refused 1"] * 2 * bad + ["updated 2"], (name, steps)
        cut = {said[name][:5] for name, _, share in boards if share is not None}
        assert cut == {"cut 1", "cut 2"}
        closed = [line for line in good.said if ": success: " in line]
        assert len(closed) >= 90 and not [line for line in good.said if ": failure: " in line]
        assert all("not signed" in line or "has version 1" in line
                   for line in forged.said + older.said)  # fmt: skip


# The power is cut at each write of an update, until the confirmation, on littlefs; on FAT at every
# third.
@pytest.mark.parametrize(("fat", "step"), [(False, 1), (True, 3)])
def test_every_write(job, tmp_path, fat, step):
    paths = {}
    for version in (1, 2):
        path = tmp_path / f"{version}.tflu"
        path.write_bytes(updates.pack(version))
        paths[str(version)] = str(path)
    (said,) = run(tmp_path, "sweep", "sweep", {**job, "files": paths, "fat": fat, "step": step})
    old, new, writes = map(int, said.split())
    assert old > 5 and new > 2 and old + new == writes


# Processes are killed at a random byte of the download.
def test_killed_processes(job, tmp_path):
    random = np.random.default_rng(12)
    with site(tmp_path / "site", updates.pack(1)) as there:
        for i in range(3):
            folder = tmp_path / f"board{i}"
            name = f"kill_{int(random.integers(0, len(updates.pack(2))))}_{i}"
            own = {**job, "url": there.url, "controller": f"first_{i}", "folder": str(folder)}
            there.put(updates.pack(1))
            assert run(tmp_path, i, "use", own) == ["updated 1"]
            there.put(updates.pack(2))
            path = tmp_path / "killed.json"
            path.write_text(json.dumps({**own, "controller": name}))
            process = subprocess.Popen(
                [micropython_path(), str(_BOARDS), str(path), "use"],
                env={**os.environ, "MICROPYPATH": f"{REPOSITORY / 'modules'}:.frozen"},
            )
            there.pids[name] = process.pid
            assert process.wait(60) == -9
            assert run(tmp_path, "again", "use", {**own, "controller": name}) == ["updated 2"]
