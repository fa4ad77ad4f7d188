# tflm_tools: several processes of the unix port as one device, here or on a Dask cluster
# MIT license; Copyright (c) 2026 the tflm authors

import functools

from tflm.tflite.reader import TfliteModel

from ..model.schema import BuiltinOperator
from ..port import unix_port
from . import spread
from .device_model import Invocation, form, invoke

_MOST = 64  # runs of a piece: what the progress bar moves by
_PIECES = 4  # for each job, so that all end at about the same time
_STATEFUL = {BuiltinOperator.CUSTOM, BuiltinOperator.VAR_HANDLE, BuiltinOperator.CALL_ONCE}


def follow_each_other(model):
    """True where a run of a ModelFile may see what the ones before it left: with variables, or
    operators that may have some."""
    if model.kind != "tflite":
        return True
    for subgraph in TfliteModel(model.data).subgraphs:
        if any(subgraph.tensor(i).is_variable for i in range(subgraph.tensors_length())):
            return True
        if any(subgraph.node_code(i) in _STATEFUL for i in range(subgraph.nodes_length())):
            return True
    return False


def pieces_of(model, runs, jobs, reset=False, whole=False):
    """Slices of `runs` that may go to different places, in order.

    reset: variables are as at first before each run. whole: all in one piece, whatever the model.
    """
    if whole or not (reset or not follow_each_other(model)):
        return [slice(0, len(runs))]
    size = max(1, min(_MOST, -(-len(runs) // (jobs * (_PIECES if jobs > 1 else 1)))))
    return [slice(at, at + size) for at in range(0, len(runs), size)]


def joined(found):
    """One Invocation of those of all pieces, in order."""
    outputs = [output for each in found for output in each.outputs]
    times = [time for each in found for time in each.times]
    arena = max(each.arena for each in found)
    if len(found) == 1:
        return found[0]
    return Invocation(outputs, times, arena, {})


# A piece, as a function of a module: a Dask worker finds it by its name.
def _invoke(model, path, options, runs):
    return invoke(model, runs, path, **options)


class Processes:
    """The unix port in `jobs` processes, or on a Dask cluster: invoke() is that of device_model.

    scheduler: the address of a Dask scheduler; `jobs` is what the cluster has, then, once it has
    been asked. Files of custom operators have the same paths there.
    """

    is_board = False
    where = "unix port"

    def __init__(self, jobs=None, scheduler=None):
        self.jobs = jobs
        self._scheduler = scheduler

    def invoke(self, model, runs, path="flat", repeat=1, locked=False, keep_tensors=False,
               heap=None, timeout=None, custom=(), profile=False, reset=False, flat=None,
               progress=None):  # fmt: skip
        options = dict(
            repeat=repeat, locked=locked, keep_tensors=keep_tensors, heap=heap, timeout=timeout,
            custom=custom, profile=profile, reset=reset,
        )  # fmt: skip
        ready = form(model, path, keep_tensors, custom, flat=flat)
        done = 0

        def step(found):
            nonlocal done
            done += len(found.outputs)
            if progress is not None:
                progress(done, len(runs))

        with spread.pool(self.jobs, self._scheduler) as pool:
            self.jobs = pool.jobs
            pieces = pieces_of(model, runs, pool.jobs, reset, keep_tensors or profile)
            task = functools.partial(_invoke, ready, path, options)
            found = pool.map(task, [runs[each] for each in pieces], step, unix_port.end)
        return joined(found)
