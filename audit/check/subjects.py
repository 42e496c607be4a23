"""What the rows of a table are about: people, or places, times and things, which may be named without harm.

A file does not say it. The names of its columns do, and a column that gives each row a name of its own. A list of towns
is not refuted for naming towns, nor for an order that everybody knows; where people can be meant it is suspicious.
"""

import polars as pl

from crowdproof.audit.check.text_orders import amount_unit, is_date
from crowdproof.personal import is_identifier, words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_PEOPLE = _words(
    "age sex gender born birth birthday birthdate birthyear dob yob nationality race ethnicity ethnic religion "
    "marital married occupation job profession employer height weight admission admitted discharge diagnosis "
    "illness disease disorder hiv symptom allergy medication person patient customer member employee student "
    "pupil respondent participant subject citizen voter passport ssn surname lastname firstname forename"
)
"""Words in the name of a column that is about one person. Income and school are left out: counties have them, too."""
_OF_MANY = _words(
    "median mean avg average total sum number num count n share percent percentage pct proportion rate ratio per "
    "min max std sd se index population pop people households group groups deaths births"
)
"""Words that say that a column sums up several people."""
_THINGS = _words(
    "state country county region province district municipality commune city town village area place location "
    "site zone geo geoid geography fips tract block nuts lau lsoa msoa postcode zip zipcode plz station stop "
    "airport port river school hospital university company firm bank shop store branch department ministry "
    "product item goods article commodity barcode ean upc isbn issn gtin sku model sector industry activity "
    "category class classification type kind group chapter section title code icd atc nace isic hs cpc indicator "
    "measure variable metric question statistic feature quarter week month year period season day date time at "
    "timestamp hour epoch party language currency species gene team event series sensor device machine unit "
    "project dataset table symbol ticker stock age band rank position monat jahr datum tag woche "
    "quartal land bundesland kreis gemeinde stadt ort pays ville departement annee mois fecha mes provincia municipio "
    "ciudad decade percentile decile"
)
"""Words in the name of a column that names a place, a time or a thing."""
_FEW_KEYS = 2
"""Columns at the beginning that may name the rows of a table together, as a year and a region do. A guess."""
_MOST_KEYS = 5
"""The same, where at least every second combination of them has a row: those of people mostly have none. A guess."""
_MOST_LABELS = 3
"""Texts that may name the rows together. A guess: of more, all rows are different by chance."""
_LOOKED_AT = 100
"""Cells that are looked at for whether they are numbers. A guess: some milliseconds."""


def is_of_people(name: str) -> bool:
    """Whether the column is about one person, by its name.

    >>> [is_of_people(name) for name in ("age", "Patient Sex", "median_age", "state", "disease")]
    [True, True, False, False, True]
    """
    words = set(words_of(name))
    return bool(words & _OF_PEOPLE) and not words & _OF_MANY


def is_of_things(name: str) -> bool:
    """Whether the column names places, times or things.

    >>> [is_of_things(name) for name in ("State", "region_id", "GEOID", "patient_id", "ref")]
    [True, True, True, False, False]
    """
    words = set(words_of(name))
    return bool(words & _THINGS) and not words & (_OF_PEOPLE - _THINGS)


def about_people(names: list[str], *, without: str | None = None) -> bool:
    """Whether some column is about one person, the one that is left out aside."""
    return any(is_of_people(name) for name in names if name != without)


def is_keyed(table: pl.DataFrame) -> bool:
    """Whether the first columns name the rows, as in a table of sums by year and region."""
    keys: list[str] = []
    combinations = 1
    for key in table.columns[:_MOST_KEYS]:
        if _is_decimal(table[key]):
            return False
        keys.append(key)
        combinations *= table[key].n_unique()
        is_full = combinations <= 2 * table.height
        if len(keys) > _FEW_KEYS and not is_full:
            return False
        if table.select(pl.struct(keys).n_unique()).item() == table.height:
            return True
    return False


def _is_decimal(cells: pl.Series) -> bool:
    return bool(cells.drop_nulls().cast(pl.String).str.contains(r"^-?[0-9]*\.[0-9]").any())


def is_list_of_things(table: pl.DataFrame, names: list[str]) -> bool:
    """Whether a column names a place, a time or a thing in each row, and none is about a person."""
    if about_people(names):
        return False
    own = [key for key, name in zip(table.columns, names, strict=True) if is_of_things(name)]
    return any(table[key].n_unique() == table.height for key in own)


def label(table: pl.DataFrame, names: list[str]) -> str | None:
    """The column, or columns, of texts that give each row of the table a name, if its rows are no people's."""
    texts = [
        place
        for place, key in enumerate(table.columns)
        if _is_of_words(table[key], names[place])
        and (words_of(names[place]) == ["name"] or not is_identifier(names[place]))
    ]
    for place in texts:
        if table[table.columns[place]].n_unique() == table.height and not about_people(names, without=names[place]):
            return names[place]
    keys = [table.columns[place] for place in texts]
    if not 1 < len(keys) <= _MOST_LABELS or about_people(names):
        return None
    are_own = table.select(pl.struct(keys).n_unique()).item() == table.height
    return ", ".join(names[place] for place in texts) if are_own else None


def _is_of_words(cells: pl.Series, name: str) -> bool:
    """Whether the cells are texts, and no numbers, sums of money or dates; in a period `50 BC` is no sum of money."""
    if cells.dtype != pl.String:
        return False
    known = cells.drop_nulls().head(_LOOKED_AT).to_list()
    is_period = is_of_things(name)
    return any(
        not is_date(each) and (amount_unit(each) is None or (is_period and any(letter.isalpha() for letter in each)))
        for each in known
    )
