"""What a cell of a released table says: one reader of cells, for `check`, events, attacks and mechanisms alike.

| written | read as | clear |
| --- | --- | --- |
| nothing, blanks, `*`, `*****` | suppressed: the value may be any | yes |
| `37`, `-5`, `20.0`, `2.0e1`, `1e-5` | that number; `20`, `20.0` and `2.0e1` are the same | yes |
| `007`, `+5`, `1/3`, `1E2` | that number, or a text | no |
| `[20, 40)`, `(20, 40]`, `[20, 40[`, `[65, inf)` | numbers; a round or turned bracket leaves its end out | yes |
| `[20, 20]` | that one number | yes |
| `<30`, `<=30`, `≤30`, `>65`, `>=65`, `≥65` | the numbers on that side | yes |
| `20-40`, `-20--10`, `20–40`, `20..40`, `[20-40]` | the numbers between, with or without either end, or a text | no |
| `65+` | the numbers from there on, or a text | no |
| `{a, b}`, `{20, 30}`, `{a, "b, c"}` | one of these values; quotes keep commas inside a value | yes |
| `{*}`, `{20-40, 60-80}` | one of these texts, or any value: a member is vague | no |
| `531**`, `2*` | a text of that length that begins so, or one of any length | no |
| `[a, f]`, `[?, 25]`, `[1,5; 2,5)` | a text, or a range of an order or a notation that is not known | no |
| `Bonn`, `2020-01-02`, `12345-6789`, `20:40`, `20,5`, `1_000`, `40-20`, `{}`, `NA` | that text, as all else is | yes |

**Clear and unclear.** `20-40` is mostly a range. It may also be a house number, a day of October or a key, and it does
not say whether 40 belongs to it. `parse_cell` gives the usual reading. An adversary goes by that and is right or wrong,
which is measured. A proof must not depend on it: to read a text as a range makes crowds too large, and a false claim
would be proved; to read a range as a text makes them too small, and a true claim would be refuted. So `readings` gives
every reading of an unclear cell, `surely_covers` holds where all agree, and `may_cover` where at least one says so. The
truth lies between the two, and a verdict that differs between them is none. Where cells are compared as text, as in the
groups of k-anonymity, they are not read at all: equal texts are equal by any reading.

A range without brackets has its lower end first, and ends without leading zeros. So dates, telephone numbers and postal
codes such as `2020-01-02`, `030-1234` and `12345-6789` are texts. One that looks like a range all the same, such as
`555-1234`, is unclear like every other. A mask is unclear only in how long the text may be: `531**` surely covers
`53113`, and it may cover `531`.

`{a, b}` is one value, a or b. Where the cells are sets themselves, as baskets are, `{a}` is not hidden by `{a, b}`:
compare such cells as text.

**Suppressed** is one notion: missing, blank, or nothing but stars. A word such as `NA` or `?` may say it too, or be a
value (Namibia). It counts as suppressed where suppression would be an excuse, for `may_be_suppressed`, and where the
user names it (`check --missing`).
"""

from crowdproof.cells.columns import named_numbers, suppressed
from crowdproof.cells.kinds import Anything, Cell, Masked, Range, Values
from crowdproof.cells.notation import (
    MISSING,
    STAR,
    WORDS,
    ends,
    is_code,
    is_suppressed,
    may_be_suppressed,
    members,
    number,
    range_text,
    set_text,
)
from crowdproof.cells.reading import Readings, is_clear, may_cover, parse_cell, readings, surely_covers

__all__ = [
    "MISSING",
    "STAR",
    "WORDS",
    "Anything",
    "Cell",
    "Masked",
    "Range",
    "Readings",
    "Values",
    "ends",
    "is_clear",
    "is_code",
    "is_suppressed",
    "may_be_suppressed",
    "may_cover",
    "members",
    "named_numbers",
    "number",
    "parse_cell",
    "range_text",
    "readings",
    "set_text",
    "suppressed",
    "surely_covers",
]
