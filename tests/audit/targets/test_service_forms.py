"""Services as people write them, with a body of JSON or an uploaded file: the form is found by asking."""

import contextlib
import io
import json
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import polars as pl
import pytest

from crowdproof.audit.targets import load_target
from crowdproof.errors import NoReleaseError, ParameterError, TargetError

PEOPLE = pl.DataFrame({"zip": ["02138", "02139", "02139"], "cost": [1.5, None, float("nan")]})
COUNTS = [("02138", 1), ("02139", 2)]


def counted(zips):
    return [{"zip": each, "n": zips.count(each)} for each in sorted(set(zips))]


def by_rows(kind, body):
    return counted([each["zip"] for each in json.loads(body)])


def by_field(kind, body):
    """As FastAPI answers where a field of a body is missing."""
    asked = json.loads(body)
    if not isinstance(asked, dict):
        raise ValueError(  # noqa: TRY004
            '{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be an object"}]}'
        )
    if "patients" not in asked:
        raise ValueError('{"detail":[{"type":"missing","loc":["body","patients"],"msg":"Field required"}]}')
    return counted([each["zip"] for each in asked["patients"]])


def by_upload(kind, body):
    if not kind.startswith("multipart/form-data"):
        raise ValueError('{"detail":[{"type":"missing","loc":["body","table_file"],"msg":"Field required"}]}')
    parts = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body).get_payload()
    files = {each.get_param("name", header="Content-Disposition"): each.get_payload(decode=True) for each in parts}
    if "table_file" not in files:
        raise ValueError('{"detail":[{"type":"missing","loc":["body","table_file"],"msg":"Field required"}]}')
    return counted(pl.read_csv(io.BytesIO(files["table_file"]), infer_schema=False)["zip"].to_list())


def by_csv(kind, body):
    return counted(pl.read_csv(io.BytesIO(body), infer_schema=False)["zip"].to_list())


def never(kind, body):
    raise ValueError("go away")


@contextlib.contextmanager
def serving(release):
    class Handler(BaseHTTPRequestHandler):
        asked = 0

        def do_POST(self):
            Handler.asked += 1
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status, answer = 200, json.dumps(release(self.headers["Content-Type"], body)).encode()
            except ValueError as error:
                status, answer = (
                    (422, str(error).encode()) if "detail" in str(error) else (500, b"Internal Server Error")
                )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/anonymize", Handler
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("release", "form"),
    [(by_csv, "csv"), (by_rows, "json"), (by_field, "json:patients"), (by_upload, "upload:table_file")],
)
def test_the_form_is_found_and_remembered(release, form):
    with serving(release) as (url, _):
        target = load_target(url)
        target.get_ready([PEOPLE])
        assert target.spec["form"] == form
        assert target.runs(PEOPLE, [1])[0].rows() == COUNTS
        again = load_target(**target.spec)
        assert again.runs(PEOPLE, [1])[0].rows() == COUNTS


def test_a_service_that_takes_no_form_is_asked_a_few_times_only_and_what_it_said_is_told():
    with serving(never) as (url, handler):
        target = load_target(url)
        for _ in range(10):
            with contextlib.suppress(TargetError):
                target.get_ready([PEOPLE])
        assert handler.asked <= 20
        with pytest.raises(TargetError, match=r"status 500.*as json, .* gave no\s+release either.*say so with --form"):
            load_target(url).get_ready([PEOPLE])


def test_a_service_that_refuses_the_table_has_refused():
    def refuses(kind, body):
        raise ValueError('{"detail":"too few people"}')

    with serving(refuses) as (url, _), pytest.raises(NoReleaseError, match="too few people"):
        load_target(url).get_ready([PEOPLE])


def test_where_nobody_answers_nothing_else_is_tried():
    with pytest.raises(TargetError, match=r"cannot be reached: .* See whether it is running there\.$"):
        load_target("http://127.0.0.1:9/x").get_ready([PEOPLE])


@pytest.mark.parametrize("form", ["xml", "json:", "csv:file", "upload:two words"])
def test_a_form_that_services_do_not_have_is_named(form):
    with pytest.raises(ParameterError, match=r"form is .*json:FIELD"):
        load_target("http://127.0.0.1:9/x", form=form)


@pytest.mark.parametrize("answer", [None, {}])
def test_an_empty_answer_is_no_release(answer):
    with serving(lambda *_: answer) as (url, _), pytest.raises(NoReleaseError, match="is empty"):
        load_target(url, form="json").runs(PEOPLE, [1])
