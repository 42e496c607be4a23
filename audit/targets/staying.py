"""Foreign code in our own process, which must not end it: a process that is gone passes no judgement."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from crowdproof.errors import TargetError


@contextmanager
def staying() -> Iterator[None]:
    """Make `os._exit` an error within the block; processes that are forked off may end as they like.

    >>> with staying():
    ...     os._exit(0)
    Traceback (most recent call last):
    ...
    crowdproof.errors.TargetError: it ends its process with os._exit(0): let it return or raise, or isolate it.
    """
    leave, home = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != home:
            leave(status)
        raise TargetError(f"it ends its process with os._exit({status}): let it return or raise, or isolate it.")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = leave
