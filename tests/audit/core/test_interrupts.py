"""Ctrl-C is noticed though somebody else catches it, and the handler is put back."""

import signal
import threading

import pytest

from crowdproof.audit.interrupts import noticed


def press():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_was_caught_is_raised_again_by_the_check():
    before = signal.getsignal(signal.SIGINT)
    with noticed() as interrupts:
        interrupts.check()
        press()
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_handler_is_put_back_after_an_error():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), noticed():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_nothing_is_noticed_and_nothing_breaks():
    seen = []

    def work():
        with noticed() as interrupts:
            interrupts.check()
            seen.append(interrupts.seen)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]
