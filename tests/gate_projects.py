"""What the tests of the gate share: projects on disk, and an engine whose e-values are known."""

import polars as pl

from crowdproof.audit.gate.cases import Case
from crowdproof.audit.gate.evidence import Slice
from crowdproof.errors import TargetError
from crowdproof.findings import Exact, Finding, NotRefuted

TABLE = pl.DataFrame({"age": [20, 30, 40]})


def entry(name, claim="dp(epsilon=1)", target="release:f", **more):
    lines = [f"{key} = {value}" for key, value in more.items()]
    return "\n".join(["[[claims]]", f"name = {name!r}", f"target = {target!r}", f"claim = {claim!r}", *lines, ""])


def project_file(folder, *parts, head=""):
    (folder / "release.py").write_text("def f(table, rng):\n    return table.height\n")
    TABLE.write_csv(folder / "people.csv")
    path = folder / "privacy.toml"
    path.write_text("\n".join([head, "[defaults]", "data = 'people.csv'", "runs = 700", *parts]))
    return path


class Scripted:
    """An engine that does as it is told: log e-values for each slice of a claim, or an error, or an exact finding."""

    def __init__(self, **claims):
        self.claims = claims
        self.asked = []
        self.released = []

    def prepare(self, entry, project, *, seconds):
        plan = self.claims[entry.name]
        if isinstance(plan, BaseException):
            raise plan
        return Case(entry, iter(plan) if isinstance(plan, list) else plan, TABLE, 700)

    def settle(self, case, budget, error, seed):
        return case.subject if isinstance(case.subject, Finding) else None

    def slice(self, case, budget, alpha, seed, state):
        self.asked.append((case.entry.name, budget.runs, tuple(seed.spawn_key), state))
        step = next(case.subject)
        if isinstance(step, BaseException):
            raise step
        return Slice(step, budget.runs, None, {"after": step}, "a leak of this size")

    def release(self, case):
        self.released.append(case.entry.name)


def exact(verdict=None):
    return Finding("", None, verdict or NotRefuted("exactly this"), Exact())


CRASH = TargetError("it fell over")
