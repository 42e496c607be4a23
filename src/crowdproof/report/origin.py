"""When and where a report was written, and on what data a finding rests: what a reader asks first."""

import os
import shlex
import time
from datetime import UTC, datetime
from pathlib import Path

from crowdproof.findings import Finding
from crowdproof.visible import encodable


def written() -> str:
    """The day and the folder in which the report is written, in a sentence.

    SOURCE_DATE_EPOCH, where it is set, is the time to go by, so that a report can be made again to the byte.
    """
    day = datetime.fromtimestamp(_seconds(), UTC)
    told = f"Written on {day.day} {day:%B %Y}"
    try:
        folder = encodable(Path.cwd().name)
    except OSError:  # a target may have removed the folder
        folder = ""
    return f"{told} in the folder {folder}." if folder else f"{told}."


def _seconds() -> float:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    latest = 253_402_300_799  # the last second of the year 9999, beyond which there are no dates
    if given.isdecimal() and int(given) <= latest:
        return int(given)
    return time.time()


def origin(finding: Finding) -> str:
    """The table that a finding rests on, by the command that made it, and the file that holds the claim.

    >>> from crowdproof.claims import KAnonymity
    >>> from crowdproof.findings import Proved, Reproduce
    >>> made = Reproduce(command="crowdproof audit shop.py:f --data 'my people.csv'")
    >>> origin(Finding("shop", KAnonymity(2), Proved(), reproduce=made))
    'Data: my people.csv'
    """
    told = []
    data = _option(finding.reproduce.command, "--data")
    if data:
        told.append(f"Data: {data}")
    file = finding.reproduce.parameters.get("file")
    if isinstance(file, str) and file:
        told.append(f"Claimed in {file}")
    return " · ".join(told)


def _option(command: str, name: str) -> str:
    """What the command gives for the option, or nothing."""
    try:
        words = shlex.split(command)
    except ValueError:  # a finding of a file may hold any text
        return ""
    if name not in words[:-1]:
        return ""
    return words[words.index(name) + 1]
