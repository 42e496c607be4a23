"""A target whose output never changes: a constant keeps every promise, and a page of a service out of order is one."""

from collections.abc import Set as AbstractSet

from crowdproof.audit.targets.run import NO_RELEASE, SEVERAL
from crowdproof.findings import Note

CONSTANT = Note(
    "Every release was the same",
    "The output of the target never changed, whatever data it was given, so an audit of it says little: check that it "
    "is the program that was meant, and that it was in working order.",
)


def constant(keys: AbstractSet[str]) -> tuple[Note, ...]:
    """What a finding says where all releases of the audit, on the two datasets of a pair or on more, have one key.

    >>> len(constant({"a"})), constant({"a", "b"}), constant({SEVERAL}), constant({NO_RELEASE}), constant(set())
    (1, (), (), (), ())
    """
    only_one = len(keys) == 1 and not keys & {SEVERAL, NO_RELEASE}
    return (CONSTANT,) if only_one else ()
