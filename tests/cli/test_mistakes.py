"""Typical mistakes: each message names the mistake and the remedy, with the right exit code and without a traceback.

This is the list by which the messages are graded. What stands in a row is what somebody wrote, the words that name the
mistake, and the words that tell what to do instead.
"""

import re

import pytest

from crowdproof.errors import ExitCode

CODE = """
LIMIT = 3

def release(table):
    return table["age"].to_list()

def of_size(table, k):
    return k

def without_table():
    return 1

def forgets_to_return(table):
    table["age"].to_list()

def crashes(table):
    return 1 / 0

def misspells(table):
    return table["salary"].to_list()

def of_group(table, group):
    return table[group].to_list()

class Needy:
    def __init__(self, k):
        self.k = k

    def release(self, table):
        return table
"""
CLAIM = """
[[claims]]
name = "ages"
target = "anonymize.py:release"
data = "people.csv"
claim = "dp(epsilon=1)"
"""
FILES = {
    "anonymize.py": CODE,
    "publish.R": "",
    "publish.sh": "",
    "imports.py": "import no_such_package\n",
    "people.csv": "age,zip\n" + "".join(f"{20 + i},0213{i % 9}\n" for i in range(12)),
    "empty.csv": "",
    "header.csv": "age,zip\n",
    "binary.csv": "age\0zip\n",
    "ragged.csv": "age,zip\n1,2\n3,4,5,6\n",
    "people.xls": "",
    "damaged.json": "{",
    "nothing.json": "[]",
    "other.json": '{"a": 1}',
    "good.toml": CLAIM,
    "broken.toml": "[[claims]\n",
    "empty.toml": "",
    "unknown.toml": f"{CLAIM}colour = 'red'\n",
    "unclaimed.toml": CLAIM.replace('claim = "dp(epsilon=1)"', ""),
    "twice.toml": CLAIM * 2,
    "mistyped.toml": f"{CLAIM}runs = 'many'\n",
    "dataless.toml": CLAIM.replace("people.csv", "nobody.csv"),
    "misclaimed.toml": CLAIM.replace("dp(", "dq("),
}


@pytest.fixture
def crowdproof(tmp_path, monkeypatch, command_line):
    """The command line in a folder with these files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return command_line


def audit(target="anonymize.py:release", *more, claim="dp(epsilon=1)", data="people.csv"):
    """An audit that is right but for what is given."""
    return [
        "audit",
        target,
        "--claim",
        claim,
        "--data",
        data,
        "--isolate",
        "none",
        "--runs",
        "20",
        "--seed",
        "1",
        *more,
    ]


def option(*words):
    """An audit with that option."""
    return audit("anonymize.py:release", *words)


USAGE = [
    # the command
    (["adit", "anonymize.py:release"], "no command 'adit'", "Did you mean audit"),
    (["frobnicate"], "no command 'frobnicate'", "choose from prove, .*, audit"),
    (["audit"], "Missing argument 'TARGET'", "usage above .*crowdproof audit --help"),
    (["attack"], "Missing argument 'NAME'", "crowdproof attack --help"),
    (["audit", "anonymize.py:release"], "Missing option '--claim'", r"such as 'dp\(epsilon=1\)'"),
    (["audit", "anonymize.py:release", "--claim", "dp(epsilon=1)"], "nothing to audit on", "give --data FILE"),
    (option("--sead", "1"), "No such option '--sead'", "Did you mean .*--seed"),
    # the target
    (audit("anonymize.py"), "'anonymize.py' names no function", "name a function in it .anonymize.py:function"),
    (audit("release"), "'release' names no function", "path/to/file.py:function"),
    (audit("anonymize.py:relase"), "has no 'relase'", "it has .*release"),
    (audit("anonymise.py:release"), "no file anonymise.py", "write .*path/to/file.py:function"),
    (audit("no_such_module:f"), "cannot import no_such_module", "Is it installed, or should it be a path"),
    (audit("imports.py:release"), "No module named 'no_such_package'", "Is it installed"),
    (audit("anonymize.py:LIMIT"), "cannot be called", "name a function or a class"),
    (audit("anonymize.py:of_size"), "needs k", "give --param k=VALUE"),
    (audit("anonymize.py:without_table"), "takes no table", "takes the table first"),
    (option("--param", "k=3"), "no parameter 'k'", "it takes none"),
    (option("--param", "k"), "'k' is not a parameter", "write it as name=value"),
    (audit("https://"), "names no host", "write it like http://host"),
    (audit("anonymize.release"), "'anonymize.release' names no function", r"did you mean anonymize:release\?"),
    (audit("anonymize.py::release"), "names no function", r"did you mean anonymize.py:release\?"),
    (audit("anonymize.py/release"), "names no function", r"did you mean anonymize.py:release\?"),
    (audit("anonymize.py:release()"), "names no function", r"did you mean anonymize.py:release\?"),
    (audit("localhost:8000/anonymize"), "looks like an address", "write it like http://127"),
    (audit("htp://localhost/anonymize"), "looks like an address", "write it like http://127"),
    (audit("publish.R"), "it is a program", "such as 'Rscript publish.R {input} {output}'"),
    (audit("sh publish.sh"), "it is a command line", "write {input} and {output} where it takes the files"),
    (audit("cat {inpt} {output}"), "nothing fills {inpt}", "write one of {input}"),
    (audit("anonymize.py:Needy"), "it needs k", "Give --param k=VALUE"),
    (audit("http://127.0.0.1:9/x", "--form", "json:"), "form is 'json:'", "services are given csv"),
    (option("people.csv"), "unexpected extra argument", "write a table as --data FILE"),
    (option("--format", "html", "report.html"), "unexpected extra argument", "a report as --format html=FILE"),
    (option("--param", "k=1", "--param", "k=2"), "k is given twice", "keep one, or write a list"),
    (["gate", "--xyz"], "No such option '--xyz'", "crowdproof gate --help' lists those that there are"),
    (["init", "anonymize.py:of_group", "--data", "people.csv"], "needs group", "give --param group=VALUE"),
    # the claim
    (audit(claim=""), "'' is not a claim", "for example dp"),
    (audit(claim="dp"), "'dp' is not a claim", "for example dp"),
    (audit(claim="epsilon=1"), "'epsilon=1' is not a claim", "write one of dp"),
    (audit(claim="dq(epsilon=1)"), "is not a claim", r"write one of dp\(...\), dps"),
    (audit(claim="dp(epsilon=1"), "is not a claim", "for example dp"),
    (audit(claim="dp(1)"), "'1' in .* has no name", "write it as name=value"),
    (audit(claim="dp(epsilon=1,5)"), "'5' in .* has no name", "decimal numbers with a point"),
    (audit(claim="dp(eps=1)"), "dp has no parameter 'eps'", "it takes epsilon"),
    (audit(claim="dp(epsilon=one)"), "epsilon is 'one'", "write it like 0.1"),
    (audit(claim="dp(epsilon=-1)"), "epsilon is -1", "at least 0"),
    (audit(claim="dp(epsilon=1, epsilon=2)"), "epsilon is given twice", "keep one"),
    (audit(claim="dp(epsilon=1, delta=2)"), "delta is 2", "at least 0 and below 1"),
    (audit(claim="dps(epsilon=1, delta=0)"), "dps needs beta", r"write dps\(beta=...\)"),
    (audit(claim="dps(beta=2, epsilon=1, delta=0)"), "beta is 2", "between 0 and 1"),
    (audit(claim="k-anonymity(k=0)"), "k is 0", "whole number of at least 1"),
    # the data
    (audit(data="persons.csv"), "no file persons.csv", "check its path"),
    (audit(data="empty.csv"), "empty.csv is empty", "give a file with column names and rows"),
    (audit(data="header.csv"), "has no rows", "give a table with at least one"),
    (audit(data="binary.csv"), "holds zero bytes", "save it as CSV in UTF-8"),
    (audit(data="ragged.csv"), "line 3 has 4 cells, the header 2", "give every row as many"),
    (audit(data="people.xls"), "of no known kind", r"ends in \.csv"),
    (option("--schema", "zip"), "'zip' declares no type", "such as zip=text"),
    (option("--schema", "town=text"), "no column 'town'", "it has age, zip"),
    (option("--schema", "zip=word"), "the type of zip is 'word'", "declare one of integer"),
    # other options
    (option("--form", "panda"), "form is 'panda'", "given as polars, pandas"),
    (option("--isolate", "docker"), "isolate is 'docker'", "choose from auto"),
    (option("--format", "pdf"), "'pdf' is not a format", "choose from text"),
    (option("--format", "html=nowhere/r.html"), "no folder nowhere", "Give a file in a folder that exists"),
    (option("--error", "2"), "error is 2", "between 0 and 1"),
    (option("--runs", "0"), "'--runs': it is 0", "give a whole number of at least 1"),
    (option("--runs", "many"), "'--runs': it is many", "give a whole number of at least 1"),
    (option("--seed", "-1"), "'--seed': it is -1", "give a whole number of at least 0"),
    (option("--seconds", "soon"), "'--seconds': it is soon", "give a positive number of seconds"),
    (option("--timeout", "1e9"), "'--timeout': it is 1e9", "of at most 1,000,000"),
    (option("--sampling", "me"), "'me' is not one of", "'auditor', 'target'"),
    (option("--queries", "3"), "--data and --queries are two things", "give one of them"),
    # the project
    (["gate"], "no privacy.toml", "crowdproof init TARGET"),
    (["gate", "nowhere.toml"], "cannot read nowhere.toml", "crowdproof init TARGET"),
    (["gate", "broken.toml"], "is not TOML.*line 1", "correct it there"),
    (["gate", "unknown.toml"], "line 7: there is no key 'colour'", "it may be name"),
    (["gate", "unclaimed.toml"], "has no claim", "add it"),
    (["gate", "twice.toml"], "2 claims are called 'ages'", "names are unique"),
    (["gate", "mistyped.toml"], "line 7: .*runs: 'many'", "is not a whole number"),
    (["gate", "misclaimed.toml"], "line 6: .*is not a claim", "for example dp"),
    (["gate", "good.toml", "incomes"], "no claim 'incomes'", "it has ages"),
    (["init", "anonymize.py:release", "--output", "good.toml"], "good.toml exists", "remove it first"),
    # saved findings
    (["replay", "nowhere.json"], "cannot read nowhere.json", "Give a file that"),
    (["replay", "damaged.json"], "is not JSON", "give a file that crowdproof wrote"),
    (["replay", "nothing.json"], "holds no refutation", "'audit --witness FILE' wrote"),
    (["report", "other.json"], "has schema None", "make it again"),
    (["report", "people.csv"], "is not JSON", "give a file that crowdproof wrote"),
    # the other verbs
    (["check", "nowhere.csv"], "no file nowhere.csv", "check its path"),
    (["check", "people.csv", "--k", "two"], "k is 'two'", "give a whole number of at least 1"),
    (["check", "people.csv", "--columns", "town"], "no column 'town'", "it has age, zip"),
    (["check", "people.csv", "--l", "2"], "about sensitive columns", "name at least one"),
    (["attack", "unknown"], "no attack 'unknown'", "choose from clr"),
    (["attack", "clr", "--set", "colour=red"], "takes no 'colour'", "it takes target"),
    (["bound", "--k", "20"], "Missing option '--beta'", "Give it: "),
    (["plan", "--epsilon", "1"], "missing: delta", "needs epsilon and delta"),
    (["prove", "thm99"], "no statement 'thm99'", "choose from .*thm1"),
]

BROKEN = [
    (audit("anonymize.py:forgets_to_return"), r"returned nothing \(None\)", "let it return the release"),
    (audit("anonymize.py:crashes"), "raised ZeroDivisionError.*line 17", "Call the target on this data by itself"),
    (audit("anonymize.py:misspells"), '"salary" not found.*line 20', "correct what it raises"),
    (["gate", "empty.toml"], "No claims were collected", r"write them as \[\[claims\]\]"),
    (["gate", "dataless.toml"], "There is no file nobody.csv", "check its path"),
]


def told(out, err):
    """All that was said, on one line."""
    return " ".join((out + err).split())


def identity(value):
    """The words that were written, as the name of a test."""
    return " ".join(value) if isinstance(value, list) else ""


@pytest.mark.parametrize(("written", "mistake", "remedy"), USAGE, ids=identity)
def test_a_mistake_in_what_was_written_is_named_with_its_remedy(crowdproof, written, mistake, remedy):
    code, out, err = crowdproof(*written)
    assert (code, out) == (ExitCode.USAGE, "")
    assert re.search(f"{mistake}.*{remedy}|{remedy}.*{mistake}", told(out, err)), err
    assert re.search(r"[.?)]\n$", err), "the message ends as a sentence"
    assert not re.search("Traceback|internal error", err)


@pytest.mark.parametrize(("written", "mistake", "remedy"), BROKEN, ids=identity)
def test_what_could_not_run_is_named_with_its_remedy(crowdproof, written, mistake, remedy):
    code, out, err = crowdproof(*written)
    assert code == ExitCode.BROKEN
    assert re.search(f"{mistake}.*{remedy}", told(out, err)), out + err
    assert not re.search("Traceback|internal error", out + err)


def test_the_list_is_long_and_what_is_right_is_no_mistake(crowdproof):
    assert len({" ".join(written) for written, _, _ in USAGE + BROKEN}) == len(USAGE + BROKEN) >= 60
    code, out, err = crowdproof(*option("--deterministic"))
    assert (code, err) == (ExitCode.REFUTED, ""), out
