"""In which form a function takes its table, found by trying where nothing tells."""

from collections.abc import Sequence

import polars as pl
from attrs import frozen

from crowdproof.audit.targets.behaviour import SEED, Runs
from crowdproof.audit.targets.form_hints import TRIED
from crowdproof.audit.targets.forms import FORMS, has_gaps
from crowdproof.errors import NoReleaseError, ParameterError, TargetError


@frozen(eq=False)
class FormSearch:
    """Which form to give a table in to a function."""

    likely: tuple[str, ...]
    """The forms that it may want, the likeliest first; none where its process has not told."""
    trial: Runs | None
    """Runs it with the likeliest form; None where that takes a new process."""
    search: Runs
    """Tries all of the forms, and returns the one that it takes in place of a release."""

    @property
    def likeliest(self) -> str:
        """The form to take where trying them has told nothing."""
        return self.likely[0] if self.likely else TRIED[0]

    def found(self, tables: Sequence[pl.DataFrame]) -> str:
        """The form; where the function makes a release of none of the tables in any form, that is an error."""
        if len(self.likely) == 1:
            return _with_room_for_gaps(self.likely[0], tables)
        refusals: list[NoReleaseError] = []
        for table in tables:
            try:
                return self._for(table)
            except NoReleaseError as error:
                refusals.append(error)
        raise refusals[0]

    def _for(self, table: pl.DataFrame) -> str:
        if self.trial is not None and self.likely and self._takes_the_likeliest(self.trial, table):
            return self.likely[0]
        form = self.search(table, [SEED])[0]
        if type(form) is not str or form not in FORMS:  # it comes from the process of the target
            raise TargetError("the target tells no form in which it takes a table: give its form.")
        return form

    def _takes_the_likeliest(self, trial: Runs, table: pl.DataFrame) -> bool:
        """Whether it makes a release of the table in the likeliest form; one that breaks is an error."""
        if self.likely[0] in {"pandas", "numpy"} and has_gaps(table):
            return False
        try:
            trial(table, [SEED])
        except (NoReleaseError, ParameterError):  # such as a library that is not installed, or more than one column
            return False
        return True


def _with_room_for_gaps(form: str, tables: Sequence[pl.DataFrame]) -> str:
    """The form, or for pandas the variant that has missing cells in whole numbers, where there are such cells."""
    return "pandas-nullable" if form == "pandas" and any(map(has_gaps, tables)) else form
