"""One misbehaving anonymizer in every shape: a function, a program, a program that stays up, a service."""

# ruff: noqa: T201, PTH123, SIM115, SIM113, B905

import csv
import ctypes
import http.server
import io
import json
import os
import random
import sys
import threading
import time
import urllib.parse


def act(table, mode="copy", *, seed):
    """`table` is a list of dicts."""
    print("a word on stdout or stderr", file=sys.stderr)
    if mode == "noisy":
        return [{"value": random.Random(seed).random()}]
    if mode == "refuse":
        raise ValueError("too few rows for k")
    if mode == "hang":
        time.sleep(600)
    if mode == "crash":
        ctypes.string_at(0)
    return table


def function(table: list, mode="copy", *, seed):
    print("a word on stdout")
    return act(table, mode, seed=seed)


def garbage(table, mode="copy"):
    return threading.Lock()


def _csv(rows, columns):
    out = io.StringIO()
    writer = csv.writer(out)
    names = list(rows[0]) if rows else columns
    writer.writerows([names, *([row[name] for name in names] for row in rows)])
    return out.getvalue()


def _run_csv(text, mode, seed):
    reader = csv.DictReader(io.StringIO(text))
    return _csv(act(list(reader), mode, seed=seed), reader.fieldnames)


def command(source, sink, mode, seed):
    if mode == "garbage":
        result = "a,b\n1,2\n3,4,5,6\n"
    elif mode == "nothing":
        return
    else:
        text = sys.stdin.read() if source == "-" else open(source).read()
        result = _run_csv(text, mode, seed)
    if sink == "-":
        sys.stdout.write(result)
    else:
        open(sink, "w").write(result)


def lines():
    seen = 0
    for line in sys.stdin:
        request = json.loads(line)
        mode, columns = request["params"].get("mode", "copy"), request["columns"]
        seen += 1
        if mode == "garbage":
            print("hello")
        elif mode == "counting":
            print(json.dumps({"value": seen}))
        else:
            try:
                rows = act([dict(zip(columns, row)) for row in request["rows"]], mode, seed=request["seed"])
                names = list(rows[0]) if rows else columns
                answer = {"columns": names, "rows": [[row[name] for name in names] for row in rows]}
            except ValueError as error:
                answer = {"error": str(error)}
            print(json.dumps(answer))
        sys.stdout.flush()


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        mode = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("mode", ["copy"])[0]
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if mode == "crash":
            self.connection.close()
            return
        if mode == "hang":
            time.sleep(3)
        try:
            body = "\x00broken" if mode == "garbage" else _run_csv(text, mode, int(self.headers["Crowdproof-Seed"]))
            status = 200
        except ValueError as error:
            status, body = 422, str(error)
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if mode == "garbage" else "text/csv")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if sys.argv[1] == "lines":
        lines()
    else:
        os.environ["PYTHONHASHSEED"]  # the seed of the run reaches it
        command(*sys.argv[2:5], int(sys.argv[5]))
