# tflm_tools: study: searches a user's space with Optuna, with the costs on a board as constraints
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import math
import warnings
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from tflm.errors import TflmError

from ..errors import ToolError
from ..extras import installing
from ..image.custom import user_code
from ..optimize.memory.levels import BALANCED
from ..render.common import Shown
from .costs import Costs, costs_of
from .limits import Limits, limits_of
from .space import Space, load, tflite_of

_STUDY = "tflm"
_JOURNALS = (".log", ".journal")
_MAX_REPEATS = 30  # after this many repeated networks in a row the space is considered exhausted


@dataclass
class Candidate:
    """A network that the search tried.

    costs: None if building the network failed; then `error` says why. score: the result of the
    user's score(), or the number of weights; None if the network does not fit. excess: the share
    by which it exceeds each limit, see Limits.excess().
    """

    number: int
    parameters: dict
    costs: Costs | None = None
    score: float | None = None
    excess: dict = field(default_factory=dict)
    error: str = ""

    def fits(self):
        """True if the network is within all limits."""
        return self.costs is not None and all(share <= 0 for share in self.excess.values())


@dataclass
class Search(Shown):
    """The result of `tflm search`.

    front: numbers of the networks on the Pareto front of score, RAM, flash and time, by descending
    score. nearest: if no network fits, the number of the one with the smallest excess. is_scored:
    the user's score() computed the scores. stopped: Ctrl-C ended the search.
    """

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
        """Return the Candidate with this number."""
        return next(network for network in self.networks if network.number == number)


@dataclass(frozen=True)
class SearchOptions:
    """How search() searches a space.

    trials: the number of networks, including earlier ones in `storage`. seed: of the search.
    storage: a file, or a storage URL of Optuna; None for memory. optimize: as for `tflm flatten`.
    ram, flash, ms: see limits.limits_of().
    """

    trials: int = 50
    seed: int = 0
    storage: str | None = None
    optimize: str = BALANCED
    ram: int | None = None
    flash: int | None = None
    ms: float | None = None


def search(space, board="pico", score=None, progress=None, **options):
    """Try networks of a space. Return a Search; Ctrl-C ends it early.

    space: a Python file with build(trial) and perhaps score(trial, network), or the function
    build. board: see limits.limits_of(). score: the function score, if `space` is a function.
    progress: called as progress(done, total). options: the fields of SearchOptions. Raises
    ToolError.
    """
    options = SearchOptions(**options)
    if importlib.util.find_spec("optuna") is None:
        raise ToolError(f"the package optuna is missing; install it with: {installing('search')}")
    limits = limits_of(board, options.ram, options.flash, options.ms)
    if callable(space):
        space = Space(getattr(space, "__name__", "build"), space, score)
    else:
        space = load(space)
    study = _Study(space, limits, options.seed, options.storage, options.optimize)
    trials, stopped, repeats = options.trials, False, 0
    try:
        while (done := len(study.networks())) < trials and repeats < _MAX_REPEATS:
            if progress is not None:
                progress(done, trials)
            repeats = repeats + 1 if study.step() else 0
    except KeyboardInterrupt:
        stopped = True
    networks = study.networks()
    if repeats == _MAX_REPEATS:
        study.notes.append(f"the space seems to have only these {len(networks)} networks")
    found = Search(space.name, limits, trials, space.score is not None, networks,
                   stopped=stopped, notes=study.notes)  # fmt: skip
    found.front = [network.number for network in front_of(networks)]
    built = [network for network in networks if network.costs is not None]
    if built and not found.front:
        found.nearest = min(built, key=lambda each: max(each.excess.values())).number
    return found


def front_of(networks):
    """Return the Candidates on the Pareto front, by descending score.

    A Candidate is on the front if it fits, and no other one is at least as good in score, RAM,
    flash and time. Of equal Candidates the first is on the front.
    """
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


class _Study:
    """An Optuna study over a Space. notes: sentences for the user."""

    def __init__(self, space, limits, seed, storage, level):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna, self._space, self._limits = optuna, space, limits
        self._seed, self._level, self._storage = seed, level, storage
        self.notes = []
        options = {**asdict(limits), "optimize": level, "scored": space.score is not None}
        directions = ["maximize", "minimize", "minimize", "minimize"]
        with self._storage_errors():
            self._study = optuna.create_study(
                storage=_storage(optuna, storage), study_name=_STUDY, directions=directions,
                load_if_exists=True,
            )  # fmt: skip
            self._check_options(options, storage)

    # Turn any exception of the storage's library, also about a changed study, into a ToolError.
    @contextmanager
    def _storage_errors(self):
        try:
            yield
        except TflmError:
            raise
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ToolError(
                f"{self._storage} cannot store a study ({reason}); give another --storage"
            ) from None

    # Raise ToolError if the stored study has other options. Another space is only noted.
    def _check_options(self, options, storage):
        attributes = self._study.user_attrs
        before = attributes.get("tflm")
        if before is not None and before != options:
            names = ", ".join(name for name in options if before.get(name) != options[name])
            raise ToolError(
                f"{storage} has a search with another {names}; give the same options, or another "
                "--storage"
            )
        if before is not None and attributes.get("space") != self._space.digest:
            self.notes.append(
                f"{self._space.name} has changed since the search in {storage} began; the earlier "
                "networks are kept"
            )
        self._study.set_user_attr("tflm", options)
        self._study.set_user_attr("space", self._space.digest)

    def networks(self):
        """Return a list of Candidate: all networks of this study, repeated ones once."""
        found = (self._candidate(trial) for trial in self._trials())
        return [candidate for candidate, is_repeated in found if candidate and not is_repeated]

    # All trials. A storage may have been written by somebody else.
    def _trials(self):
        with self._storage_errors():
            return self._study.get_trials(deepcopy=False)

    # (Candidate of a trial, whether it repeats another one); (None, False) for a trial that has
    # not finished. Raises ToolError for a trial that step() has not written.
    def _candidate(self, trial):
        states = self._optuna.trial.TrialState
        result = trial.user_attrs.get("tried")
        if trial.state not in (states.COMPLETE, states.FAIL) or result is None:
            return None, False
        try:
            return _stored_candidate(trial.number, trial.params, limits=self._limits, **result)
        except (TypeError, ValueError):
            raise ToolError(
                f"network {trial.number} in {self._storage} is damaged; give another --storage"
            ) from None

    # The sampler of the next network. After a repeated network it is random, because TPE would
    # propose the best network of a small space again and again.
    def _sampler(self):
        trials = self._trials()
        state = np.random.SeedSequence((self._seed, len(trials))).generate_state(1)
        samplers, seed = self._optuna.samplers, int(state[0])
        if trials and self._candidate(trials[-1])[1]:
            return samplers.RandomSampler(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constraints are experimental
            return samplers.TPESampler(seed=seed, constraints_func=_constraints)

    def step(self):
        """Try one network; True if it was tried before.

        The number of the trial is the seed of the sampler, so a resumed search continues as if it
        had not been stopped.
        """
        before = self.networks()
        with self._storage_errors():
            self._study.sampler = self._sampler()
            trial = self._study.ask()
        failed = self._optuna.trial.TrialState.FAIL
        try:
            network, is_repeated = self._tried(trial, before)
        except BaseException:
            self._finish(trial, state=failed)
            raise
        costs = network.costs
        result = {name: getattr(network, name) for name in ("score", "error", "excess")}
        result.update(costs=costs and asdict(costs), repeats=is_repeated)
        trial.set_user_attr("tried", result)
        if costs is None:
            self._finish(trial, state=failed)
        else:
            values = network.score or 0.0, costs.ram, costs.flash, costs.ms or 0.0
            self._finish(trial, values)
        return is_repeated

    # Report the result of a trial to Optuna.
    def _finish(self, trial, values=None, state=None):
        self._study.tell(trial, values, state)  # codespell:ignore tell

    # (Candidate of a trial, whether it was tried before). Errors of the user's functions, and
    # errors of a network that does not run, become the Candidate's `error`.
    def _tried(self, trial, before):
        result = Candidate(trial.number, trial.params)
        try:
            with user_code("build()"):
                network = self._space.build(trial)
            if (same := _same(trial, before)) is not None:
                return same, True
            with user_code("build()"):
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
        with user_code("score()"):
            value = float(self._space.score(trial, network))
        if not math.isfinite(value):
            raise ToolError(f"score() returned {value}; return a finite number")
        return value


# (Candidate, whether it repeats another one) of the values that step() has stored in a trial.
# Raises TypeError and ValueError for other values.
def _stored_candidate(number, parameters, costs, score, error, excess, repeats, limits):
    if not isinstance(error, str) or not isinstance(repeats, bool):
        raise TypeError
    costs = None if costs is None else _checked_costs(**costs)
    if excess != ({} if costs is None else limits.excess(costs)):
        raise ValueError
    found = Candidate(number, parameters, costs, score, excess, error)
    if not (_is_real(score) if found.fits() else score is None):
        raise ValueError
    return found, repeats


def _checked_costs(ms, **sizes):
    costs = Costs(ms=ms, **sizes)
    if not all(type(size) is int and _is_real(size) and size >= 0 for size in sizes.values()):
        raise ValueError
    if ms is not None and not _is_real(ms):
        raise ValueError
    return costs


# True for a finite number of at most 64 bits.
def _is_real(value):
    return type(value) in (int, float) and -(2.0**63) < value < 2.0**63


# The Candidate with the parameters of a trial, or None.
def _same(trial, before):
    return next((each for each in before if each.parameters == trial.params), None)


def _constraints(trial):
    return list(trial.user_attrs["tried"]["excess"].values())


# The storage of Optuna for a file or URL; None is memory.
def _storage(optuna, storage):
    if storage is None or "://" in str(storage):
        return storage
    if Path(storage).suffix in _JOURNALS:
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        return JournalStorage(JournalFileBackend(str(storage)))
    return f"sqlite:///{Path(storage).absolute()}"
