"""A program that stays up: one line of JSON in, one line of JSON out, for each run.

In:  {"columns": ["age"], "rows": [[31], [47]], "seed": 5, "params": {"k": 10}}
Out: {"columns": ["age"], "rows": [["[31, 47]"], ["[31, 47]"]]}, or {"value": 2.5}, or {"error": "too few rows"}
"""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from crowdproof.audit.targets.behaviour import NOT_MEASURED, Behaviour, changes_with_time, keeps_state, measure, until
from crowdproof.audit.targets.command import split
from crowdproof.audit.targets.exchange import as_text, from_json, to_json
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.audit.targets.line_program import LineProgram
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import NoReleaseError, OutOfTimeError, ParameterError
from crowdproof.findings import Json


class LinesTarget(Target):
    """A program kept up for many runs; one that is seen to keep state is started anew for each run."""

    def __init__(
        self, command: str, params: Mapping[str, Json], form: str | None, limits: Limits, fresh: bool = False
    ) -> None:
        if form is not None:
            raise ParameterError(f"form is {form!r}, but a program of the line protocol is given JSON: leave it out.")
        self.name, self.params, self.limits, self.fresh = command, dict(params), limits, fresh
        self._words = split(command, {}, set())
        self._live: LineProgram | None = None
        self._lock = threading.Lock()

    @property
    def spec(self) -> Mapping[str, Json]:  # type: ignore[override]
        """The command and its limits; `isolate` is fresh where state was seen."""
        return {
            "spec": f"lines:{self.name}",
            "params": self.params,
            "timeout": self.limits.seconds,
            "memory": self.limits.memory,
            "isolate": "fresh" if self.fresh else "worker",
        }

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One line for each seed."""
        table = to_json(require_table(data, self.name))
        with self._lock:
            return [self._run(table, seed) for seed in seeds]

    def _run(self, table: Mapping[str, Json], seed: int) -> Any:
        live = self._live = self._live or LineProgram(self._words, self.limits)
        try:
            answer = live.ask(json.dumps({**table, "seed": seed, "params": self.params}, default=str))
        except BaseException:
            self.close()
            raise
        if self.fresh:
            self._finish(live)
        what = f"the answer of {self.name}"
        try:
            return from_json(as_text(answer, what), what)
        except NoReleaseError as refusal:
            raise self.limits.judged(refusal) from None

    def _finish(self, live: LineProgram) -> None:
        """End a program that has had its one question, if that was all that it had to say."""
        try:
            live.hear_the_end()
        finally:
            self.close()

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Compare a program kept up with one started anew for each run."""
        self.close()
        try:
            behaviour = self._compare(data, seconds)
        except OutOfTimeError:
            behaviour = NOT_MEASURED
        self.close()
        self.fresh = self.fresh or behaviour.may_remember
        where = "The program is started anew for each run." if self.fresh else "The program is kept up for all runs."
        self.behaviour = evolve(behaviour, isolation=where)
        return self.behaviour

    def _compare(self, data: Any, seconds: float | None) -> Behaviour:
        with LinesTarget(self.name, self.params, None, self.limits, fresh=True) as anew:
            clean, kept = until(anew.runs, seconds), until(self.runs, seconds)
            deterministic, reproducible = measure(clean, data)
            if deterministic and changes_with_time(clean, data):
                deterministic = reproducible = False
            stateful = None
            if not self.fresh:
                stateful = keeps_state(kept, clean, data, reproducible=reproducible)
        return Behaviour(deterministic, reproducible, stateful)

    def close(self) -> None:
        """End the program; the next run starts it again."""
        if self._live is not None:
            live, self._live = self._live, None
            live.end()


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return LinesTarget(spec.place, spec.params, spec.form, spec.limits, fresh=spec.isolate == "fresh")
