"""Signals that ask for an end are raised once, noticed though somebody catches them, and break into nothing written."""

import os
import signal
import threading

import pytest

from crowdproof import interrupts
from crowdproof.interrupts import ASKING, REPEAT_SECONDS, Interrupts, heeded, noticed, unbroken


def press(number=signal.SIGINT):
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is put forward."""
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_an_interrupt_that_was_caught_is_raised_again_by_the_check():
    before = signal.getsignal(signal.SIGINT)
    with noticed() as asked:
        asked.check()
        press()
        with pytest.raises(KeyboardInterrupt):
            asked.check()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_handler_is_put_back_after_an_error():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), noticed():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("block", [noticed, heeded])
def test_in_another_thread_nothing_is_noticed_and_nothing_breaks(block):
    seen = []

    def work():
        with block() as asked, unbroken():
            asked.check()
            seen.append(asked.seen)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


@pytest.mark.parametrize("number", sorted(ASKING))
def test_every_signal_that_asks_for_an_end_is_an_interrupt(number):
    before = signal.getsignal(number)
    with heeded() as asked:
        press(number)
        with noticed() as inner, pytest.raises(KeyboardInterrupt):
            inner.check()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        assert asked.seen
    assert signal.getsignal(number) is before
    interrupts.check()  # which is about what is heeded now: nothing


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None])
def test_a_signal_that_is_ignored_or_handled_stays_so(handler):
    before = signal.signal(signal.SIGHUP, handler)
    try:
        with heeded() as asked:
            assert signal.getsignal(signal.SIGHUP) is handler
            signal.raise_signal(signal.SIGHUP)
            assert not asked.seen
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_that_comes_again_asks_for_nothing_new_until_some_time_has_passed(clock):
    with heeded():
        press(signal.SIGTERM)
        clock[0] += REPEAT_SECONDS - 0.1
        signal.raise_signal(signal.SIGTERM)
        clock[0] += 0.2
        press(signal.SIGINT)  # the first one may have been swallowed


def test_what_is_kept_is_not_interrupted(clock):
    with heeded() as asked:
        interrupts.keep()
        signal.raise_signal(signal.SIGTERM)
        clock[0] += 2 * REPEAT_SECONDS
        signal.raise_signal(signal.SIGINT)
        assert asked.seen
        with pytest.raises(KeyboardInterrupt), interrupts.breakable():
            pytest.fail("work was begun after a signal")


def test_work_that_goes_on_can_be_interrupted_again():
    with heeded():
        interrupts.keep()
        with interrupts.breakable():
            press()
        signal.raise_signal(signal.SIGINT)


def test_a_signal_waits_for_the_end_of_the_outermost_block_that_must_not_break():
    steps = []

    def work():
        with unbroken():
            with unbroken():
                signal.raise_signal(signal.SIGTERM)
                steps.append("inner")
            steps.append("outer")

    with heeded() as asked:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert asked.seen
        with unbroken():  # it was raised, and is not raised again
            steps.append("after")
    assert steps == ["inner", "outer", "after"]


def test_where_signals_are_not_heeded_they_are_as_ever():
    with unbroken():
        press()
    interrupts.keep()
    press()
    assert not Interrupts().seen


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 7)])
def test_a_process_that_is_forked_off_ends_as_it_would_elsewhere(number, status):
    with heeded() as asked:
        child = os.fork()
        if child == 0:
            try:
                signal.raise_signal(number)
            except KeyboardInterrupt:
                os._exit(7)
            finally:
                os._exit(8)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
        assert not asked.seen
