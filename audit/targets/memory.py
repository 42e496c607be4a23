"""What a target holds: the objects that its runs can read and change."""

import gc
import hashlib
import io
import random
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import cloudpickle
import numpy as np

from crowdproof.mechanism import Capabilities

GENERATORS = (random.Random, np.random.RandomState, np.random.BitGenerator)
"""Kinds of generators that each copy of a target has anew. A numpy Generator has its state in its BitGenerator."""
MOST_OBJECTS = 200_000
"""Objects that are followed from a mechanism: a guess, about a twentieth of a second."""
_LIBRARIES = {*sys.stdlib_module_names, "attr", "attrs", "crowdproof", "numpy", "pandas", "polars", "scipy"} - {
    "__main__"
}
"""Packages whose classes and functions are not followed: that would take most of the time."""
_TARGETS = "crowdproof.audit.targets."
_FUNCTION = _TARGETS + "functions"
"""Holds a function of the user's that may run in this very process."""
_CONTAINERS = {dict, tuple, frozenset}
_PLAIN = {bool, int, float, complex, str, bytes, type(None), Decimal}


def reached(start: object, *, installed: bool = True) -> Iterator[Any]:
    """All objects that can be reached from this one without entering another module, nearest first.

    With `installed` off, classes and functions of installed packages are not followed, but for the mechanism's own.
    """
    home = {_root(each) for each in (start, type(start), *parts([start]))}
    seen: set[int] = {id(start)}
    layer = [] if runs_elsewhere(start) else [start]
    while layer and len(seen) < MOST_OBJECTS:
        yield from layer
        following = []
        for each in parts(layer):
            if id(each) in seen or not _holds(each) or _is_library(each):
                continue
            if installed or not _is_installed(_root(each)) or _root(each) in home:
                seen.add(id(each))
                following.append(each)
        layer = following


def _holds(each: object) -> bool:
    """Whether it may refer to other objects.

    Python does not track a dictionary of plain values, which may change, and forgets to track a tuple of them at any
    time, which must not look like a change.
    """
    return type(each) in _CONTAINERS or gc.is_tracked(each)


def parts(holders: Iterable[object]) -> Iterator[Any]:
    """What these objects hold; a function holds of its module what its code names."""
    for each in holders:
        if type(each) is FunctionType:
            yield from (each.__closure__, each.__defaults__, each.__kwdefaults__, each.__dict__)
            yield from (each.__globals__[name] for name in sorted(_names(each.__code__)) if name in each.__globals__)
        else:
            yield from gc.get_referents(each)


def _names(code: CodeType) -> set[str]:
    """All names that a function's code uses, also in functions that it defines."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _is_library(each: object) -> bool:
    """Whether this is a module, a class or function of a library, or a target that runs elsewhere."""
    return type(each) is ModuleType or runs_elsewhere(each) or _root(each) in _LIBRARIES


def runs_elsewhere(each: object) -> bool:
    """Whether this is a target of ours that runs in another process, where it keeps what it remembers."""
    module = type(each).__module__  # which may be anything: a class may define what its instances say
    if not isinstance(module, str) or not module.startswith(_TARGETS) or module == _FUNCTION:
        return False
    return getattr(each, "isolate", "") != "none"


def runs_apart(mechanism: object) -> bool:
    """Whether a mechanism, or the target inside it, is asked for many runs at once and makes them in another process.

    Then each run has a seed of its own, and depends on nothing else that is random here.
    """
    if Capabilities.of(mechanism).answers is None:
        return False
    return runs_elsewhere(mechanism) or runs_apart(getattr(mechanism, "mechanism", None))


def _root(each: object) -> str:
    """The package of a class or function; nothing for other objects."""
    kind = type(each)
    if kind is FunctionType or issubclass(kind, type):
        name = each.__module__
        if isinstance(name, str):
            return name.partition(".")[0]
    return ""


@cache
def _is_installed(package: str) -> bool:
    """Whether this is a package that was installed, and no file of the user's."""
    place = getattr(sys.modules.get(package), "__file__", None) or ""
    return "site-packages" in place or "dist-packages" in place


def fingerprint(start: object) -> bytes:
    """Changes with the numbers and texts that a mechanism holds, wherever it keeps them.

    What installed packages keep for themselves is left out (a cache, a count of calls), unless the mechanism is of that
    package. What code that is not Python keeps to itself is seen where it would be copied to another process.

    >>> def counting(calls):
    ...     def release(data, rng):
    ...         calls[0] += 1
    ...     return release
    >>> mechanism = counting([0])
    >>> before = fingerprint(mechanism)
    >>> mechanism([1], None)
    >>> fingerprint(mechanism) == before
    False
    """
    digest = hashlib.blake2b(_pickled(start), digest_size=16)
    for holder in reached(start, installed=False):
        for each in parts([holder]):
            content = _content(each)
            if content is not None:
                digest.update(f"{len(content)} ".encode() + content)
        digest.update(b";")
    return digest.digest()


def _content(each: object) -> bytes | None:
    """A number or text, or the memory of an array, a buffer or a number of numpy; None of anything else."""
    if type(each) in _PLAIN or (type(each) is np.ndarray and each.dtype.hasobject):
        return repr(each).encode(errors="surrogatepass")
    if type(each) in _CONTAINERS:
        return None
    try:
        with memoryview(each) as seen:  # type: ignore[arg-type]
            return seen.tobytes()
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None


class _Still(cloudpickle.CloudPickler):  # type: ignore[misc]
    """Writes what is copied to another process, but for what each copy has anew: its generators, its processes."""

    def reducer_override(self, each: Any) -> Any:
        """How an object is written."""
        if isinstance(each, GENERATORS) or runs_elsewhere(each):
            return str, ()
        return super().reducer_override(each)


def _pickled(start: object) -> bytes:
    """What would be copied of a mechanism; nothing where it cannot be."""
    written = io.BytesIO()
    try:
        _Still(written).dump(start)
    except Exception:  # noqa: BLE001  (foreign code: anything may come)
        return b""
    return written.getvalue()
