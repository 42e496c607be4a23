"""Libraries that may be imported once for all runs, before each run imports the target anew."""

import contextlib
import importlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator

from crowdproof.errors import TargetError

WELL_KNOWN = frozenset(sys.stdlib_module_names) | {
    "attr",
    "attrs",
    "dateutil",
    "joblib",
    "matplotlib",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pytz",
    "scipy",
    "sklearn",
    "sympy",
    "tzdata",
}
"""Libraries that draw nothing on import but what `generators` sets for each run, and that are slow to import."""


def preload(load: Callable[[], object]) -> None:
    """Import the well-known libraries that a target needs, without importing the target here.

    A fork loads the target and tells which they were. If it cannot, the target is loaded here, where that fails again
    and is told as ever.
    """
    with tempfile.TemporaryFile("w+") as told:  # not a pipe, which a process that the target leaves behind keeps open
        child = os.fork()
        if child == 0:
            try:
                load()
                json.dump(dict(_loaded()), told)
                told.flush()
            finally:
                os._exit(1)
        os.waitpid(child, 0)
        told.seek(0)
        text = told.read()
    if not text:
        load()
        raise TargetError("it was imported at the second attempt only: make it ready to be imported at any time.")
    for name, origin in json.loads(text).items():
        with contextlib.suppress(Exception):  # then each run imports it
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin == origin:
                importlib.import_module(name)


def _loaded() -> Iterator[tuple[str, str]]:
    """Name and file of each module of a well-known library that is loaded here, in the order of loading.

    The file shows whether it is the library: a target's own folder may hold a module of the same name.
    """
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name.partition(".")[0] in WELL_KNOWN and spec is not None and spec.name == name and spec.origin:
            yield name, spec.origin
