"""How a claim is meant to be achieved: the mechanisms whose privacy the gate can work out by arithmetic alone."""

from fractions import Fraction
from typing import TypeAlias

from attrs import field, frozen

from crowdproof.audit.gate.config_fields import about, optional_rate, positive_amount, positive_count


@frozen
class StronglySafe:
    """Poisson sampling, a recoding fixed without looking at the data, and groups below k dropped."""

    kind = "strongly-safe"
    k: int = field(metadata=about("Groups of fewer rows are dropped."), converter=positive_count)
    beta: Fraction | None = field(
        metadata=about("The sampling rate, where the claim itself does not state it."),
        default=None,
        converter=optional_rate,
    )


@frozen
class Laplace:
    """A number plus Laplace noise of that scale."""

    kind = "laplace"
    scale: Fraction = field(
        metadata=about("Scale b of the noise: its density falls as exp(-|x|/b)."), converter=positive_amount
    )
    sensitivity: Fraction = field(
        metadata=about("How far the number moves between neighbours, at most."),
        default=Fraction(1),
        converter=positive_amount,
    )


@frozen
class Gaussian:
    """A number plus Gaussian noise of that standard deviation."""

    kind = "gaussian"
    sigma: Fraction = field(metadata=about("Standard deviation of the noise."), converter=positive_amount)
    sensitivity: Fraction = field(
        metadata=about("How far the number moves between neighbours, at most."),
        default=Fraction(1),
        converter=positive_amount,
    )


Recipe: TypeAlias = StronglySafe | Laplace | Gaussian
RECIPES: dict[str, type[Recipe]] = {each.kind: each for each in (StronglySafe, Laplace, Gaussian)}
"""What `kind` says in the configuration -> the type."""
