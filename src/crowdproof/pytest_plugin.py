"""Privacy claims in a test suite: a marker that states a claim, and a fixture that holds a mechanism to it.

    @pytest.mark.privacy_claim("dp(epsilon=1)", runs=50_000)
    def test_noisy_count(assert_private, patients):
        assert_private(noisy_count, data=patients)

A marked test that asserts nothing fails. Nothing of the library is imported until a claim is asserted.
"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from crowdproof.findings import Finding

MARKER = "privacy_claim(claim, **options): what `assert_private` holds a mechanism to in this test"
_ASSERTED = pytest.StashKey[list[str]]()


class AssertPrivate:
    """`assert_private(mechanism)`: with the claim and options of the marker, or with those that are given here."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def __call__(self, mechanism: Any, claim: Any = None, **options: Any) -> "Finding":
        """Fail where the claim is refuted or could not be decided."""
        __tracebackhide__ = True
        from crowdproof.audit.gate.assertion import assert_private  # noqa: PLC0415  (only when it is used)

        stated, defaults = _stated(self._item)
        if claim is None and stated is None:
            pytest.fail(
                "there is no claim: mark the test with privacy_claim, or give assert_private one.", pytrace=False
            )
        finding = assert_private(mechanism, claim or stated, **{"seed": _seed(self._item), **defaults, **options})
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


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Nothing was asserted yet."""
    item.stash[_ASSERTED] = []


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """After a test that passed: a marked one in which nothing was audited is never green."""
    if item.get_closest_marker("privacy_claim") is not None and not item.stash[_ASSERTED]:
        pytest.fail("the test has a privacy_claim and audited nothing: call assert_private in it.", pytrace=False)


def _stated(item: pytest.Item) -> tuple[Any, dict[str, Any]]:
    marker = item.get_closest_marker("privacy_claim")
    if marker is None:
        return None, {}
    options = dict(marker.kwargs)
    claim = marker.args[0] if marker.args else options.pop("claim", None)
    return claim, options


def _seed(item: pytest.Item) -> int:
    seed: int = item.config.getoption("--privacy-seed")
    return seed
