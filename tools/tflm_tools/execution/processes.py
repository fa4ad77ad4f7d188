# tflm_tools: execution: splits runs of a model over several unix-port processes or a Dask cluster
# MIT license; Copyright (c) 2026 the tflm authors

import functools

from tflm.tflite.reader import TfliteModel

from ..model.schema import BuiltinOperator
from ..port import unix_port
from ..port.invocation import DEFAULTS
from . import task_pool
from .device_model import Invocation, invoke, model_for_device

_MAX_RUNS_PER_SLICE = 64  # the progress bar advances by one slice
_SLICES_PER_JOB = 4  # so that all jobs end at about the same time
_STATEFUL = {BuiltinOperator.CUSTOM, BuiltinOperator.VAR_HANDLE, BuiltinOperator.CALL_ONCE}


def is_stateful(model):
    """Return whether a run of a ModelFile may depend on earlier runs.

    That is the case with variable tensors, and with operators that may have variables.
    """
    if model.kind != "tflite":
        return True
    for subgraph in TfliteModel(model.data).subgraphs:
        if any(subgraph.tensor(i).is_variable for i in range(subgraph.tensors_length())):
            return True
        if any(subgraph.node_code(i) in _STATEFUL for i in range(subgraph.nodes_length())):
            return True
    return False


def split_runs(model, runs, jobs, reset=False, whole=False):
    """Return slices of `runs` that may execute on different processes, in order.

    reset: variables are reset before each run. whole: return one slice, whatever the model.
    """
    if whole or (is_stateful(model) and not reset):
        return [slice(0, len(runs))]
    slices = jobs * _SLICES_PER_JOB if jobs > 1 else 1
    size = max(1, min(_MAX_RUNS_PER_SLICE, -(-len(runs) // slices)))
    return [slice(at, at + size) for at in range(0, len(runs), size)]


def merge_invocations(invocations):
    """Return one Invocation made of the Invocations of all slices, in order."""
    if len(invocations) == 1:
        return invocations[0]
    outputs = [output for each in invocations for output in each.outputs]
    times = [time for each in invocations for time in each.times]
    arena = max(each.arena for each in invocations)
    return Invocation(outputs, times, arena, {})


# A function at module level: a Dask worker imports it by its name.
def _invoke(model, options, runs):
    return invoke(model, runs, options)


class Processes:
    """The unix port in `jobs` processes, or on a Dask cluster, as one device.

    scheduler: the address of a Dask scheduler. `jobs` is then the number of threads of the
    cluster's workers, known after the first invoke(). Python files of custom operators must have
    the same paths on the workers.
    """

    is_board = False
    where = "unix port"

    def __init__(self, jobs=None, scheduler=None):
        self.jobs = jobs
        self._scheduler = scheduler

    def invoke(self, model, runs, options=DEFAULTS, progress=None):
        """Invoke a model as device_model.invoke() does."""
        ready = model_for_device(model, options)
        done = 0

        def advance(invocation):
            nonlocal done
            done += len(invocation.outputs)
            if progress is not None:
                progress(done, len(runs))

        with task_pool.open_pool(self.jobs, self._scheduler) as pool:
            self.jobs = pool.jobs
            whole = options.keep_tensors or options.profile
            slices = split_runs(model, runs, pool.jobs, options.reset, whole)
            task = functools.partial(_invoke, ready, options)
            chosen = [runs[each] for each in slices]
            invocations = pool.map(task, chosen, advance, unix_port.kill_scripts)
        return merge_invocations(invocations)
