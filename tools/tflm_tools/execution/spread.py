# tflm_tools: spread: pieces of work over threads here, or over a Dask cluster, through joblib
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

_SECONDS = 10  # for a scheduler to answer, and for its first worker to be there
_STEP = 0.02  # seconds between two looks whether what was stopped has ended


def installed():
    """True when joblib is there."""
    return importlib.util.find_spec("joblib") is not None


def _require(package, what, extra):
    if importlib.util.find_spec(package) is None:
        raise ToolError(
            f"for {what} the package {package} is missing; install it with: {installing(extra)}"
        )


@contextmanager
def pool(jobs=1, scheduler=None):
    """A Threads or a Cluster, in a `with`; raises ToolError where what it needs is not there.

    scheduler: the address of a Dask scheduler, whose workers do the work then; jobs, if given, is
    how many pieces are on their way at once.
    """
    if scheduler is None:
        yield Threads(jobs or 1)
        return
    _require("joblib", "--backend dask", "dask")
    _require("distributed", "--backend dask", "dask")
    from .dask_cluster import connected

    with connected(scheduler, _SECONDS) as client:
        yield Cluster(client, jobs)


# An error of a piece, as its result: what is raised is the first in their order, not in time.
class _Failed:
    def __init__(self, error):
        self.error = error


def _outcome(task, item):
    try:
        return task(item)
    except TflmError as error:
        return _Failed(error)


class Threads:
    """So many threads of this process, for work that other processes or boards do."""

    def __init__(self, jobs):
        if jobs > 1:
            _require("joblib", f"{jobs} jobs at once", "jobs")
        self.jobs = jobs

    def map(self, task, items, done=None, end=None):
        """[task(item) for each item], `jobs` at a time; what one raises ends all.

        done: called with each result, in order. end: called with the numbers of threads that are
        still at work when all has to stop (by an error, Ctrl-C, SIGTERM), again and again until
        they have ended.
        """
        if self.jobs == 1 or len(items) <= 1:
            return _collected((_outcome(task, item) for item in items), done)
        from joblib import Parallel, delayed

        stopped, busy = threading.Event(), set()

        def one(item):
            busy.add(threading.get_ident())
            try:
                return None if stopped.is_set() else _outcome(task, item)
            finally:
                busy.discard(threading.get_ident())

        results = Parallel(
            self.jobs, backend="threading", batch_size=1, return_as="generator"
        )(delayed(one)(item) for item in items)  # fmt: skip
        try:
            return _collected(results, done)
        finally:
            stopped.set()
            _close(results)
            while busy:
                if end is not None:
                    end(set(busy))
                time.sleep(_STEP)


class Cluster:
    """The workers of a Dask cluster; `jobs` is how many threads they have."""

    def __init__(self, client, jobs=None):
        self.jobs = min(filter(None, (jobs, sum(client.nthreads().values()))))
        self._client, self._most = client, jobs or "2*n_jobs"

    def map(self, task, items, done=None, end=None):
        """As Threads.map(); a piece whose worker is gone is done again by another one."""
        from joblib import Parallel, delayed

        from .dask_cluster import Backend

        results = Parallel(
            backend=Backend(client=self._client), batch_size=1, return_as="generator",
            pre_dispatch=self._most,
        )(delayed(_on_worker)(__version__, functools.partial(_outcome, task, item))
          for item in items)  # fmt: skip
        try:
            return _collected(results, done)
        finally:
            _close(results)


# A piece on a worker, which must have the same tflm: kernels and files go with it.
def _on_worker(version, piece):
    if version != __version__:
        return _Failed(ToolError(
            f"a Dask worker has tflm {__version__}, not {version}; install the same version there"
        ))  # fmt: skip
    return piece()


def _collected(results, done):
    found = []
    for result in results:
        if isinstance(result, _Failed):
            raise result.error
        found.append(result)
        if done is not None:
            done(result)
    return found


# End a generator of joblib's; what it has not handed out yet is of no use, as it would warn.
def _close(results):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results.close()
