"""Privacy claims in a test suite: a marker that states a claim, and a fixture that holds a mechanism to it.

    @pytest.mark.privacy_claim("dp(epsilon=1)", runs=50_000)
    def test_noisy_count(assert_private, patients):
        assert_private(noisy_count, data=patients)

A marked test that asserts nothing fails. Nothing heavy of the library is imported until a claim is asserted.

What is audited shares the process of pytest, and may end it with exit status 0. So pytest runs in a process of its own,
where it was started as a command, and another one waits for it: see `crowdproof.watch`.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from crowdproof import watch
from crowdproof.errors import ExitCode

if TYPE_CHECKING:
    from crowdproof.findings import Finding

MARKER = "privacy_claim(claim, **options): what `assert_private` holds a mechanism to in this test"
WATCH = "crowdproof_watch"
"""The setting that tells whether another process waits for pytest."""
ENDED_EARLY = (
    "crowdproof: the process of pytest ended with {how} before its session was over: a test, or code that it ran, "
    "ended it, and that is no pass. Run pytest with -v to see which test was the last one, and audit a target that "
    'ends its process as crowdproof.audit.targets.load_target("module:function", isolate="fresh").'
)
LET_PASS = frozenset({pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED})
"""Exit statuses that a build may take for good: they count only where pytest came to them itself."""
STDERR = 2
"""The number of standard error: `sys.stderr` may be somebody's buffer."""
_ASSERTED = pytest.StashKey[list[str]]()
_LINE = pytest.StashKey[watch.Line]()


class AssertPrivate:
    """`assert_private(mechanism)`: with the claim and options of the marker, or with those that are given here."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def __call__(self, mechanism: Any, claim: Any = None, **options: Any) -> "Finding":
        """Fail where a claim is refuted or could not be decided; the finding about the last one is handed back.

        Without a claim of its own it holds the mechanism to every claim that the test, its class or module is marked
        with. A claim that several marks state is audited with the options of each of them.
        """
        __tracebackhide__ = True
        from crowdproof.audit.gate.assertion import assert_private  # noqa: PLC0415  (only when it is used)

        stated = _stated(self._item)
        if claim is not None:
            marked = [each for each in stated if _name(each[0]) == _name(claim)]
            stated = marked or [(claim, stated[0][1] if stated else {})]
        if not stated:
            pytest.fail(
                "there is no claim: mark the test with privacy_claim, or give assert_private one.", pytrace=False
            )
        for each, defaults in stated:
            finding = assert_private(mechanism, each, **{"seed": _seed(self._item), **defaults, **options})
            self._item.stash[_ASSERTED].append(str(finding.claim))
        return finding


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> AssertPrivate:
    """Hold a mechanism to a privacy claim; a failure shows the witness."""
    return AssertPrivate(request.node)


def pytest_addoption(parser: pytest.Parser) -> None:
    """One seed for all claims."""
    group = parser.getgroup("crowdproof", "privacy claims")
    group.addoption("--privacy-seed", type=int, default=0, help="seed of the audits of privacy claims (default: 0)")
    parser.addini(
        WATCH,
        type="bool",
        default=True,
        help="let another process wait for pytest, so that code which ends the process of pytest is no pass",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Before the first conftest is imported: go on in a process of its own, for which this one waits."""
    if early_config.getini(WATCH) and _is_command() and _can_fork():
        _go_on_elsewhere(early_config)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, Any, Any]:
    """After all that pytest was asked for, which includes `pytest_unconfigure`: tell what came of it."""
    code = yield
    line = config.stash.get(_LINE, None)
    if line is not None and code is not None:
        line.tell(int(code))
    return code


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Nothing was asserted yet."""
    item.stash[_ASSERTED] = []


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """After a test that passed: one that is marked with a claim which nobody audited is never green."""
    missing = [str(claim) for claim, _ in _stated(item) if _name(claim) not in item.stash[_ASSERTED]]
    if missing:
        pytest.fail(
            f"the test is marked with the claim {missing[0]}, which was not audited: call assert_private without a "
            "claim of its own, or take the mark away.",
            pytrace=False,
        )


def _name(claim: Any) -> str:
    """The claim as a finding calls it."""
    from crowdproof.claims import parse_claim  # noqa: PLC0415  (only when a claim was asserted)

    return str(parse_claim(claim) if isinstance(claim, str) else claim)


def _stated(item: pytest.Item) -> list[tuple[Any, dict[str, Any]]]:
    """The claims that the test is marked with, the closest first, each with the options of its mark."""
    found = []
    for marker in item.iter_markers("privacy_claim"):
        options = dict(marker.kwargs)
        claim = marker.args[0] if marker.args else options.pop("claim", None)
        if claim is None:
            pytest.fail("a privacy_claim states no claim: write one, such as 'dp(epsilon=1)'.", pytrace=False)
        found.append((claim, options))
    return found


def _seed(item: pytest.Item) -> int:
    seed: int = item.config.getoption("--privacy-seed")
    return seed


# --- the process that waits ----------------------------------------------------------------------------------------


def _is_command() -> bool:
    """Whether pytest was started as a command, and not by a program, a worker of pytest-xdist or a test of its own.

    The command is a function of pytest that calls its main function; others call that one themselves.
    """
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  (inspect.stack would read the source of every frame)
    while frame is not None and not _is_of_pytest(frame, {"main", "_main"}):
        frame = frame.f_back
    return frame is not None and frame.f_back is not None and _is_of_pytest(frame.f_back, _COMMANDS)


_COMMANDS = {"console_main", "_console_main"}
"""What the function is called in pytest 6 to 9."""


def _is_of_pytest(frame: FrameType, names: set[str]) -> bool:
    return frame.f_code.co_name in names and frame.f_globals.get("__name__") == "_pytest.config"


def _can_fork() -> bool:
    """Whether a fork harms nobody: threads and debuggers stay behind, and the libraries of macOS break after it."""
    return hasattr(os, "fork") and sys.platform != "darwin" and _is_only_thread() and not _is_debugged()


def _is_only_thread() -> bool:
    """Whether there is no other thread, of Python or, where the system tells, of a library."""
    if threading.active_count() > 1:
        return False
    threads = Path("/proc/self/task")
    return not threads.is_dir() or len(list(threads.iterdir())) == 1


def _is_debugged() -> bool:
    """Whether a tracer or a debugger looks on."""
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    return sys.gettrace() is not None or (
        monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None
    )


def _go_on_elsewhere(config: pytest.Config) -> None:
    """Return in a process of its own; where there cannot be another one, return in this one."""
    try:
        here = watch.fork()
    except OSError:
        return
    if isinstance(here, watch.Ended):
        _end(here)
    config.stash[_LINE] = here


def _end(ended: watch.Ended) -> NoReturn:
    """End as pytest did. Where its process may have been ended for it, what it told counts, or there is no pass."""
    if ended.status not in LET_PASS:
        watch.end_as(ended.status)
    if ended.told is not None:
        watch.end_as(ended.told or ended.status)
    with contextlib.suppress(OSError):  # standard error may be closed
        os.write(STDERR, f"\n{ENDED_EARLY.format(how=ended.how)}\n".encode())  # pytest is in the middle of a line
    watch.end_as(ExitCode.BROKEN)
