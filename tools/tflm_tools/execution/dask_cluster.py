# tflm_tools: execution: uses a Dask cluster as joblib's backend and reports its failures
# MIT license; Copyright (c) 2026 the tflm authors

import logging
import threading
import time
from contextlib import contextmanager

from distributed import Client
from joblib._dask import DaskDistributedBackend

from ..errors import ToolError

_CLOSE_SECONDS = 2  # limit for closing the connection to the scheduler
_MAX_SECONDS_WITHOUT_WORKERS = 30.0  # while tasks are waiting


@contextmanager
def connected(address, seconds):
    """Yield a distributed.Client of the scheduler at `address`, with at least one worker.

    seconds: limit for the scheduler's answer, and again for its first worker. Raises ToolError.
    """
    with _logging_disabled():
        try:
            client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ToolError(
                f"no Dask scheduler answers at {address} ({_first_line(error)}); start it with "
                "`dask scheduler`, or check the address"
            ) from None
        try:
            _wait_for_workers(client, address, seconds)
            with _watched(client, address):
                yield client
        finally:
            client.close(timeout=_CLOSE_SECONDS)


# Dask logs failures with tracebacks. This module raises them instead, so the loggers are silenced.
@contextmanager
def _logging_disabled():
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _wait_for_workers(client, address, seconds):
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError:
        raise ToolError(
            f"the Dask scheduler at {address} has no workers; start workers with "
            f"`dask worker {address}`"
        ) from None


# A Dask scheduler waits for workers without a limit. A thread closes the client when there have
# been no workers for too long, which ends the work with a ToolError.
@contextmanager
def _watched(client, address):
    is_over, has_no_workers = threading.Event(), threading.Event()

    def watch():
        last = time.monotonic()
        while not is_over.wait(1):
            try:
                count = len(client.nthreads())
            except Exception:  # the client is closed or disconnected; its tasks raise the error
                return
            if count:
                last = time.monotonic()
            elif time.monotonic() - last > _MAX_SECONDS_WITHOUT_WORKERS:
                has_no_workers.set()
                client.close(timeout=_CLOSE_SECONDS)  # cancels its tasks
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except ToolError:
        if not has_no_workers.is_set():
            raise
        raise ToolError(
            f"the Dask scheduler at {address} has had no workers for "
            f"{_MAX_SECONDS_WITHOUT_WORKERS:g} s; start workers with `dask worker {address}`"
        ) from None
    finally:
        is_over.set()


def _first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0]


# Stands for the result of a task that has none: a worker could not read the task, or Dask gave up.
class _LostTask:
    def __init__(self, error):
        self.error = error


class Backend(DaskDistributedBackend):
    """joblib's Dask backend, which also ends when Dask gives up a task.

    joblib's own backend waits without a limit for such a task.
    """

    def submit(self, func, callback=None):
        future = super().submit(func, callback)

        def report_failure(future):
            if future.exception() is not None:
                callback(_LostTask(future.exception()))

        future.add_done_callback(report_failure)
        return future

    def retrieve_result_callback(self, out):
        error = out.error if isinstance(out, _LostTask) else out
        if isinstance(error, BaseException):
            raise ToolError(
                f"the Dask cluster did not finish a task ({type(error).__name__}: "
                f"{_first_line(error)}); read the output of its scheduler and workers, and "
                "install the same version of tflm with its extra dask there"
            )
        return super().retrieve_result_callback(out)
