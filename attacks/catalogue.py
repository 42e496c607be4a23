"""Which attacks there are, by id; a module is imported when its attack is asked for."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, Protocol, cast

import polars as pl
from attrs import evolve

from crowdproof.attacks.interface import Attack, Story
from crowdproof.attacks.own_data import own
from crowdproof.audit.auditor import versions
from crowdproof.errors import ParameterError
from crowdproof.findings import Finding

CATALOGUE: dict[str, str] = {
    "clr": "An extreme value is read off the end of a published range.",
    "xor": "Two releases, each private under sampling, betray a secret together.",
    "dps-dp": "A private count of the sample unlocks an answer that was private under sampling.",
    "same-sample": "A recoding chosen on the sample that it recodes leaks more than Theorem 6 prints.",
    "degenerate": "Every output is k-anonymous, and a person's row is in the clear.",
    "linkage": "Names were removed, and a public register puts them back.",
    "fingerprint": "A few films that somebody mentioned find their whole record.",
    "intersection": "Two k-anonymous releases leave one value that both allow.",
    "minimality": "A group that was made coarser tells why it had to be.",
    "downcoding": "A recoding that could not be finer is made finer by the adversary.",
    "definetti": "Buckets of l secrets teach which secret goes with whom.",
    "singling-out": "A predicate that is true of exactly one person in the data.",
    "side-channels": "Row order, row numbers, stars and table size tell what the cells do not.",
    "reuse": "Two safe releases of one sample, where fresh samples were assumed, show a person.",
    "guessing": "A guessing advantage that was promised to be small: Odoh's case study.",
    "homogeneity": "Everybody in a k-anonymous group has the same secret.",
    "background-knowledge": "Of the l secrets in a bucket, a neighbour can rule some out.",
    "skewness": "A diverse group in which a rare secret is suddenly common.",
    "similarity": "Different secrets in a group, and all of one kind.",
    "complementary": "Two k-anonymous versions of one table, laid on each other.",
    "reconstruction": "Tables of counts that only one set of records fits.",
    "grids": "Several fixed grids over one table cut out single years.",
    "differencing": "Everybody, and everybody but one: the difference is one person's answer.",
    "averaging": "A noisy answer, asked for so often that the noise averages out.",
    "membership": "A synthetic table that shows who was in the training data.",
    "unicity": "Four points of a trace find the only trace that has them.",
}
"""Id -> one line. The module has the id's name, with underscores."""


class AttackModule(Protocol):
    """What a module of this package offers."""

    ATTACK: Attack

    def run(self, *, seed: int = 0) -> Story:
        """The attack on its victim and on the defended twin; further keywords are the module's own."""


def load(name: str) -> AttackModule:
    """The module of an attack."""
    if name not in CATALOGUE:
        raise ParameterError(f"there is no attack {name!r}: choose from {', '.join(CATALOGUE)}.")
    return cast(AttackModule, import_module(f"crowdproof.attacks.{name.replace('-', '_')}"))


def way_to(how: Literal["run", "read"], name: str) -> Callable[..., Any]:
    """The function that runs the attack on a mechanism, or reads it off a release; not all attacks have the latter."""
    function: Callable[..., Any] | None = getattr(load(name), how, None)
    if function is None:
        raise ParameterError(f"{name} needs a mechanism to run: leave out --release, or try the attack clr.")
    return function


def demonstrate(name: str, how: Literal["run", "read"], keywords: dict[str, Any]) -> Finding:
    """What came of the attack: run on a mechanism, or read off a release. Each keyword is one that it must take."""
    function = way_to(how, name)
    known = inspect.signature(function).parameters
    for keyword in keywords:
        if keyword not in known:
            raise ParameterError(f"the attack {name} takes no {keyword!r}: it takes {', '.join(known)}.")
    missing = [each for each, about in known.items() if about.default is about.empty and each not in keywords]
    if missing:
        raise ParameterError(f"the attack {name} needs {missing[0]}: give --set {missing[0]}=VALUE.")
    if isinstance(keywords.get("data"), pl.DataFrame):
        keywords = {**keywords, "data": own(keywords["data"])}
    result = function(**keywords)
    finding = result if isinstance(result, Finding) else cast(Finding, result.finding())
    return evolve(finding, reproduce=evolve(finding.reproduce, versions=versions()))
