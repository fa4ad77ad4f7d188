# tflm_tools: board: uses several boards as one device that shares its work among them
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import ExitStack, contextmanager

from ..errors import DeviceError, ToolError
from ..execution import task_pool
from ..execution.device_model import model_for_device
from ..execution.processes import is_stateful, merge_invocations
from ..port.invocation import DEFAULTS
from .board_device import board_device
from .session import Session
from .work_queue import WorkQueue


@contextmanager
def open_boards(ports, timeout=None):
    """Yield a DevicePool of the boards at all ports, or the BoardDevice of a single port.

    timeout: see Link. Raises DeviceError if a port has no board. A board that fails later does
    not stop the others.
    """
    ports = list(dict.fromkeys(ports))
    with ExitStack() as stack:
        devices = [stack.enter_context(board_device(port, timeout)) for port in ports]
        yield devices[0] if len(devices) == 1 else DevicePool(devices)


class DevicePool:
    """Several BoardDevices as one device: invoke() and share() work as for a BoardDevice.

    Each board gets the next run when it has finished one. If a board fails, the other boards
    execute its runs; `lost` is {port: error message} of such boards.
    """

    is_board = True

    def __init__(self, devices):
        self._devices = list(devices)
        self.jobs = len(self._devices)
        self.lost = {}

    @property
    def where(self):
        """The kinds of boards, with the number of each."""
        machines = [device.facts.machine for device in self._devices]
        counts = {machine: machines.count(machine) for machine in machines}
        return ", ".join(f"{count} x {machine}" for machine, count in counts.items())

    def require_one_kind(self):
        """Raise ToolError if the boards differ, so that their times cannot be compared."""
        kinds = {}
        for device in self._devices:
            facts = device.facts
            kind = f"{facts.machine} at {facts.frequency / 1e6:g} MHz"
            kinds.setdefault((kind, facts.firmware()), []).append(facts.port)
        if len(kinds) > 1:
            names = "; ".join(
                f"{kind} with MicroPython {firmware}: {', '.join(ports)}"
                for (kind, firmware), ports in kinds.items()
            )
            raise ToolError(
                f"the boards are of different kinds, so their times cannot be compared ({names}); "
                "name boards of one kind"
            )

    def share(self, items, task, progress=None, start=None):
        """Return [task(board, item) for each item], in the order of items.

        start: a function of a BoardDevice whose result is passed to `task` as the board. An error
        of a task is raised, unless the board caused it: then the other boards continue, and when
        none is left the last board's error is raised.
        """
        work = WorkQueue(items, progress)

        def serve(device):
            board = device if start is None else None
            try:
                while (taken := work.take()) is not None:
                    if board is None:
                        board = start(device)
                    work.finish(taken, task(board, taken[1]))
            except DeviceError as error:
                if not error.is_of_board() or work.is_over():
                    work.stop()
                    raise
                self.lost[device.facts.port] = str(error)
                work.give_back(taken)
            except BaseException:
                work.stop()
                raise

        def end(_threads):
            work.stop()
            for device in self._devices:
                device.cancel()

        alive = [device for device in self._devices if device.facts.port not in self.lost]
        task_pool.ThreadPool(len(alive)).map(serve, alive, end=end)
        if not work.is_done():
            last_error = list(self.lost.values())[-1]
            raise DeviceError(f"no board is left for the remaining work; {last_error}", "lost")
        return work.results

    def invoke(self, model, runs, options=DEFAULTS, progress=None):
        """Invoke a model as device_model.invoke() does.

        A single board executes all runs of a model whose variables keep their values.
        """
        ready = {
            target: model_for_device(model, options, None if options.keep_tensors else target)
            for target in {device.facts.target for device in self._devices}
        }

        def start(device):
            return device.session(ready[device.facts.target], options)

        in_order = is_stateful(model) and not options.reset
        if options.keep_tensors or options.profile or in_order:
            return self.share([runs], Session.invoke_all, start=start)[0]
        results = self.share(runs, lambda session, arrays: (session, session.invoke(arrays)),
                             progress, start)  # fmt: skip
        return merge_invocations(
            [session.result([outputs], times) for session, (outputs, times) in results]
        )
