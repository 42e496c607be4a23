"""The kinds of thing that a cell can say, and when one says no more than another."""

from fractions import Fraction

from attrs import field, frozen

from crowdproof.cells.notation import FAR


@frozen
class Anything:
    """A suppressed or missing cell: the value could be any."""

    def covers(self, other: "Cell") -> bool:  # noqa: ARG002
        """Whatever the other is."""
        return True


@frozen
class Range:
    """Numbers from low to high. None is no end; an open end does not belong to the range."""

    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be lies within."""
        match other:
            case Range():
                return self._begins_before(other) and self._ends_after(other)
            case Values():
                return all(isinstance(value, Fraction) and self.covers(Range(value, value)) for value in other.values)
            case Masked():
                numbers = other.numbers
                return numbers is not None and self.covers(numbers)
            case Anything():
                return False

    def _begins_before(self, other: "Range") -> bool:
        if self.low is None:
            return True
        return other.low is not None and (self.low, self.low_open) <= (other.low, other.low_open)

    def _ends_after(self, other: "Range") -> bool:
        if self.high is None:
            return True
        return other.high is not None and (other.high, not other.high_open) <= (self.high, not self.high_open)


@frozen
class Values:
    """One of these: numbers by their value, to the last digit, and all else as text."""

    values: frozenset[Fraction | str]
    texts: frozenset[str] = field(eq=False)
    """The same as they are written, since a mask goes by letters. Two spellings of a number are equal all the same."""

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be is among them."""
        return isinstance(other, Values) and other.values <= self.values


@frozen
class Masked:
    """A text that begins so and has that many letters; None is any number of letters."""

    start: str
    length: int | None

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be begins so and is as long."""
        match other:
            case Values():
                return all(text.startswith(self.start) and self._fits(len(text)) for text in other.texts)
            case Masked():
                return other.start.startswith(self.start) and self._fits(other.length)
            case Range() | Anything():
                return False

    def _fits(self, length: int | None) -> bool:
        return self.length is None or self.length == length

    @property
    def numbers(self) -> Range | None:
        """The whole numbers that are written so: `2*` is 20 to 29. None where it need not be a number."""
        is_written_in_digits = self.start.isascii() and self.start.isdigit()
        if self.length is None or self.length > FAR or not is_written_in_digits:
            return None
        least, unit = int(self.start), 10 ** (self.length - len(self.start))
        return Range(Fraction(least * unit), Fraction((least + 1) * unit - 1))


Cell = Anything | Range | Values | Masked
