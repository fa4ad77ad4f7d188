# tflm_tools: search: Optuna over a user's networks, with what they cost on a board as constraints
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import math
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from tflm.errors import TflmError

from ..errors import ToolError
from ..extras import installing
from ..image.custom import telling
from ..optimize.memory.levels import BALANCED
from ..render.notebook import Shown
from .costs import Costs, costs_of
from .limits import Limits, limits_of, plain
from .space import Space, load, tflite_of

_STUDY = "tflm"
_JOURNALS = (".log", ".journal")
_REPEATS = 30  # networks in a row that were there before: the space has no more


@dataclass
class Candidate:
    """A network that was tried. costs: None where it could not be made, `error` says why then.

    score: of the user's function, or how many weights it has; None where it does not fit.
    excess: by which share it is above each limit; it fits where none is above 0.
    """

    number: int
    parameters: dict
    costs: Costs | None = None
    score: float | None = None
    excess: dict = field(default_factory=dict)
    error: str = ""

    def fits(self):
        """True where it is within all limits."""
        return self.costs is not None and all(share <= 0 for share in self.excess.values())


@dataclass
class Search(Shown):
    """What `tflm search` found. front: numbers of the networks that fit and that no other one
    beats in score, RAM, flash and time at once, the best score first. nearest: of those that do
    not fit, where none does. is_scored: by the user's score(). stopped: by Ctrl-C."""

    _shown = ("search", "print_search")

    space: str
    limits: Limits
    trials: int
    is_scored: bool
    networks: list[Candidate]
    front: list[int] = field(default_factory=list)
    nearest: int | None = None
    stopped: bool = False
    notes: list[str] = field(default_factory=list)

    def network(self, number):
        """The Candidate of a number."""
        return next(network for network in self.networks if network.number == number)


def search(space, board="pico", trials=50, seed=0, storage=None, optimize=BALANCED, ram=None,
           flash=None, ms=None, score=None, progress=None):  # fmt: skip
    """Try networks of a space: a Search.

    space: a Python file with build(trial), or that function; score(trial, network): beside it in
    the file, or given. board, ram, flash, ms: see limits.limits_of(). trials: how many in all,
    with those that `storage` has: a file, or a URL of Optuna's. optimize: as for `tflm flatten`.
    progress: a function (done, total). Ctrl-C ends it with what there is. Raises ToolError.
    """
    if importlib.util.find_spec("optuna") is None:
        raise ToolError(f"the package optuna is missing; install it with: {installing('search')}")
    limits = limits_of(board, ram, flash, ms)
    if callable(space):
        space = Space(getattr(space, "__name__", "build"), space, score)
    else:
        space = load(space)
    study = _Study(space, limits, seed, storage, optimize)
    stopped, repeats = False, 0
    try:
        while (done := len(study.networks())) < trials and repeats < _REPEATS:
            if progress is not None:
                progress(done, trials)
            repeats = repeats + 1 if study.step() else 0
    except KeyboardInterrupt:
        stopped = True
    networks = study.networks()
    if repeats == _REPEATS:
        study.notes.append(f"the space seems to have no more than these {len(networks)} networks")
    found = Search(space.name, limits, trials, space.score is not None, networks,
                   stopped=stopped, notes=study.notes)  # fmt: skip
    found.front = [network.number for network in front_of(networks)]
    made = [network for network in networks if network.costs is not None]
    if made and not found.front:
        found.nearest = min(made, key=lambda each: max(each.excess.values())).number
    return found


def front_of(networks):
    """Those Networks that fit and are not beaten by another one, the best score first."""
    fitting = [network for network in networks if network.fits()]

    def worth(network):
        costs = network.costs
        return -network.score, costs.ram, costs.flash, costs.ms or 0

    def is_beaten(network):
        mine = worth(network)
        return any(
            theirs != mine and all(a <= b for a, b in zip(theirs, mine, strict=True))
            or theirs == mine and other.number < network.number
            for other in fitting
            for theirs in [worth(other)]
        )  # fmt: skip

    return sorted((each for each in fitting if not is_beaten(each)), key=worth)


# An Optuna study and what it tries.
class _Study:
    def __init__(self, space, limits, seed, storage, level):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna, self._space, self._limits = optuna, space, limits
        self._seed, self._level = seed, level
        self.notes = []
        kind = {**plain(limits), "optimize": level, "scored": space.score is not None}
        directions = ["maximize", "minimize", "minimize", "minimize"]
        try:
            self._study = optuna.create_study(
                storage=_storage(optuna, storage), study_name=_STUDY, directions=directions,
                load_if_exists=True,
            )  # fmt: skip
            self._agree(kind, storage)
        except TflmError:
            raise
        except Exception as error:  # whatever the storage's own library raises
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise ToolError(
                f"{storage} cannot keep a study ({said}); give another --storage"
            ) from None

    # What is kept there must be of the same search; another space may be meant so.
    def _agree(self, kind, storage):
        attributes = self._study.user_attrs
        before = attributes.get("tflm")
        if before is not None and before != kind:
            names = ", ".join(name for name in kind if before.get(name) != kind[name])
            raise ToolError(
                f"{storage} has a search with another {names}; give the same options, or another "
                "--storage"
            )
        if before is not None and attributes.get("space") != self._space.digest:
            self.notes.append(
                f"{self._space.name} has changed since the search in {storage} began; what was "
                "tried before is kept"
            )
        self._study.set_user_attr("tflm", kind)
        self._study.set_user_attr("space", self._space.digest)

    # The networks that have been tried, here and before, each once.
    def networks(self):
        states = self._optuna.trial.TrialState
        found = []
        for trial in self._study.get_trials(deepcopy=False):
            told = trial.user_attrs.get("tried")
            if trial.state not in (states.COMPLETE, states.FAIL) or not told or told["repeats"]:
                continue
            costs = told["costs"] and Costs(**told["costs"])
            found.append(
                Candidate(trial.number, trial.params, costs, told["score"], told["excess"],
                          told["error"])
            )  # fmt: skip
        return found

    # What chooses the next network. Behind a repeat chance does: what is best in a small space has
    # been tried soon, and TPE would try it again and again.
    def _sampler(self):
        trials = self._study.get_trials(deepcopy=False)
        state = np.random.SeedSequence((self._seed, len(trials))).generate_state(1)
        samplers, seed = self._optuna.samplers, int(state[0])
        if trials and trials[-1].user_attrs.get("tried", {}).get("repeats"):
            return samplers.RandomSampler(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that constraints are experimental
            return samplers.TPESampler(seed=seed, constraints_func=_constraints)

    # Try one network; True where it was there before. Its number decides the random numbers, so a
    # search that was stopped goes on as if it had not been.
    def step(self):
        self._study.sampler = self._sampler()
        trial = self._study.ask()
        failed = self._optuna.trial.TrialState.FAIL
        before = self.networks()
        try:
            network, is_there = self._tried(trial, before)
        except BaseException:
            self._study.tell(trial, state=failed)
            raise
        costs = network.costs
        told = {name: getattr(network, name) for name in ("score", "error", "excess")}
        told.update(costs=costs and asdict(costs), repeats=is_there)
        trial.set_user_attr("tried", told)
        if costs is None:
            self._study.tell(trial, state=failed)
        else:
            values = network.score or 0.0, costs.ram, costs.flash, costs.ms or 0.0
            self._study.tell(trial, values)
        return is_there

    # (the Candidate of a trial, whether it was there before). What fails in the user's functions,
    # or does not run, is its error.
    def _tried(self, trial, before):
        result = Candidate(trial.number, trial.params)
        try:
            with telling("build()"):
                network = self._space.build(trial)
            if (same := _same(trial, before)) is not None:
                return same, True
            with telling("build()"):
                data = tflite_of(network)
            costs = costs_of(data, self._limits.target, self._level)
            excess = self._limits.excess(costs)
            if all(share <= 0 for share in excess.values()):
                result.score = self._score(trial, network, costs)
            result.costs, result.excess = costs, excess
        except TflmError as error:
            if (same := _same(trial, before)) is not None:
                return same, True
            result.error = str(error)
        return result, False

    def _score(self, trial, network, costs):
        if self._space.score is None:
            return float(costs.weights)
        with telling("score()"):
            value = float(self._space.score(trial, network))
        if not math.isfinite(value):
            raise ToolError(f"score() gave {value}; return a finite number")
        return value


# The Candidate with the parameters of a trial, or None.
def _same(trial, before):
    return next((each for each in before if each.parameters == trial.params), None)


def _constraints(trial):
    return list(trial.user_attrs["tried"]["excess"].values())


# Where trials are kept: None for memory.
def _storage(optuna, place):
    if place is None or "://" in str(place):
        return place
    if Path(place).suffix in _JOURNALS:
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        return JournalStorage(JournalFileBackend(str(place)))
    return f"sqlite:///{Path(place).absolute()}"
