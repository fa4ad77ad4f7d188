# tflm_tools: board: Boards: several boards as one device, which share what there is to do
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import ExitStack, contextmanager

from ..errors import DeviceError, ToolError
from ..execution import task_pool
from ..execution.device_model import model_for_device
from ..execution.processes import is_stateful, merge_invocations
from .board_device import board_device
from .session import Session
from .work import Work


@contextmanager
def boards(ports, timeout=None):
    """A Boards of all ports, or the BoardDevice of the only one, in a `with`.

    timeout: see Link. A port that has no board is an error here; later the others go on.
    """
    ports = list(dict.fromkeys(ports))
    with ExitStack() as stack:
        found = [stack.enter_context(board_device(port, timeout)) for port in ports]
        yield found[0] if len(found) == 1 else Boards(found)


class Boards:
    """Several BoardDevices as one: invoke() is that of device_model, share() that of a board.

    Each board takes the next run when it is done with one. The runs of a board that fails are
    done by the others; `lost` has a sentence for each such port.
    """

    is_board = True

    def __init__(self, devices):
        self._devices = list(devices)
        self.jobs = len(self._devices)
        self.lost = {}

    @property
    def where(self):
        """The kinds of boards, and how many of each."""
        machines = [device.facts.machine for device in self._devices]
        counts = {machine: machines.count(machine) for machine in machines}
        return ", ".join(f"{count} x {machine}" for machine, count in counts.items())

    def require_one_kind(self):
        """Raise ToolError where times of one board say nothing about another one."""
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
                f"these boards are not of one kind, so their times cannot be compared ({names}); "
                "name boards of one kind"
            )

    def share(self, items, task, progress=None, start=None):
        """[task(board, item)] in the order of items; `start` gives what stands for a board.

        Raises what a task raises, but where the board is at fault: then the last board's error,
        once none is left.
        """
        work = Work(items, progress)

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
            raise DeviceError(
                f"no board is left for the rest; {list(self.lost.values())[-1]}", "lost"
            )
        return work.results

    def invoke(self, model, runs, path="flat", repeat=1, locked=False, keep_tensors=False,
               heap=None, timeout=None, custom=(), profile=False, reset=False, flat=None,
               progress=None):  # fmt: skip
        """As device_model.invoke(); what goes on from run to run is for one board alone."""
        ready = {
            target: model_for_device(
                model, path, keep_tensors, custom, None if keep_tensors else target, flat
            )
            for target in {device.facts.target for device in self._devices}
        }
        options = (path, repeat, locked, keep_tensors, heap, timeout, custom, profile, reset,
                   flat)  # fmt: skip

        def start(device):
            return device.session(ready[device.facts.target], *options)

        if keep_tensors or profile or (is_stateful(model) and not reset):
            return self.share([runs], Session.invoke_all, start=start)[0]
        found = self.share(runs, lambda session, arrays: (session, session.invoke(arrays)),
                           progress, start)  # fmt: skip
        return merge_invocations(
            [session.result([outputs], times) for session, (outputs, times) in found]
        )
