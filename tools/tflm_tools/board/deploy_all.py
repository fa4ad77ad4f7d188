# tflm_tools: board: deploy to several boards at once, a class of thirty say
# MIT license; Copyright (c) 2026 the tflm authors

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from tflm.errors import TflmError

from ..errors import DeviceError
from .deploy import Deployment, deploy
from .ports import connected


@dataclass
class Served:
    """One board of several: what deploy did there, or the sentence that it ended with."""

    port: str
    deployment: Deployment | None
    error: str


def deploy_all(path, ports=(), **options):
    """Deploy the model at `path` to the boards at `ports`, or to all that USB has.

    Yields a Served for each as it is done; one that fails does not hold up the others. options:
    as for deploy(). Raises DeviceError when no board is connected.
    """
    ports = list(dict.fromkeys(ports)) or [port.device for port in connected()]
    if not ports:
        raise DeviceError("no board is connected over USB; plug them in, or name ports", "absent")
    with ThreadPoolExecutor(len(ports)) as pool:
        tasks = {pool.submit(deploy, path, port, **options): port for port in ports}
        for task in as_completed(tasks):
            error = task.exception()
            if error is not None and not isinstance(error, TflmError):
                raise error
            done = task.result() if error is None else None
            yield Served(tasks[task], done, str(error or ""))
