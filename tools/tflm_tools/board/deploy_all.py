# tflm_tools: board: deploys a model to several boards at once
# MIT license; Copyright (c) 2026 the tflm authors

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from tflm.errors import TflmError

from ..errors import DeviceError
from .deploy import Deployment, deploy
from .ports import connected


@dataclass
class BoardResult:
    """The result of deploy() on one of several boards, or its error message."""

    port: str
    deployment: Deployment | None
    error: str


def deploy_all(path, ports=(), **options):
    """Deploy the model at `path` to the boards at `ports`, or to all boards on USB.

    Yields a BoardResult for each board as soon as it is done; an error on one board does not stop
    the others. options: as for deploy(). Raises DeviceError when no board is connected.
    """
    ports = list(dict.fromkeys(ports)) or [port.device for port in connected()]
    if not ports:
        raise DeviceError("no board is connected over USB; plug one in, or name ports", "absent")
    with ThreadPoolExecutor(len(ports)) as pool:
        tasks = {pool.submit(deploy, path, port, **options): port for port in ports}
        for task in as_completed(tasks):
            error = task.exception()
            if error is not None and not isinstance(error, TflmError):
                raise error
            done = task.result() if error is None else None
            yield BoardResult(tasks[task], done, str(error or ""))
