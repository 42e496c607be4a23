"""Finding positivity certificates: a linear program over the products of the factors, made exact afterwards.

What is found is stored beside the statements; only `certificate.check` has to be trusted. Run
`python -m crowdproof.proofs.engines.certificate_finder` after a statement has changed.
"""

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.optimize import linprog
from scipy.sparse import coo_array

from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines import certificate
from crowdproof.proofs.engines.certificate import NEGATED, Certificate, Factor, Sign, Term
from crowdproof.proofs.polynomial import Polynomial
from crowdproof.proofs.statement import Implication

_SMALL = 1e-9


def find(body: Implication, degree: int = 5) -> Certificate | None:
    """A certificate with products of at most `degree` factors, the fewest that suffice."""
    known = certificate.factors(body)
    for size in range(1, degree + 1):
        products = list(_products(known, size))
        found = _solve(known, products)
        if found is not None and certificate.check(body, found).answer is Answer.PROVED:
            return found
    return None


def _products(known: dict[str, Factor], size: int) -> Iterator[tuple[str, ...]]:
    for count in range(size + 1):
        for product in combinations_with_replacement(known, count):
            signs = [known[name].sign for name in product]
            zeros = signs.count(Sign.ZERO)
            if product.count(NEGATED) > 1 or zeros > 1 or (Sign.ANY in signs and not zeros):
                continue
            yield product


def _expanded(known: dict[str, Factor], product: tuple[str, ...]) -> Polynomial:
    result = Polynomial.constant(1)
    for name in product:
        result = result * known[name].polynomial
    return result


def _solve(known: dict[str, Factor], products: list[tuple[str, ...]]) -> Certificate | None:
    columns = [_expanded(known, product).terms for product in products]
    rows = {monomial: i for i, monomial in enumerate({key: None for column in columns for key in column})}
    signs = [{known[name].sign for name in product} for product in products]
    last = len(rows)  # the row that says: the coefficients of the positive products add up to 1
    entries = [(rows[key], j, value) for j, column in enumerate(columns) for key, value in column.items()]
    entries += [(last, j, Fraction(1)) for j, each in enumerate(signs) if each <= {Sign.POSITIVE}]
    i, j, values = zip(*entries, strict=True)
    matrix = coo_array((np.array(values, float), (i, j)), shape=(last + 1, len(products)))
    bounds = [(None, None) if Sign.ZERO in each else (0, None) for each in signs]
    cost = np.array(
        [0 if Sign.ZERO in each else len(product) + 1 for product, each in zip(products, signs, strict=True)]
    )
    target = np.zeros(last + 1)
    target[last] = 1
    solved: Any = linprog(cost, A_eq=matrix.toarray(), b_eq=target, bounds=bounds, method="highs-ds")
    if solved.status != 0:
        return None
    support = [column for column in range(len(products)) if abs(solved.x[column]) > _SMALL]
    exact = _exact(entries, support, last)
    return None if exact is None else tuple(Term(c, products[j]) for c, j in zip(exact, support, strict=True) if c)


def _exact(entries: list[tuple[int, int, Fraction]], support: list[int], last: int) -> list[Fraction] | None:
    place = {column: index for index, column in enumerate(support)}
    matrix = fmpq_mat(last + 1, len(support) + 1)
    for i, j, entry in entries:
        if j in place:
            matrix[i, place[j]] = matrix[i, place[j]] + fmpq(entry.numerator, entry.denominator)
    matrix[last, len(support)] = 1
    reduced, rank = matrix.rref()
    solution = [Fraction(0)] * len(support)
    for row in range(rank):
        pivot = next(column for column in range(len(support) + 1) if reduced[row, column] != 0)
        if pivot == len(support):
            return None
        value = reduced[row, len(support)]
        solution[pivot] = Fraction(int(value.p), int(value.q))
    return solution


def main() -> int:
    """Find a certificate for every implication of the registry and store them; 1 if one has none."""
    from crowdproof.proofs.statements import IMPLICATIONS, STORE, stored_certificates  # noqa: PLC0415

    known, missing, result = stored_certificates(), [], {}
    for name, body in IMPLICATIONS.items():
        old = known.get(name)
        kept = old is not None and certificate.check(body, old).answer is Answer.PROVED
        found = old if kept else find(body)
        if found is None:
            missing.append(name)
        else:
            result[name] = certificate.write(found)
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(record)}" for name, record in sorted(result.items()))
    Path(STORE).write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    for name in missing:
        sys.stderr.write(f"no certificate found for {name}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
