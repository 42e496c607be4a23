"""Whether an exception of a target comes from too little memory, also where the target has made another one of it."""

import errno

MOST_LINKS = 100
"""How far a chain of exceptions is followed: a guess, far above what is written; a target could make it endless."""


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, in this exception or in one that it was raised for.

    That depends on the machine and on our limits, so it is no answer about the data.

    >>> out_of_memory(ValueError("too few rows"))
    False
    """
    waiting, links = [error], 0
    while waiting and links < MOST_LINKS:
        each, links = waiting.pop(), links + 1
        if isinstance(each, MemoryError) or (isinstance(each, OSError) and each.errno == errno.ENOMEM):
            return True
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions[:MOST_LINKS]
        waiting += [linked for linked in (each.__cause__, each.__context__) if linked is not None]
    return False
