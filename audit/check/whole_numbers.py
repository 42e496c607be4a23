"""Columns whose values may be whole numbers only, as ages and years are: `[20, 39]` and `[40, 59]` then leave no gap.

A file does not say it. An original of whole numbers is one of numbers, too: what no original of numbers refutes, none
of whole numbers does. The other way round a person of 39.5 years may refute what no person of 39 years would.
"""

from fractions import Fraction

from crowdproof.cells import Anything, Cell, Masked, Range, Values


def whole_cells(cells: list[Cell]) -> list[Cell] | None:
    """The cells with the whole numbers that they may be.

    None where some cell may be no whole number, or none is a range: then nothing changes.
    """
    if not any(isinstance(cell, Range) for cell in cells):
        return None
    largest = max((len(cell.values) for cell in cells if isinstance(cell, Values)), default=1)
    found = [_whole(cell, largest) for cell in cells]
    return None if any(each is None for each in found) else [each for each in found if each is not None]


def _whole(cell: Cell, largest: int) -> Cell | None:
    match cell:
        case Anything():
            return cell
        case Values(values):
            return cell if all(map(_is_whole, values)) else None
        case Masked(start):
            return None if cell.numbers is None or start.startswith("0") else _whole(cell.numbers, largest)
        case Range(low, high):
            if not all(end is None or _is_whole(end) for end in (low, high)):
                return None
            least = None if low is None else int(low) + cell.low_open
            most = None if high is None else int(high) - cell.high_open
            return _between(least, most, largest)


def _is_whole(value: Fraction | str) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def _between(least: int | None, most: int | None, largest: int) -> Cell | None:
    """The whole numbers between the ends: a set where some set has as many, so that it can be compared with it."""
    if least is None or most is None:
        return Range(None if least is None else Fraction(least), None if most is None else Fraction(most))
    if least > most:
        return None
    if most - least < largest:
        numbers = range(least, most + 1)
        return Values(frozenset(map(Fraction, numbers)), frozenset(map(str, numbers)))
    return Range(Fraction(least), Fraction(most))
