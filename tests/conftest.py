# Tests of tflm: import paths, shared fixtures, and the line of totals at the end of a run
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys
from collections import Counter
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[1]
_MODELS = _REPOSITORY.parent / "shared" / "models"

for _folder in ("modules", "tools", "tests", "."):
    if str(_REPOSITORY / _folder) not in sys.path:
        sys.path.insert(0, str(_REPOSITORY / _folder))

gc.disable()  # until all tests are collected, because what collection makes stays until the end


# Options and marks of a folder must be known before pytest reads the folder's conftest.
def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run also what takes long")
    parser.addoption("--boards", action="store_true", help="run all of tests/boards")
    parser.addoption("--page", action="store_true", help="run tests/page")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: runs only with --long")
    config.addinivalue_line("markers", "sampled(n): without --long, every n-th parameter set runs")
    config.addinivalue_line("markers", "quick_boards: runs without --boards, too")
    config.addinivalue_line("markers", "quick_page: runs without --page, too")


@pytest.fixture(scope="session")
def repository() -> Path:
    """Folder of the repository."""
    return _REPOSITORY


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """Folder of the real models beside the repository; skips the test if it is absent."""
    if not _MODELS.is_dir():
        pytest.skip("the folder ../shared/models with the real models is not here")
    return _MODELS


# Tests that are selected by name always run.
def pytest_collection_modifyitems(config, items):
    if config.option.long or config.option.keyword or any("::" in name for name in config.args):
        return
    skip = pytest.mark.skip(reason="`make -C tests long` runs this")
    seen = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        name = item.path, getattr(item, "originalname", item.name)
        number = seen[name]
        seen[name] += 1
        if item.get_closest_marker("long") or sampled and number % sampled.args[0]:
            item.add_marker(skip)


# Add a case to its module's batch only if pytest is going to run it.
def pytest_collection_finish(session):
    gc.freeze()
    gc.set_threshold(50_000)  # planners make millions of objects, and few cycles
    gc.enable()
    for item in session.items:
        callspec = getattr(item, "callspec", None)
        select = getattr(callspec.params.get("case"), "select", None) if callspec else None
        if select:
            select()


# One xdist worker runs all tests of a file, because the cases of a module share a batch. One
# worker runs all of tests/rules, because making the records of all cases takes long. Files are
# scheduled in the order of their folders. xdist would order them by their number of tests: the few
# tests that build firmware for minutes would start last, while the other worker is idle.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") != "load":
        return None  # the user selected another distribution
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "tests/rules" if file.startswith("tests/rules/") else file

    config.option.loadscopereorder = False
    return Scheduling(config, log)


# Print the totals as the last line of the run, but not in workers of xdist.
@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput") or config.option.collectonly:
        return
    count = {name: len(reports) for name, reports in reporter.stats.items()}
    passed = count.get("passed", 0) + count.get("xpassed", 0)
    failed = count.get("failed", 0) + count.get("error", 0)
    skipped = count.get("skipped", 0) + count.get("xfailed", 0)
    if not failed and config.stash.get(_EXIT_STATUS, 0) not in (
        pytest.ExitCode.OK,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    ):
        failed = 1  # the run itself failed
    line = f"{passed} passed, {failed} failed"
    if skipped:
        line += f", {skipped} skipped"
    reporter.ensure_newline()
    reporter.write_line(line)


_EXIT_STATUS = pytest.StashKey[int]()


def pytest_sessionfinish(session, exitstatus):
    session.config.stash[_EXIT_STATUS] = exitstatus
