"""The file without a name that a target writes to what nobody reads, unless it fails: its last words are shown then."""

import os
import tempfile
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOG_BYTES = 1 << 24
"""What is kept of it between two runs: a guess, of which only the last lines are ever shown."""


def log_file() -> IO[bytes]:
    """A new file, at whose end everything is written, also after it was cut."""
    made = tempfile.TemporaryFile("a+b")  # noqa: SIM115  (whoever asks for it closes it)
    if fcntl is not None:
        fcntl.fcntl(made.fileno(), fcntl.F_SETFL, fcntl.fcntl(made.fileno(), fcntl.F_GETFL) | os.O_APPEND)
    return made


def cut(log: IO[bytes]) -> None:
    """Let go of what was written, where that is much: a file without a name takes space that nobody sees."""
    if os.fstat(log.fileno()).st_size > LOG_BYTES:
        log.truncate(0)
