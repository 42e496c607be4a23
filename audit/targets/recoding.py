"""What the adapters share: generalization hierarchies from plain parameters, and cells in our notation."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crowdproof.cells import ends, range_text, set_text

Widths = Mapping[str, Sequence[float]]
"""Column -> the widths of its bins, level by level; a column without any goes straight to `*`."""


def bins(width: float) -> Callable[[Any], str]:
    """The half-open bin of that width which a number lies in.

    >>> bins(20)(35)
    '[20, 40)'
    """

    def label(value: Any) -> str:
        low = math.floor(value / width) * width
        return range_text(str(low), str(low + width), "[)")

    return label


def closed_range(text: str) -> str:
    """`20-40` as `[20, 40]`, in a column that is known to have closed ranges; anything else stays.

    >>> closed_range("-5-30"), closed_range("30")
    ('[-5, 30]', '30')
    """
    low, high = ends(text) or ("", "")
    is_bare = not text.startswith(("[", "(", "]"))
    return range_text(low, high) if low and high and is_bare else text


def value_set(text: str) -> str:
    """`a,b` as `{a, b}`, in the order given; one value stays.

    >>> value_set("a,b"), value_set("a")
    ('{a, b}', 'a')
    """
    return set_text(map(str.strip, text.split(","))) if "," in text else text


def with_categories(table: Any, columns: Sequence[str]) -> Any:
    """The pandas table with text columns as categories, which these packages ask for."""
    text = [name for name in columns if table[name].dtype.kind not in "biuf"]
    return table.astype(dict.fromkeys(text, "category"))
