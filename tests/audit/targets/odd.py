"""Functions with habits that an auditor has to notice."""

# ruff: noqa: T201

import os
import random

import numpy as np

SEEN = []
IMPORTED = np.random.default_rng()


def stale(table, store={}):  # noqa: B006
    """Returns the first table it was ever given, like a mutable default argument."""
    return store.setdefault("first", table)


def counting(table):
    SEEN.append(1)
    return len(SEEN)


def hashed(table):
    return list(set(table["name"]))


def seeded_on_import(table):
    return float(IMPORTED.random())


def from_the_system(table):
    return int.from_bytes(os.urandom(1), "big") % 3


def global_state(table):
    return random.random() + np.random.random()  # noqa: NPY002


def eats_memory(table):
    return len(bytearray(1 << 33))


def gives_up_for_lack_of_memory(table):
    try:
        return len(bytearray(1 << 33))
    except MemoryError as error:
        raise ValueError("too large a table") from error


def gives_up_in_other_words(table):
    try:
        return len(bytearray(1 << 33))
    except MemoryError:
        raise RuntimeError("worker failed") from None


def cannot_start_a_process(table):
    raise OSError(12, "Cannot allocate memory")


def logs_much(table):
    print("x" * 2**20)
    return 1


def spoils_its_input(table: np.ndarray):
    table[:] = 0
    return table


def leaves_without_a_word(table):
    os._exit(0)


def prints_and_dies(table):
    print("about to die", flush=True)
    os.abort()


def nothing(table):
    return None


class Mechanism:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, data, rng, /):
        return self.scale * rng.random()


def kind_of(table):
    return f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"


def as_pandas(table: "pd.DataFrame"):  # noqa: F821
    return kind_of(table)


def as_arrow(table: "pa.Table"):  # noqa: F821
    return kind_of(table)


def as_array(table: np.ndarray):
    return kind_of(table)


def as_rows(table: list[dict]):
    return kind_of(table)


def intervals(table: "pd.DataFrame"):  # noqa: F821
    import pandas as pd

    out = pd.DataFrame({"age": pd.cut(table["age"], [0, 40, 80]), "mixed": [1, "a", None]})
    out.index = pd.Index([5, 6, 7], name="person")
    return out
