"""What a service may answer with: anything that is not plainly a whole release is no release."""

import gzip
import http.server
import threading

import polars as pl
import pytest
from raw_services import RawService, chunked, head, whole

from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.exchange import decode
from crowdproof.errors import NoReleaseError, TargetError

PEOPLE = pl.DataFrame({"age": [31, 47]})
CSV = b"answer\nconstant\n"
LOGIN = b"<html><form>please log in</form></html>"


@pytest.fixture
def answering():
    """Start a service that answers every request with these pieces, in these intervals; the target that asks it."""
    services = []

    def start(*pieces, pause=0.0, timeout=10.0):
        services.append(RawService(*pieces, pause=pause))
        return load_target(services[-1].url, timeout=timeout)

    yield start
    for each in services:
        each.close()


@pytest.mark.parametrize(
    "answer",
    [
        whole(CSV),
        whole(CSV, kind="text/csv; charset=utf-8"),
        whole(CSV, kind="Text/CSV; charset=US-ASCII", Content_Encoding="identity"),
        chunked(CSV[:5], CSV[5:]),
        b"HTTP/1.1 100 Continue\r\n\r\n" + whole(CSV),
        whole(b'{"columns": ["answer"], "rows": [["constant"]]}', kind="application/json"),
    ],
)
def test_a_whole_release_is_read(answer, answering):
    assert answering(answer).runs(PEOPLE, [1])[0].equals(pl.DataFrame({"answer": ["constant"]}))


BROKEN = {
    "a redirect": (head("302 Found", length=0, Location="/login"), "a redirect is not followed"),
    "a login page": (whole(LOGIN, kind="text/html"), "of type text/html and begins .*please log in"),
    "a picture": (whole(b"\x89PNG", kind="image/png"), "of type image/png"),
    "no type": (whole(CSV, kind=None), r"of type \(none\)"),
    "compressed": (whole(gzip.compress(CSV), Content_Encoding="gzip"), "Content-Encoding gzip"),
    "in UTF-16": (whole("answer\nconstant\n".encode("utf-16")), "is in UTF-16, by its byte order mark"),
    "in UTF-16 without a mark": (whole("answer\nconstant\n".encode("utf-16-le")), "zero bytes"),
    "JSON in UTF-16": (whole('{"value": 1}'.encode("utf-16"), kind="application/json"), "is in UTF-16"),
    "in another charset": (whole(CSV, kind="text/csv; charset=latin-1"), "in the charset 'latin-1'"),
    "another success": (whole(CSV, status="206 Partial Content"), "status 206"),
    "nothing": (head("204 No Content"), "status 204"),
    "cut short": (head(length=100) + CSV, "broke off its answer after 16 of 100 bytes"),
    "chunks cut short": (chunked(CSV, end=b""), "broke off its answer"),
    "no length": (head() + CSV, "does not say how long its answer is"),
    "two lengths": (head(length=5, content_length=16) + CSV, "does not say how long its answer is"),
    "deep JSON": (whole(b"[" * 100_000, kind="application/json"), "is not JSON"),
    "damaged Parquet": (whole(b"PAR1 rubbish PAR1", kind="application/vnd.apache.parquet"), "not a readable parquet"),
    "rubbish": (b"rubbish\r\n\r\n", "which is no status line"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_anything_else_is_no_release_and_says_why(kind, answering):
    answer, words = BROKEN[kind]
    with pytest.raises(TargetError, match=words) as caught:
        answering(answer).runs(PEOPLE, [1])
    assert not isinstance(caught.value, NoReleaseError)


def drip(content):
    return [bytes([each]) for each in content]


@pytest.mark.parametrize(
    "pieces",
    [drip(whole(CSV)), [b"HTTP/1.1 100 Continue\r\n\r\n"] * 60, [head(length=60), *drip(b"a\n" * 30)]],
    ids=["headers", "continue", "body"],
)
def test_one_time_limit_holds_for_an_answer_that_drips(pieces, answering):
    with pytest.raises(TargetError, match=r"gave no answer within 0\.5 s"):
        answering(*pieces, pause=0.05, timeout=0.5).runs(PEOPLE, [1])


def test_no_redirect_is_followed_even_to_a_release(answering):
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.path)

        def do_GET(self):
            asked.append(self.path)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    answer = head("307 Temporary Redirect", length=0, Location=f"http://127.0.0.1:{server.server_port}/")
    with pytest.raises(TargetError, match="status 307"):
        answering(answer).runs(PEOPLE, [1])
    server.shutdown()
    server.server_close()
    assert asked == []


@pytest.mark.parametrize("body", [b"<html><body>Please log in</body></html>", b"\n  <!DOCTYPE html>\nx", b" \n"])
def test_a_page_or_nothing_under_the_name_of_a_table_is_no_release(body):
    with pytest.raises(TargetError, match=r"is a page and no table|is empty"):
        decode(body, "csv", "the answer")


def test_a_table_whose_cells_look_like_a_page_is_one():
    assert decode(b"note\n<b>bold</b>\n", "csv", "the answer")["note"].to_list() == ["<b>bold</b>"]
