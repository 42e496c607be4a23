"""Different secrets of one kind: a group is diverse in words, and not in what they mean."""

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import evolve, frozen

from crowdproof.attacks.grouped import Setting, group_sizes, name
from crowdproof.attacks.interface import Attack, Severity, Story
from crowdproof.attacks.linkage import HIDDEN
from crowdproof.attacks.measure import at_most
from crowdproof.attacks.pointing import Divided, Pointed, commonest_of_group
from crowdproof.attacks.premise import undiverse
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Diverse

ATTACK = Attack(
    id="similarity",
    title="Different words for the same",
    knows="A register of everybody's public values, and of what kind each secret is.",
    sees="An l-diverse table: in no group has a secret more than one in l of the rows.",
    infers="In some groups the secrets differ and are of one kind. The kind is said of everybody in the groups where "
    "its share is largest.",
    claim="Of nobody in an l-diverse release even the kind of the secret is shown with a probability above 1/2, unless "
    "it is as probable for people outside with the same public values.",
    remedy="Demand of each group that its kinds are diverse, too, or that it is t-close under a distance of meaning.",
    source="Li, Li and Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity",
    severity=Severity.ATTRIBUTE,
)
KNOWN = ("age", "race", "marital_status", "hours_per_week")
KIND = "kind of secret"
KINDS: Mapping[str, Sequence[str]] = {
    "professional": ("Exec-managerial", "Prof-specialty", "Tech-support"),
    "office": ("Adm-clerical", "Sales"),
    "manual": ("Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"),
    "service": ("Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"),
}
"""The occupations of the census, by the kind of work."""
_CLAIMED = Fraction(1, 2)


@frozen
class Kinds:
    """Publishes as the mechanism does, and the kind of each secret beside it: everybody can look it up."""

    mechanism: Mechanism
    secret: str
    kinds: Mapping[str, str]

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The release of the table, whose column of kinds the mechanism does not see."""
        from crowdproof.attacks.published import published  # noqa: PLC0415

        return with_kinds(published(self.mechanism, table.drop(KIND), rng), self.secret, self.kinds)


def with_kinds(table: pl.DataFrame, secret: str, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The table with the kind of each secret; none where it has no known one."""
    texts = table[secret].cast(pl.String)
    kind = texts.replace_strict(dict(kinds), default=None, return_dtype=pl.String)
    return table.with_columns(kind.alias(KIND))


def read_kinds(written: str) -> dict[str, str]:
    """Secret -> kind, from 'kind: secret, secret; kind: secret'.

    >>> read_kinds("stomach: ulcer, gastritis; lungs: flu")
    {'ulcer': 'stomach', 'gastritis': 'stomach', 'flu': 'lungs'}
    """
    found: dict[str, str] = {}
    for part in written.split(";"):
        kind, colon, secrets = part.partition(":")
        if not colon:
            raise ParameterError(f"kinds has {part.strip()!r}: write it as 'kind: secret, secret; kind: secret'.")
        found |= {secret.strip(): kind.strip() for secret in secrets.split(",")}
    return found


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    kinds: str | None = None,
    k: Number = 3,
    l: Number = 3,  # noqa: E741
    rows: Number = 8000,
    seed: int = 0,
) -> Story:
    """Groups of k that are l-diverse (or the target's), and groups of k that are diverse in the kind of the secret.

    `kinds` says which secrets are of one kind, as 'kind: secret, secret; kind: secret'; those of the census are built
    in.
    """
    start = time.monotonic()
    size, least = whole(k, "k", 2), whole(l, "l", 2)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    plain = Setting.of(data, known, secret, rows, usual=KNOWN, rng=draw)
    told = _kinds(plain, kinds)
    setting = _by_kind(plain, told)
    yardstick = at_most(_CLAIMED, "1/2")
    victim: Mechanism = plain.mondrian(size, Diverse(plain.secret, least)) if target is None else target
    twin = setting.mondrian(size, Diverse(KIND, 2))
    releases = [setting.published(Kinds(victim, plain.secret, told), victims), setting.published(twin, twins)]
    names = [name(victim, f"Mondrian, k = {size}, l = {least}"), f"Mondrian, k = {size}, diverse in the kind"]
    (found, outcome), (_, defended) = (
        setting.attacked(release, each, commonest_of_group, yardstick)
        for release, each in zip(releases, names, strict=True)
    )
    return Story(
        ATTACK,
        outcome,
        defended=defended,
        learned=(_learned(found, plain, releases[0]),),
        evidence=(
            group_sizes(dict(zip(names, releases, strict=True)), setting.known),
            _table(setting.tables.inside, plain.secret),
        ),
        reproduce=Reproduce(
            seed=seed,
            parameters={"k": size, "l": least, "known": list(setting.known), "secret": plain.secret},
        ),
        seconds=time.monotonic() - start,
        unmet=undiverse(releases[0], setting.known, plain.secret),
    )


def _kinds(setting: Setting, written: str | None) -> dict[str, str]:
    if written is not None:
        told = read_kinds(written)
    elif setting.secret == HIDDEN:
        told = {secret: kind for kind, secrets in KINDS.items() for secret in secrets}
    else:
        raise ParameterError(f"no kinds of {setting.secret} are known: give --set 'kinds=kind: secret, secret; ...'.")
    values = set(setting.tables.inside[setting.secret].cast(pl.String).drop_nulls())
    if not values & set(told):
        raise DataError(
            f"{setting.secret} has none of the secrets that kinds names: it has {', '.join(sorted(values))}."
        )
    return told


def _by_kind(setting: Setting, kinds: Mapping[str, str]) -> Setting:
    """The same people, with the kind as the secret; people whose secret is of no kind are left out."""
    inside, outside = (
        with_kinds(each, setting.secret, kinds).filter(pl.col(KIND).is_not_null())
        for each in (setting.tables.inside, setting.tables.outside)
    )
    return evolve(setting, tables=Divided(inside, outside), secret=KIND)


def _learned(found: Pointed, setting: Setting, release: pl.DataFrame) -> str:
    if not found.people:
        return "No row of the release could be anybody's."
    alike = release.group_by(setting.known).agg(pl.col(setting.secret).n_unique(), kinds=pl.col(KIND).n_unique())
    one = alike.filter((pl.col("kinds") == 1) & (pl.col(setting.secret) > 1)).height
    return (
        f"In {one:,} of {alike.height:,} groups the values of {setting.secret} differ and are all of one kind. Of the "
        f"{found.people:,} people whose groups have the largest share of a kind, it is said rightly of "
        f"{sum(found.right):,}, {sum(found.right) / found.people:.1%}; by the same groups it is true of "
        f"{sum(found.outside):,} of {len(found.outside):,} people outside."
    )


def _table(people: pl.DataFrame, secret: str) -> Table:
    counts = (
        people.group_by(KIND).agg(pl.len().alias("people"), pl.col(secret).n_unique().alias("different")).sort(KIND)
    )
    rows = tuple((str(kind), f"{count:,}", f"{different:,}") for kind, count, different in counts.rows())
    return Table(f"Kinds of {secret}", ("kind", "people", "values"), rows)
