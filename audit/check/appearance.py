"""Numbers or pseudonyms that were given in the order in which they first appear, which is then that of the source."""

import numpy as np

LEAST_VALUES = 4
"""Values from which their order is looked at: of fewer, every order is likely enough."""


def chance_of_numbering(order: np.ndarray, blocks: np.ndarray) -> float:
    """How often a shuffle within the blocks shows new values in ascending order; 1 where the rows do not.

    After a shuffle, the next new value is v with probability c_v / (c_v + the c of all that are still to come), where
    c_v counts the rows of the block with v. So the chance of an order is the product of these, over values and blocks.
    """
    width = int(order.max()) + 1
    pairs, firsts, counts = np.unique(blocks * width + order, return_index=True, return_counts=True)
    _, earliest = np.unique(order, return_index=True)
    is_new = np.isin(firsts, earliest)
    block, rows, first = pairs[is_new] // width, counts[is_new], firsts[is_new]
    if len(first) < LEAST_VALUES:
        return 1.0
    same = np.diff(block) == 0
    if not ((np.diff(first) > 0) | ~same).all():  # the pairs are sorted by their values within each block
        return 1.0
    to_come = np.flip(np.cumsum(np.flip(rows)))
    ends = np.flatnonzero(np.append(~same, True))
    after = np.append(to_come, 0)[ends[np.searchsorted(ends, np.arange(len(rows)))] + 1]
    return float(np.exp(np.log(rows / (to_come - after)).sum()))
