"""A Python function as a target: in this process, in one of its own, or in a fresh one for each run."""

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
from attrs import evolve

from crowdproof.audit.targets.behaviour import NOT_MEASURED, Behaviour, Runs, order_behaviour, until
from crowdproof.audit.targets.binding import bind
from crowdproof.audit.targets.clean_runs import agreeing, differing
from crowdproof.audit.targets.find import absolute, find, name_of
from crowdproof.audit.targets.form_search import FormSearch
from crowdproof.audit.targets.forms import FIND, check_form
from crowdproof.audit.targets.interface import ISOLATION, Limits, Target, reload_call
from crowdproof.audit.targets.interpreter import Setup
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.audit.targets.process import Process
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.audit.targets.staying import staying
from crowdproof.errors import NoReleaseError, OutOfTimeError, ParameterError
from crowdproof.findings import Json

_WHERE = {
    "none": "It runs inside this process.",
    "worker": "It runs in one process that is kept up, with PYTHONHASHSEED=0.",
    "fresh": "Each run has a process of its own that imports it anew, with PYTHONHASHSEED=0.",
    "spawn": "Each run has an interpreter of its own, with its own PYTHONHASHSEED.",
}
FORM_SEARCHES = 3
"""How often all forms are tried in vain before the likeliest is taken for the one. A guess: data that is refused in
every form says nothing of the form, and each search takes a new process."""


class PythonTarget(Target):
    """`package.module:function`, `file.py:function`, an adapter's name, or a callable.

    Isolation `auto` keeps one process up where `examine` sees that this makes no difference, and gives each run a
    process of its own otherwise. A callable without a name that another process could import runs in this one.
    """

    def __init__(
        self,
        target: str | Callable[..., Any],
        params: Mapping[str, Json],
        form: str | None,
        limits: Limits,
        isolate: str,
    ) -> None:
        check_form(form)
        if isolate not in ISOLATION:
            raise ParameterError(f"isolate is {isolate!r}: choose from {', '.join(ISOLATION)}.")
        text = target if isinstance(target, str) else name_of(target)
        if limits.memory is not None and (isolate == "none" or not isinstance(target, str)):
            raise ParameterError("memory can only be limited in another process: isolate it as worker or fresh.")
        if text is None and isolate not in {"auto", "none"}:
            raise ParameterError(
                f"{target!r} cannot be imported by another process: put it in a file and give file.py:function."
            )
        self.name = text or str(getattr(target, "__name__", type(target).__name__))
        self.isolate = isolate if isinstance(target, str) or isolate != "auto" else "none"
        self.params = dict(params)
        self._setup = Setup(self.name, self.params, form, limits)
        self._importable = text is not None
        self._loaded, self._before = Loaded(), frozenset(sys.modules)
        self._form_searches = 0
        if self.isolate == "none":
            with staying():  # to import it and to build a class runs its code
                found = find(target) if isinstance(target, str) else target
                self._function = bind(found, self.name, params, form)
        else:
            self._process = self._new(fresh=self.isolate == "fresh")
            self._process.start()

    @property
    def spec(self) -> Mapping[str, Json]:  # type: ignore[override]
        """What `load_target` makes the target from again; one that was not examined is examined there."""
        return {
            "spec": self.name,
            "params": self.params,
            "form": self._setup.form,
            "timeout": self._setup.limits.seconds,
            "memory": self._setup.limits.memory,
            "isolate": self.isolate,
        }

    @property
    def loaded(self) -> Loaded:
        """What it has loaded so far, in all of its processes."""
        if self.isolate == "none":
            self._loaded.add_since(self._before)
        return self._loaded

    def _new(self, **changes: Any) -> Process:
        """A process of another kind for the same function."""
        return Process(evolve(self._setup, **changes), self._loaded)

    def __reduce__(self) -> Any:
        if self._importable:
            return reload_call({**self.spec, "spec": absolute(self.name)})  # a worker may live in another folder
        setup = self._setup  # cloudpickle, which the runners use, sends even a nameless function
        return PythonTarget, (self._function.call, setup.params, setup.form, setup.limits, "none")

    def get_ready(self, datasets: Sequence[Any]) -> None:
        """Settle in which form it takes a table: as it was told, as the function says, or as is found by trying.

        One form holds for all runs: one that was found for each dataset anew would tell datasets apart by itself.
        """
        tables = [each for each in datasets if isinstance(each, pl.DataFrame)]
        if self._setup.form is None and tables:  # data of other kinds is given as it is
            search = FormSearch(self._likely_forms(), self._trial(), self._search_form)
            try:
                form = search.found(tables)
            except NoReleaseError:
                self._form_searches += 1
                if self._form_searches == FORM_SEARCHES:
                    self._take_form(search.likeliest)
                raise
            self._take_form(form)

    def _likely_forms(self) -> tuple[str, ...]:
        return (self._function if self.isolate == "none" else self._process).forms

    def _trial(self) -> Runs | None:
        """Runs it with the likeliest form, where that takes no new process."""
        if self.isolate == "none":
            return self._runs_here
        return None if self.isolate in {"fresh", "spawn"} else self._process.runs

    def _search_form(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """The form that it takes, in place of releases."""
        if self.isolate == "none":
            with staying():
                return evolve(self._function, form=FIND).runs(data, seeds)
        if self.isolate == "auto":  # to examine the process shows whether it remembers what was tried in it
            return self._found_here(data, seeds)
        with self._new(form=FIND) as process:
            return process.runs(data, seeds)

    def _found_here(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """The same, by the process that is there: an interpreter takes long to start."""
        self._process.take_form(FIND)
        try:
            return self._process.runs(data, seeds)
        finally:
            self._process.take_form(self._setup.form)

    def _take_form(self, form: str) -> None:
        changed = self._likely_forms()[:1] != (form,)
        self._setup = evolve(self._setup, form=form)
        if self.isolate == "none":
            self._function = evolve(self._function, form=form)
        elif self.isolate == "auto":
            self._process.take_form(form)
        elif changed:
            self._process.stop()
            self._process = self._new(fresh=self.isolate == "fresh")

    def _runs_here(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        with staying():
            return self._function.runs(data, seeds)

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed."""
        self.get_ready([data])
        if self.isolate == "none":
            return self._runs_here(data, seeds)
        if self.isolate == "auto":
            self._process.runs(data, seeds[:1])  # data that is refused tell nothing about the target: that is raised
            self.examine(data)
        if self.isolate == "spawn":
            return [self._spawned(data, seed) for seed in seeds]
        return self._process.runs(data, seeds)

    def answers(self, datasets: Sequence[Any], plan: Sequence[tuple[int, int]]) -> list[Any]:
        """One output or `Refusal` for each (dataset, seed) of the plan."""
        with contextlib.suppress(NoReleaseError):  # then it refuses them in the likeliest form, too
            self.get_ready(datasets)
        if self.isolate == "auto":
            self._examine_first(datasets)
        if self.isolate in {"none", "spawn"}:
            return super().answers(datasets, plan)
        return self._process.answers(datasets, plan)

    def _examine_first(self, datasets: Sequence[Any]) -> None:
        """Examine it on the first dataset that it does not refuse."""
        for data in datasets:
            with contextlib.suppress(NoReleaseError):
                self.examine(data)
                return

    def _spawned(self, data: Any, seed: int) -> Any:
        with self._new(hash_seed=seed % 2**32) as process:
            return process.runs(data, [seed])[0]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Measure; with `auto`, settle where the runs take place."""
        self.get_ready([data])
        if self.isolate == "none":
            behaviour = order_behaviour(self.runs, data, seconds=seconds)
        else:
            behaviour = self._compare(data, seconds)
        if self.isolate == "auto":
            self._settle("fresh" if behaviour.may_remember else "worker")
        self.behaviour = evolve(behaviour, isolation=_WHERE[self.isolate])
        return self.behaviour

    def _compare(self, data: Any, seconds: float | None) -> Behaviour:
        """Processes that import the target anew against one that is kept up.

        They have another hash seed than it has, so that agreement shows at once that neither state nor the hash seed
        makes a difference. Which of them does is looked for only where they differ, with new processes. An interpreter
        takes long to start, and those that are not asked for anything are not started.
        """
        with (
            self._kept() as kept,
            self._new(fresh=True, hash_seed=1) as hashed,
            self._new(fresh=True) as clean,
            self._new() as another,
        ):
            within = [until(each.runs, seconds) for each in (kept, hashed, clean, another)]
            try:
                found = agreeing(data, kept=within[0], hashed=within[1])
                if found is None or not found.reproducible:
                    kept.stop()  # it may remember in which forms it was tried, and starts again where it is needed
                return found or differing(data, *within[1:])
            except OutOfTimeError:
                return NOT_MEASURED

    def _kept(self) -> contextlib.AbstractContextManager[Process]:
        """A process that is kept up: with `auto` the one that is there, and will be the audit's if it may be kept."""
        return contextlib.nullcontext(self._process) if self.isolate == "auto" else self._new()

    def _settle(self, isolate: str) -> None:
        self.isolate = isolate
        if isolate == "fresh":
            self._process.stop()
            self._process = self._new(fresh=True)

    def close(self) -> None:
        """End the process; the next run starts it again."""
        if self.isolate != "none":
            self._process.stop()


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return PythonTarget(spec.text, spec.params, spec.form, spec.limits, spec.isolate)
