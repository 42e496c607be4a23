"""Small projects as people write them, without a thought of this package: one command, or one call, gives a verdict.

Each has a leaky form, and where the kind of project allows it, a twin that is safe.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest

import crowdproof as cp

PATIENTS = "\n".join(
    [
        "zip,age,illness,cost",
        *(
            f"{('02138', '02139', '53711')[i % 3]},{30 + i % 4 * 10},{('flu', 'gout')[i % 2]},{100 + 37 * i % 900}"
            for i in range(36)
        ),
        "99501,90,leprosy,250000",
        "",
    ]
)
"""With one patient who sticks out, as in most hospitals."""

GROUPBY = """
import pandas as pd

def suppress(df):
    counts = df.groupby(["zip", "age"])["illness"].transform("size")
    return df[counts >= 3][["zip", "age", "illness"]]

def constant(df):
    return pd.DataFrame({"note": ["see the annual report"]})
"""

ROUNDING = """
def coarse(df):
    out = df.copy()
    out["zip"] = out["zip"].str[:3] + "**"
    out["age"] = (out["age"] // 10) * 10
    out["cost"] = out["cost"].round(-2)
    return out
"""

LAPLACE = """
import numpy as np

def noisy_count(x, epsilon=1.0):
    return len(x) + np.random.laplace(scale=1.0 / epsilon)

def far_too_little_noise(x):
    return len(x) + np.random.laplace(scale=0.05)
"""

SYNTHESIZER = """
import numpy as np
import pandas as pd

class GaussianSynthesizer:
    def fit(self, data):
        self.columns_ = {name: (data[name].mean(), data[name].std() + 1) for name in ("age", "cost")}
        self.largest_ = data["cost"].max()

    def sample(self, num_rows):
        made = pd.DataFrame({n: np.random.normal(m, s, num_rows) for n, (m, s) in self.columns_.items()})
        made.loc[0, "cost"] = self.largest_
        return made
"""

SKLEARN = """
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import KBinsDiscretizer

pipeline = make_column_transformer(
    (KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="uniform"), ["age", "cost"]), remainder="drop"
)

def train(df):
    from sklearn.linear_model import LinearRegression
    return LinearRegression().fit(df[["age"]], df["cost"]).coef_
"""

CLASS = """
class Anonymizer:
    def __init__(self, k=3):
        self.k = k

    def anonymize(self, df):
        sizes = df.groupby(["zip"])["age"].transform("size")
        return df.loc[sizes >= self.k, ["zip", "age"]]
"""

SCRIPT = """
import sys
import pandas as pd

if __name__ == "__main__":
    table = pd.read_csv(sys.argv[1], dtype={"zip": str})
    table.groupby("zip").size().reset_index(name="patients").to_csv(sys.argv[2], index=False)
"""

SPARK = """
from collections.abc import Iterator
import pandas as pd

def truncate(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch.assign(zip=batch["zip"].str[:3])[["zip", "age"]]
"""

SQL = """
QUERY = "select zip, count(*) as patients from admissions group by zip having count(*) >= 3 order by zip"

def report(con):
    return con.sql(QUERY)

def headline(con):
    return con.execute("select 'see the annual report' as note").fetchall()
"""

RECORDS = """
import asyncio
from collections import Counter

async def wards(records, by="illness"):
    await asyncio.sleep(0)
    return dict(Counter(each[by] for each in records))

async def fixed(records):
    return {"illnesses": ["flu", "gout"]}
"""

WHOLE = """
class Report:
    def __init__(self, stays):
        self.stays = stays

    def summary(self):
        return self.stays.groupby("zip")["cost"].max()
"""

FILES = {
    "sql.py": SQL,
    "records.py": RECORDS,
    "whole.py": WHOLE,
    "groupby.py": GROUPBY,
    "rounding.py": ROUNDING,
    "laplace.py": LAPLACE,
    "synthesizer.py": SYNTHESIZER,
    "learning.py": SKLEARN,
    "anonymizer.py": CLASS,
    "script.py": SCRIPT,
    "jobs.py": SPARK,
    "patients.csv": PATIENTS,
}

COMMANDS = {
    "pandas groupby and suppress": ("groupby.py:suppress", "dp(epsilon=1)", "REFUTED"),
    "its safe twin": ("groupby.py:constant", "dp(epsilon=1)", "NOT_REFUTED"),
    "rounding and truncation": ("rounding.py:coarse", "dps(beta=0.5, epsilon=1, delta=0.02)", "REFUTED"),
    "numpy Laplace count": ("laplace.py:far_too_little_noise", "dp(epsilon=1)", "REFUTED"),
    "its correct twin": ("laplace.py:noisy_count", "dp(epsilon=1.5)", "NOT_REFUTED"),
    "synthesizer": ("synthesizer.py:GaussianSynthesizer", "dp(epsilon=1)", "REFUTED"),
    "scikit-learn pipeline": ("learning.py:pipeline", "dp(epsilon=1)", "REFUTED"),
    "scikit-learn model": ("learning.py:train", "dp(epsilon=1)", "REFUTED"),
    "class": ("anonymizer.py:Anonymizer", "dp(epsilon=1)", "REFUTED"),
    "SQL through DuckDB": ("sql.py:report", "dp(epsilon=1)", "REFUTED"),
    "coroutine over records": ("records.py:wards", "dp(epsilon=1)", "REFUTED"),
    "its safe twin of fixed words": ("records.py:fixed", "dp(epsilon=1)", "NOT_REFUTED"),
    "class of a table": ("whole.py:Report", "dp(epsilon=1)", "REFUTED"),
    "Spark-style function": ("jobs.py:truncate", "dp(epsilon=1)", "REFUTED"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_one_call_gives_a_verdict(folder, name):
    target, claim, verdict = COMMANDS[name]
    finding = cp.examine(target, claim, data="patients.csv", seed=1, runs=2000, search=0, isolate="none")
    assert finding.verdict.name == verdict, str(finding)


@pytest.mark.slow
def test_a_function_of_a_notebook_cell(folder):
    cell = {"__name__": "__main__"}
    exec(GROUPBY, cell)
    patients = pd.read_csv("patients.csv", dtype={"zip": str})
    finding = cp.examine(cell["suppress"], "dp(epsilon=1)", data=patients, seed=1, runs=2000, search=0)
    assert finding.verdict.name == "REFUTED"
    assert (
        cp.examine(cell["constant"], "dp(epsilon=1)", data=patients, runs=2000, search=0).verdict.name == "NOT_REFUTED"
    )


def command(folder, *arguments):
    ran = subprocess.run(
        [sys.executable, "-m", "crowdproof", "audit", *arguments, "--data", "patients.csv", "--seed", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.processes
@pytest.mark.parametrize("name", COMMANDS)
def test_one_command_gives_a_verdict(folder, name):
    target, claim, verdict = COMMANDS[name]
    code, shown = command(folder, target, "--claim", claim, "--runs", "4000", "--search", "0")
    assert (code, shown.split()[0]) == (1 if verdict == "REFUTED" else 0, verdict), shown


def test_the_safe_twin_in_sql(folder):
    options = {"deterministic": True, "runs": 60, "search": 0, "isolate": "none"}
    finding = cp.examine("sql.py:headline", "dp(epsilon=1)", data="patients.csv", seed=1, **options)
    assert finding.verdict.name == "NOT_REFUTED", str(finding)


class Service(BaseHTTPRequestHandler):
    """Takes the rows as JSON, as one that was written with FastAPI does, and answers with JSON."""

    def do_POST(self):
        rows = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = 422, b'{"detail":"no JSON"}'
        with contextlib.suppress(ValueError, TypeError, KeyError):
            zips = [each["zip"] for each in json.loads(rows)]
            counts = [{"zip": each, "n": zips.count(each)} for each in sorted(set(zips))]
            status, answer = 200, json.dumps(counts if self.path == "/counts" else {"note": "none"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("path", "verdict"), [("/counts", "REFUTED"), ("/note", "NOT_REFUTED")])
def test_a_service_that_takes_json(folder, path, verdict):
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        finding = cp.examine(
            f"http://127.0.0.1:{server.server_port}{path}",
            "dp(epsilon=1)",
            data="patients.csv",
            seed=1,
            runs=400,
            search=0,
            deterministic=True,
        )
        server.shutdown()
    assert finding.verdict.name == verdict, str(finding)


@pytest.mark.processes
def test_a_script_by_its_command(folder):
    target = f"{sys.executable} script.py {{input}} {{output}}"
    limits = ["--runs", "60", "--search", "0", "--deterministic"]
    code, shown = command(folder, target, "--claim", "dp(epsilon=1)", *limits)
    assert code == 1, shown


@pytest.mark.processes
@pytest.mark.parametrize(
    ("program", "code"), [('NR > 1 { n++ } END { print "n"; print n+0 }', 1), ('END { print "n"; print 7 }', 0)]
)
def test_a_program_in_another_language_by_its_command(folder, program, code):
    assert shutil.which("awk")
    (folder / "count.awk").write_text(program)
    limits = ["--runs", "200", "--search", "0", "--deterministic"]
    found, shown = command(folder, "command: awk -f count.awk {input}", "--claim", "dp(epsilon=1)", *limits)
    assert found == code, shown
