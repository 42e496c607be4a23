"""What the names of columns say of their values: that they name people, that others know them, that they are secret."""

import re
from collections.abc import Iterable, Sequence

IDENTIFIERS = frozenset(
    [
        "name",
        "surname",
        "lastname",
        "firstname",
        "forename",
        "fullname",
        "ssn",
        "nhs",
        "mrn",
        "id",
        "uid",
        "uuid",
        "guid",
        "pid",
        "passport",
        "email",
        "mail",
        "phone",
        "telephone",
        "tel",
        "mobile",
        "fax",
        "iban",
        "account",
        "card",
        "license",
        "licence",
        "plate",
        "ip",
        "mac",
        "address",
        "street",
        "username",
        "user",
        "login",
    ]
)
"""Words of a column's name that say that its values name one person each."""
QUASI = frozenset(
    [
        "age",
        "born",
        "birth",
        "birthday",
        "birthdate",
        "birthyear",
        "dob",
        "yob",
        "year",
        "sex",
        "gender",
        "zip",
        "zipcode",
        "postcode",
        "postal",
        "plz",
        "city",
        "town",
        "county",
        "state",
        "region",
        "province",
        "country",
        "nationality",
        "race",
        "ethnicity",
        "ethnic",
        "religion",
        "marital",
        "married",
        "education",
        "degree",
        "school",
        "occupation",
        "job",
        "profession",
        "employer",
        "department",
        "ward",
        "language",
        "height",
        "weight",
        "admission",
        "admitted",
        "discharge",
        "household",
        "children",
        "district",
        "area",
        "location",
    ]
)
"""Words that say that others may know the value of a person."""
SENSITIVE = frozenset(
    [
        "diagnosis",
        "illness",
        "disease",
        "condition",
        "disorder",
        "icd",
        "hiv",
        "medication",
        "drug",
        "treatment",
        "therapy",
        "result",
        "test",
        "score",
        "grade",
        "salary",
        "income",
        "pay",
        "wage",
        "worth",
        "debt",
        "balance",
        "amount",
        "cost",
        "charge",
        "spending",
        "purchase",
        "crime",
        "offence",
        "vote",
        "party",
        "opinion",
        "symptom",
        "allergy",
    ]
)
"""Words that say that the value is what a release must not tell of a person."""


def words_of(column: str) -> list[str]:
    """The words of a column's name, in lower case.

    >>> words_of("patientID"), words_of("date_of_birth"), words_of("Zip Code")
    (['patient', 'id'], ['date', 'of', 'birth'], ['zip', 'code'])
    >>> words_of("zip3")
    ['zip', '3']
    """
    parted = re.sub(r"([a-z0-9])([A-Z])|([A-Za-z])(?=[0-9])", r"\1\3 \2", column)
    return [each for each in re.split(r"[^A-Za-z0-9]+", parted.lower()) if each]


def is_identifier(column: str) -> bool:
    """Whether the name of a column says that each value is one person's own.

    >>> [name for name in ("patient_id", "age", "email", "width", "lastName") if is_identifier(name)]
    ['patient_id', 'email', 'lastName']
    """
    return _has(column, IDENTIFIERS)


def is_quasi_identifier(column: str) -> bool:
    """Whether the name of a column says that others may know a person's value."""
    return not is_identifier(column) and _has(column, QUASI)


def is_sensitive(column: str) -> bool:
    """Whether the name of a column says that its values are to stay secret."""
    return not is_identifier(column) and not is_quasi_identifier(column) and _has(column, SENSITIVE)


ENOUGH_ROWS = 20
"""Rows from which texts that all differ name their rows. A guess: in a few rows any texts may differ."""


def names_each_row(values: Sequence[object]) -> bool:
    """Whether the values of a column are texts of which each is in one row only, as numbers of patients are.

    >>> names_each_row([f"P{i}" for i in range(30)]), names_each_row(["flu", "gout"] * 15), names_each_row([*range(30)])
    (True, False, False)
    """
    texts = {each for each in values if isinstance(each, str)}
    return len(values) >= ENOUGH_ROWS and len(texts) == len(values)


def _has(column: str, words: Iterable[str]) -> bool:
    return any(each in words for each in words_of(column))
