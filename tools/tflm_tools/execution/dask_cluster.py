# tflm_tools: a Dask cluster as joblib's backend, with what goes wrong there in one sentence
# MIT license; Copyright (c) 2026 the tflm authors

import logging
import threading
import time
from contextlib import contextmanager

from distributed import Client
from joblib._dask import DaskDistributedBackend

from ..errors import ToolError

_CLOSING = 2  # seconds to take leave of the scheduler
_ALONE = 30.0  # seconds that a scheduler may be without workers while there is work


@contextmanager
def connected(address, seconds):
    """A distributed.Client of the scheduler at an address, with at least one worker."""
    with _quiet():
        try:
            client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ToolError(
                f"no Dask scheduler answers at {address} ({_first_line(error)}); start it with: "
                "dask scheduler, or check the address"
            ) from None
        try:
            _wait_for_workers(client, address, seconds)
            with _watched(client, address):
                yield client
        finally:
            client.close(timeout=_CLOSING)


# Dask logs what goes wrong, with tracebacks; here that is raised.
@contextmanager
def _quiet():
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
            f"the Dask scheduler at {address} has no workers; start some with: dask worker "
            f"{address}"
        ) from None


# A scheduler waits for workers for ever; here their absence ends the work with a sentence.
@contextmanager
def _watched(client, address):
    is_over, is_alone = threading.Event(), threading.Event()

    def watch():
        last = time.monotonic()
        while not is_over.wait(1):
            try:
                count = len(client.nthreads())
            except Exception:  # the client is closed, or cannot ask; its tasks say so themselves
                return
            if count:
                last = time.monotonic()
            elif time.monotonic() - last > _ALONE:
                is_alone.set()
                client.close(timeout=_CLOSING)  # which cancels its tasks
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except ToolError:
        if not is_alone.is_set():
            raise
        raise ToolError(
            f"the Dask scheduler at {address} has had no workers for {_ALONE:g} s; start some "
            f"with: dask worker {address}"
        ) from None
    finally:
        is_over.set()


def _first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0]


# What was sent did not come back as a result: the worker could not read it, or nobody does it.
class _Lost:
    def __init__(self, error):
        self.error = error


class Backend(DaskDistributedBackend):
    """joblib's own, which waits for ever for a task that Dask itself gives up."""

    def submit(self, func, callback=None):
        future = super().submit(func, callback)

        def tell(future):
            if future.exception() is not None:
                callback(_Lost(future.exception()))

        future.add_done_callback(tell)
        return future

    def retrieve_result_callback(self, out):
        error = out.error if isinstance(out, _Lost) else out
        if isinstance(error, BaseException):
            raise ToolError(
                f"the Dask cluster did not do a piece of the work ({type(error).__name__}: "
                f"{_first_line(error)}); see what its scheduler and workers print, and "
                "install the same tflm with its extra dask there"
            )
        return super().retrieve_result_callback(out)
