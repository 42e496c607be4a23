"""Values of real people that a report does not show: those of columns that look like identifiers, and of named ones.

Each value is called by its column and a number, the same one wherever it stands in a finding. No hash is shown: whoever
has a list of names would try them all. JSON keeps the values, since a refutation cannot be run again without them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from attrs import evolve, field, frozen, mutable

from crowdproof.findings import Counterexample, Finding, Json, Note, PairWitness, Refuted, Table
from crowdproof.personal import is_identifier, names_each_row
from crowdproof.report.each_text import each_text

REMARK = (
    "Values of {columns} were replaced in this report, since they may name real people; files of --format json and "
    "--witness keep them. --show-identifiers shows them, --redact COLUMN hides more."
)
"""What a person is told who reads a report in which something was hidden."""


@frozen
class Hidden:
    """Which columns are hidden: those that look like identifiers unless they are `shown`, and these."""

    columns: frozenset[str] = frozenset()
    shown: bool = False

    def hides(self, column: str) -> bool:
        """Whether the name of the column says so."""
        return column in self.columns or (not self.shown and is_identifier(column))


BY_DEFAULT = Hidden()
HIDDEN: ContextVar[Hidden] = ContextVar("HIDDEN", default=BY_DEFAULT)
"""What the reports of this run hide."""


def redacted(finding: Finding) -> Finding:
    """The finding as reports for people show it, with a note that tells which columns are hidden."""
    masks = _Masks(HIDDEN.get())
    masks.learn(finding)
    if not masks.names:
        return finding
    columns = ", ".join(sorted(masks.names))
    note = Note("Hidden values", REMARK.format(columns=columns))
    hidden = masks.apply(finding)
    return evolve(hidden, evidence=(*hidden.evidence, note))


@mutable
class _Masks:
    """The names that hidden values go by in one finding."""

    hidden: Hidden
    columns: set[str] = field(factory=set)
    """Columns that are hidden for their values: each row has a text of its own."""
    names: dict[str, dict[str, str]] = field(factory=dict)
    """Column -> value -> name."""

    def learn(self, finding: Finding) -> None:
        """Find the values: in the datasets of the witness, and where a text says `column = value`."""
        witness = finding.verdict.witness if isinstance(finding.verdict, Refuted) else None
        columns = []
        if isinstance(witness, PairWitness):
            columns = [*_columns(witness.left), *_columns(witness.right)]
        if isinstance(witness, Counterexample):
            columns = [(column, [value]) for column, value in witness.values.items()]
        if not self.hidden.shown:
            self.columns |= {column for column, values in columns if names_each_row(values)}
        for column, values in columns:
            if self._is_hidden(column):
                for value in values:
                    self._name(column, value)
        each_text(finding, self._learn_from_text)

    def apply(self, finding: Finding) -> Finding:
        """The finding with names in place of the values."""
        told = "\n".join(_texts(finding))
        loose = [(value, name) for names in self.names.values() for value, name in names.items()]
        anywhere = {value: name for value, name in loose if _tells_by_itself(value) and value in told}
        longest_first = sorted(anywhere, key=len, reverse=True)
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

        def change(text: str) -> str:
            text = _STATED.sub(self._mask_statement, text)
            return pattern.sub(lambda found: anywhere[found[0]], text) if anywhere else text

        changed: Finding = each_text(finding, change, special=self._by_column)
        return changed

    def _by_column(self, value: Any, again: Callable[[Any], Any]) -> Any:
        """What has cells that are known by their column: tables and witnesses. None for all else."""
        if isinstance(value, Table):
            rows = (self._masked_row(value.columns, row) for row in value.rows)
            return Table(again(value.title), value.columns, tuple(tuple(again(row)) for row in rows))
        if isinstance(value, Counterexample):
            named = zip(value.values, self._masked_row([*value.values], [*value.values.values()]), strict=True)
            return Counterexample(again(value.words), dict(named))
        if isinstance(value, PairWitness):
            left, right = (self._masked_data(each) for each in (value.left, value.right))
            return evolve(value, left=left, right=right, event=again(value.event))
        return None

    def _masked_data(self, data: Json) -> Json:
        """A dataset of a witness in which hidden columns hold names."""
        if isinstance(data, Mapping) and {"columns", "rows"} <= data.keys():
            return {**data, "rows": [self._masked_row(data["columns"], row) for row in data["rows"]]}
        if isinstance(data, Mapping):
            return {name: self._masked_column(name, values) for name, values in data.items()}
        if isinstance(data, list):
            return [self._masked_record(row) if isinstance(row, Mapping) else row for row in data]
        return data

    def _masked_column(self, column: str, values: Json) -> Json:
        hide = isinstance(values, list) and self._is_hidden(column)
        return [self._name(column, value) for value in values] if hide else values

    def _masked_record(self, record: Mapping[str, Json]) -> dict[str, Json]:
        cells = self._masked_row([*record], [*record.values()])
        return dict(zip(record, cells, strict=True))

    def _masked_row(self, columns: Sequence[str], row: Sequence[Any]) -> list[Any]:
        return [
            self._name(column, cell) if self._is_hidden(column) else cell
            for column, cell in zip(columns, row, strict=False)
        ]

    def _mask_statement(self, found: re.Match[str]) -> str:
        column, value = found["column"], found["value"]
        return f"{column} = {self._name(column, value)}" if self._is_hidden(column) else found[0]

    def _learn_from_text(self, text: str) -> str:
        for found in _STATED.finditer(text):
            if self._is_hidden(found["column"]):
                self._name(found["column"], found["value"])
        return text

    def _is_hidden(self, column: str) -> bool:
        return column in self.columns or self.hidden.hides(column)

    def _name(self, column: str, value: Any) -> Any:
        """The name of the value; a missing one, and a name itself, stay as they are."""
        text = str(value)
        if value is None or _NAME.fullmatch(text):
            return value
        names = self.names.setdefault(column, {})
        return names.setdefault(text, f"({column} {len(names) + 1})")


def _texts(finding: Finding) -> list[str]:
    """All texts of a finding but the datasets of its witness, which may be large."""
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    def passed(value: Any, again: Callable[[Any], Any]) -> Any:
        if not isinstance(value, PairWitness):
            return None
        again(value.event)
        return value

    each_text(finding, keep, special=passed)
    return found


_STATED = re.compile(r"(?<![^\s=,:(“])(?P<column>[^\s=,:(“]+) = (?P<value>.+?)(?=, (?:against |\S+ = )|,? and |\)|”|$)")
"""How texts state the value of a column."""
_NAME = re.compile(r"\(\S+ \d+\)")
"""What hidden values are called."""


def _tells_by_itself(value: str) -> bool:
    """Whether the value is known where no column stands beside it: a short number may be any other."""
    return len(value) >= 5 or (len(value) >= 3 and any(map(str.isalpha, value)))


def _columns(data: Json) -> Iterator[tuple[str, list[Any]]]:
    """The columns of a dataset of a witness, where it has any."""
    if isinstance(data, Mapping) and {"columns", "rows"} <= data.keys():
        for place, column in enumerate(data["columns"]):
            yield column, [row[place] for row in data["rows"]]
    elif isinstance(data, Mapping):
        yield from ((column, values) for column, values in data.items() if isinstance(values, list))
    elif isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        for column in data[0]:
            yield column, [row.get(column) for row in data]
