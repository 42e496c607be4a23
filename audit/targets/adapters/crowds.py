"""crowds: Optimal Lattice Anonymization, global recoding with suppression."""

from collections.abc import Sequence

import pandas as pd
from crowds.kanonymity import ola as package
from crowds.kanonymity.generalizations import GenRule

from crowdproof.audit.targets.recoding import Widths, bins
from crowdproof.cells import STAR


def ola(
    table: pd.DataFrame, k: int, qi: Sequence[str], widths: Widths | None = None, suppression: float = 5
) -> pd.DataFrame | None:
    """`ola.anonymize`; numbers go to bins of the given widths, then, as all else does, to `*`."""
    rules = {name: GenRule([bins(width) for width in (widths or {}).get(name, ())]) for name in qi}
    found = package.anonymize(table, rules, k=k, max_sup=suppression)
    if found is None:
        return None
    release: pd.DataFrame = found[0]
    for name in qi:
        release[name] = release[name].astype(object).where(release[name].notna(), STAR).astype(str)
    return release
