# tflm_tools: execution: runs tasks on threads of this process or on a Dask cluster, with joblib
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import importlib.util
import threading
import time
import warnings
from contextlib import contextmanager

from tflm.errors import TflmError
from tflm.version import __version__

from ..errors import ToolError
from ..extras import installing

_CONNECT_SECONDS = 10  # limit for a scheduler's answer, and again for its first worker
_POLL_SECONDS = 0.02  # between two checks whether stopped threads have ended


def has_joblib():
    """Return whether joblib is installed."""
    return importlib.util.find_spec("joblib") is not None


def _require(package, purpose, extra):
    if importlib.util.find_spec(package) is None:
        raise ToolError(
            f"{purpose} requires the package {package}; install it with: {installing(extra)}"
        )


@contextmanager
def open_pool(jobs=1, scheduler=None):
    """Yield a ThreadPool, or a ClusterPool if `scheduler` is set.

    jobs: how many tasks run at once. scheduler: the address of a Dask scheduler. Raises ToolError
    if a package, the scheduler or its workers are missing.
    """
    if scheduler is None:
        yield ThreadPool(jobs or 1)
        return
    _require("joblib", "--backend dask", "dask")
    _require("distributed", "--backend dask", "dask")
    from .dask_cluster import connected

    with connected(scheduler, _CONNECT_SECONDS) as client:
        yield ClusterPool(client, jobs)


# The result of a task that raised an error. The error of the first item in their order is raised
# again, which need not be the first in time.
class _FailedTask:
    def __init__(self, error):
        self.error = error


def _outcome(task, item):
    try:
        return task(item)
    except TflmError as error:
        return _FailedTask(error)


class ThreadPool:
    """Threads of this process, for tasks that wait for other processes or boards."""

    def __init__(self, jobs):
        if jobs > 1:
            _require("joblib", f"running {jobs} jobs at once", "jobs")
        self.jobs = jobs

    def map(self, task, items, done=None, end=None):
        """Return [task(item) for each item], `jobs` at a time; the first error ends all tasks.

        done: called with each result, in order. end: called when all tasks must stop (an error,
        Ctrl-C, SIGTERM) with the numbers of the threads that still work, until all have ended.
        """
        if self.jobs == 1 or len(items) <= 1:
            return _collect((_outcome(task, item) for item in items), done)
        from joblib import Parallel, delayed

        stopped, busy = threading.Event(), set()

        def run_task(item):
            busy.add(threading.get_ident())
            try:
                return None if stopped.is_set() else _outcome(task, item)
            finally:
                busy.discard(threading.get_ident())

        results = Parallel(
            self.jobs, backend="threading", batch_size=1, return_as="generator"
        )(delayed(run_task)(item) for item in items)  # fmt: skip
        try:
            return _collect(results, done)
        finally:
            stopped.set()
            _close(results)
            while busy:
                if end is not None:
                    end(set(busy))
                time.sleep(_POLL_SECONDS)


class ClusterPool:
    """The workers of a Dask cluster; `jobs` is the number of their threads."""

    def __init__(self, client, jobs=None):
        self.jobs = min(filter(None, (jobs, sum(client.nthreads().values()))))
        self._client, self._pre_dispatch = client, jobs or "2*n_jobs"

    def map(self, task, items, done=None, end=None):
        """As ThreadPool.map(). A task whose worker disappears runs again on another worker."""
        from joblib import Parallel, delayed

        from .dask_cluster import Backend

        results = Parallel(
            backend=Backend(client=self._client), batch_size=1, return_as="generator",
            pre_dispatch=self._pre_dispatch,
        )(delayed(_on_worker)(__version__, functools.partial(_outcome, task, item))
          for item in items)  # fmt: skip
        try:
            return _collect(results, done)
        finally:
            _close(results)


# Run a task on a worker, whose tflm must have the same version: it uses its own kernels.
def _on_worker(version, task):
    if version != __version__:
        return _FailedTask(ToolError(
            f"a Dask worker has tflm {__version__}, not {version}; install the same version there"
        ))  # fmt: skip
    return task()


def _collect(results, done):
    collected = []
    for result in results:
        if isinstance(result, _FailedTask):
            raise result.error
        collected.append(result)
        if done is not None:
            done(result)
    return collected


# Close joblib's generator without its warning about results that nobody fetched.
def _close(results):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results.close()
