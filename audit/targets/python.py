"""A Python function as a target: in this process, in one of its own, or in a fresh one for each run."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from crowdproof.audit.releases import same
from crowdproof.audit.targets.behaviour import (
    NOT_MEASURED,
    SEED,
    Behaviour,
    keeps_state,
    measure,
    order_behaviour,
    outcome,
    until,
)
from crowdproof.audit.targets.find import absolute, find, name_of
from crowdproof.audit.targets.forms import check_form
from crowdproof.audit.targets.functions import bind
from crowdproof.audit.targets.interface import ISOLATION, Limits, Target, reload_call
from crowdproof.audit.targets.interpreter import Setup
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
        if self.isolate == "none":
            with staying():  # to import it and to build a class runs its code
                found = find(target) if isinstance(target, str) else target
                self._function = bind(found, self.name, params, form)
        else:
            self._process = Process(evolve(self._setup, fresh=self.isolate == "fresh"))
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

    def __reduce__(self) -> Any:
        if self._importable:
            return reload_call({**self.spec, "spec": absolute(self.name)})  # a worker may live in another folder
        setup = self._setup  # cloudpickle, which the runners use, sends even a nameless function
        return PythonTarget, (self._function.call, setup.params, setup.form, setup.limits, "none")

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed."""
        if self.isolate == "none":
            with staying():
                return self._function.runs(data, seeds)
        if self.isolate == "auto":
            self._process.runs(data, seeds[:1])  # data that is refused tell nothing about the target: that is raised
            self.examine(data)
        if self.isolate == "spawn":
            return [self._spawned(data, seed) for seed in seeds]
        return self._process.runs(data, seeds)

    def answers(self, datasets: Sequence[Any], plan: Sequence[tuple[int, int]]) -> list[Any]:
        """One output or `Refusal` for each (dataset, seed) of the plan."""
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
        with Process(evolve(self._setup, hash_seed=seed % 2**32)) as process:
            return process.runs(data, [seed])[0]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Measure; with `auto`, settle where the runs take place."""
        if self.isolate == "none":
            behaviour = order_behaviour(self.runs, data, seconds=seconds)
        else:
            behaviour = self._compare(data, seconds)
        if self.isolate == "auto":
            self._settle("fresh" if behaviour.may_remember else "worker")
        self.behaviour = evolve(behaviour, isolation=_WHERE[self.isolate])
        return self.behaviour

    def _compare(self, data: Any, seconds: float | None) -> Behaviour:
        """Processes that import the target anew against one that is kept up, and against another hash seed."""
        setups = evolve(self._setup, fresh=True), self._setup, evolve(self._setup, hash_seed=1)
        with Process(setups[0]) as first, Process(setups[1]) as second, Process(setups[2]) as third:
            clean, kept, hashed = (until(each.runs, seconds) for each in (first, second, third))
            try:
                deterministic, reproducible = measure(clean, data)
                stateful = keeps_state(kept, clean, data, reproducible=reproducible)
                hash_seed = None
                if reproducible:
                    hash_seed = not same(outcome(clean, data, SEED), outcome(hashed, data, SEED))
            except OutOfTimeError:
                return NOT_MEASURED
        return Behaviour(deterministic, reproducible, stateful, hash_seed)

    def _settle(self, isolate: str) -> None:
        self._process.stop()
        self.isolate = isolate
        self._process = Process(evolve(self._setup, fresh=isolate == "fresh"))

    def close(self) -> None:
        """End the process; the next run starts it again."""
        if self.isolate != "none":
            self._process.stop()


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return PythonTarget(spec.text, spec.params, spec.form, spec.limits, spec.isolate)
