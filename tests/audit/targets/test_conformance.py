"""What every kind of target does alike: one class of tests, inherited by a class for each kind."""

import http.server
import json
import pickle
import runpy
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.releases import same
from crowdproof.audit.targets import Target, load_target
from crowdproof.errors import NoReleaseError, TargetError

pytestmark = pytest.mark.processes

SUBJECT = Path(__file__).with_name("subject.py")
PEOPLE = pl.DataFrame({"age": ["31", "47", "47"], "sex": ["f", "m", "f"]})


class Conformance:
    """Inherit, and say how to load the subject in a mode."""

    @pytest.fixture
    def load(self, request):
        made = []

        def load(mode="copy", **options) -> Target:
            made.append(self.target(request, mode, **{"timeout": 30.0, **options}))
            return made[-1]

        yield load
        for target in made:
            target.close()

    def test_same_rng_same_output_one_by_one_or_in_a_batch(self, load):
        target = load("noisy")
        rng = np.random.default_rng(5)
        singles = [target(PEOPLE, rng) for _ in range(3)]
        assert same(singles, target.batch(PEOPLE, np.random.default_rng(5), 3))
        assert not same(singles[0], singles[1])

    def test_the_table_arrives_whole_and_comes_back_whole(self, load):
        assert load()(PEOPLE, np.random.default_rng(1)).equals(PEOPLE)

    def test_reloads_from_its_spec_and_travels_by_pickle(self, load):
        target = load("noisy")
        expected = target.runs(PEOPLE, [7])
        with load_target(**json.loads(json.dumps(target.spec))) as again:
            assert same(again.runs(PEOPLE, [7]), expected)
        assert same(pickle.loads(pickle.dumps(target)).runs(PEOPLE, [7]), expected)

    def test_determinism_is_measured(self, load):
        plain, noisy = load(), load("noisy")
        assert plain.deterministic is None
        plain.examine(PEOPLE)
        noisy.examine(PEOPLE)
        assert plain.deterministic is True
        assert plain.behaviour.reproducible
        assert noisy.deterministic is False
        assert noisy.behaviour.reproducible
        assert not plain.behaviour.stateful
        assert "deterministic" in plain.behaviour.note().text

    def test_a_refusal_is_shown_in_the_target_s_own_words(self, load):
        target = load("refuse")
        for _ in range(2):
            with pytest.raises(NoReleaseError, match="too few rows for k"):
                target.runs(PEOPLE, [1])

    def test_garbage_is_no_release(self, load):
        with pytest.raises(TargetError) as caught:
            load("garbage").runs(PEOPLE, [1])
        assert not isinstance(caught.value, NoReleaseError)

    def test_works_again_after_it_was_closed(self, load):
        target = load()
        target.runs(PEOPLE, [1])
        target.close()
        assert target.runs(PEOPLE, [1])[0].equals(PEOPLE)


class Elsewhere(Conformance):
    """What a target that runs outside this process can do as well."""

    def test_a_hang_is_stopped_and_says_so(self, load):
        with pytest.raises(TargetError, match="time limit") as caught:
            load("hang", timeout=1.5).runs(PEOPLE, [1])
        assert not isinstance(caught.value, NoReleaseError)

    def test_a_crash_is_no_answer(self, load):
        with pytest.raises(TargetError) as caught:
            load("crash").runs(PEOPLE, [1])
        assert not isinstance(caught.value, NoReleaseError)


class Function:
    def target(self, request, mode, **options):
        options["isolate"] = self.isolate
        if mode == "garbage":
            return load_target(f"{SUBJECT}:garbage", **options)
        return load_target(f"{SUBJECT}:function", params={"mode": mode}, **options)


class TestFunctionHere(Function, Conformance):
    isolate = "none"


class TestFunctionKept(Function, Elsewhere):
    isolate = "worker"


class TestFunctionFresh(Function, Elsewhere):
    isolate = "fresh"


class TestCommandWithFiles(Elsewhere):
    words = "command {input} {output} {mode} {seed}"

    def target(self, request, mode, **options):
        return load_target(f"command:{sys.executable} {SUBJECT} {self.words}", params={"mode": mode}, **options)


class TestCommandWithStreams(TestCommandWithFiles):
    words = "command - - {mode} {seed}"


class TestLines(Elsewhere):
    def target(self, request, mode, **options):
        return load_target(f"lines:{sys.executable} {SUBJECT} lines", params={"mode": mode}, **options)


class TestHttp(Elsewhere):
    @pytest.fixture(autouse=True)
    def served(self):
        service = runpy.run_path(str(SUBJECT))["Service"]
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), service)
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.address = f"http://127.0.0.1:{server.server_port}/anonymize"
        yield
        server.shutdown()
        server.server_close()

    def target(self, request, mode, **options):
        return load_target(self.address, params={"mode": mode}, **options)
