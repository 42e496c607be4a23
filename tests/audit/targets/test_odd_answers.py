"""Odd answers of a service: each is the release that was sent, or an error in one sentence, and never another release.

All services here listen on 127.0.0.1.
"""

import itertools
import sys
import time

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_services import chunked, endless, head, in_chunks, serving, whole

from crowdproof.audit.targets import load_target
from crowdproof.cli import main
from crowdproof.errors import ExitCode, NoReleaseError, ParameterError, TargetError

PEOPLE = pl.DataFrame({"age": [31, 47]})
CSV = b"name,age\nann,[30; 40)\ncyd,\n"
RELEASE = pl.DataFrame({"name": ["ann", "cyd"], "age": ["[30; 40)", None]})
JSON = b'{"columns": ["name", "age"], "rows": [["ann", "[30; 40)"], ["cyd", null]]}'
N = len(CSV)


@pytest.fixture(scope="module")
def service():
    with serving() as started:
        yield started


def released(service, *pieces, timeout=10.0):
    """What the target makes of this answer."""
    service.pieces = pieces
    return load_target(service.url, timeout=timeout).runs(PEOPLE, [1])[0]


def raw(*lines, body=b"", end=b"\r\n"):
    """A head of these lines as they are, and a body."""
    return end.join([*lines, b"", body])


OK, TYPE, LENGTH = b"HTTP/1.1 200 OK", b"Content-Type: text/csv", b"Content-Length: %d" % N

WHOLE = {
    "a length": whole(CSV),
    "a length with zeros before it": head(length=f"000{N}") + CSV,
    "the same length twice": head(length=N, content_length=N) + CSV,
    "lines that end in LF": raw(OK, TYPE, LENGTH, body=CSV, end=b"\n"),
    "names in capitals": raw(OK, TYPE.upper(), LENGTH.upper(), body=CSV),
    "no blank after the colon": raw(OK, b"Content-Type:text/csv", LENGTH, body=CSV),
    "blanks and tabs around a value": raw(OK, b"Content-Type: \t text/csv \t", LENGTH, body=CSV),
    "no reason": raw(b"HTTP/1.1 200", TYPE, LENGTH, body=CSV),
    "an empty reason": raw(b"HTTP/1.1 200 ", TYPE, LENGTH, body=CSV),
    "a reason that is no ASCII": raw(b"HTTP/1.1 200 \xc3\x96K", TYPE, LENGTH, body=CSV),
    "HTTP/1.0": raw(b"HTTP/1.0 200 OK", TYPE, LENGTH, body=CSV),
    "a header that is no ASCII": raw(OK, b"X-Name: Jos\xe9", TYPE, LENGTH, body=CSV),
    "an empty header": raw(OK, b"X-Empty:", TYPE, LENGTH, body=CSV),
    "99 headers": raw(OK, *[b"X-%d: 1" % i for i in range(97)], TYPE, LENGTH, body=CSV),
    "a long header": raw(OK, b"X-Long: " + b"x" * 60_000, TYPE, LENGTH, body=CSV),
    "a type in capitals": whole(CSV, kind="TEXT/CSV"),
    "a charset in quotes": whole(CSV, kind='text/csv; charset="UTF-8"'),
    "other parameters": whole(CSV, kind='text/csv;header=present; x="a;\\"b" ;charset=utf-8;'),
    "the same type twice": raw(OK, TYPE, TYPE, LENGTH, body=CSV),
    "no compression": whole(CSV, Content_Encoding="Identity"),
    "a byte order mark": whole(b"\xef\xbb\xbf" + CSV),
    "JSON": whole(JSON, kind="application/json"),
    "JSON with a byte order mark": whole(b"\xef\xbb\xbf" + JSON, kind="application/json; charset=utf-8"),
    "continue first": b"HTTP/1.1 100 Continue\r\n\r\n" + whole(CSV),
    "hints first": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + whole(CSV),
    "chunks": chunked(CSV[:5], CSV[5:]),
    "a chunk for each byte": chunked(*(CSV[i : i + 1] for i in range(N))),
    "a chunk with an extension": head(Transfer_Encoding="chunked") + b'%X ; a="b"\r\n%s\r\n0;x\r\n\r\n' % (N, CSV),
    "a size with zeros before it": head(Transfer_Encoding="Chunked") + b"000000%x\r\n%s\r\n000\r\n\r\n" % (N, CSV),
    "trailers": chunked(CSV, end=b"0\r\nExpires: never\r\nX: y\r\n\r\n"),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_release_is_read_however_it_is_framed(kind, service):
    assert released(service, WHOLE[kind]).equals(RELEASE)


def with_length(text):
    return head(length=text) + CSV


def in_coding(text, **more):
    return head(Transfer_Encoding=text, **more) + in_chunks(CSV)


def with_type(text):
    return whole(CSV, kind=text)


BROKEN = {
    # the status line
    "no answer": (b"", "broke off its answer before the end of its head"),
    "an empty line": (b"\r\n", "is no status line"),
    "a banner of another protocol": (b"SSH-2.0-OpenSSH_9.6\r\n", "'SSH-2.0-OpenSSH_9.6', which is no status line"),
    "bytes": (bytes(range(1, 200)) + b"\n\n", "is no status line"),
    "zero bytes": (bytes(300), "broke off its answer before the end of its head"),
    "HTTP/0.9": (CSV, "'name,age', which is no status line"),
    "HTTP/2": (raw(b"HTTP/2 200 OK", TYPE, LENGTH, body=CSV), "is no status line"),
    "no number": (raw(b"HTTP/1.1 fine", TYPE, LENGTH, body=CSV), "is no status line"),
    "a status with a sign": (raw(b"HTTP/1.1 +200 OK", TYPE, LENGTH, body=CSV), "is no status line"),
    "a status of four digits": (raw(b"HTTP/1.1 0200 OK", TYPE, LENGTH, body=CSV), "is no status line"),
    "a status with an underscore": (raw(b"HTTP/1.1 2_00 OK", TYPE, LENGTH, body=CSV), "is no status line"),
    "an endless status line": (b"HTTP/1.1 200 " + b"x" * 70_000, "a line of more than 65,536 bytes"),
    "only a status line": (b"HTTP/1.1 200 OK\r\n", "before the end of its head"),
    "a status that is none": (raw(b"HTTP/1.1 999 Odd", TYPE, LENGTH, body=CSV), "status 999 Odd"),
    "another protocol": (raw(b"HTTP/1.1 101 Switching Protocols", b"Upgrade: x"), "status 101"),
    # headers
    "a header without a colon": (raw(OK, TYPE, b"nonsense", LENGTH, body=CSV), "'nonsense' among the headers"),
    "a header without a name": (raw(OK, TYPE, b": x", LENGTH, body=CSV), "': x' among the headers"),
    "a blank before the colon": (raw(OK, b"Content-Length : 3", TYPE, body=CSV), "among the headers"),
    "a header that goes on": (raw(OK, TYPE, b"X: 1", b" Content-Length: 3", LENGTH, body=CSV), "among the headers"),
    "a name that is no ASCII": (raw(OK, TYPE, b"N\xe4me: x", LENGTH, body=CSV), "among the headers"),
    "a zero byte in a header": (raw(OK, TYPE, b"X: a\0b", LENGTH, body=CSV), "among the headers"),
    "a carriage return in a header": (raw(OK, TYPE, b"X: a\rContent-Length: 3", LENGTH, body=CSV), "among the headers"),
    "an escape in a header": (raw(OK, TYPE, b"X: \x1b[2J", LENGTH, body=CSV), "among the headers"),
    "a head that breaks off": (b"\r\n".join([OK, TYPE, LENGTH]), "before the end of its head"),
    "a head without its empty line": (raw(OK, TYPE, LENGTH)[:-2], "before the end of its head"),
    "101 headers": (raw(OK, *[b"X: 1"] * 99, TYPE, LENGTH, body=CSV), "more than 100 headers"),
    "100,000 headers": (raw(OK, *[b"X: 1"] * 100_000, TYPE, LENGTH, body=CSV), "more than 100 headers"),
    "a header of a megabyte": (raw(OK, TYPE, b"X: " + b"x" * 2**20, LENGTH, body=CSV), "more than 65,536 bytes"),
    # its type
    "an empty type": (raw(OK, b"Content-Type:", LENGTH, body=CSV), "the Content-Type '', which cannot be read"),
    "half a type": (with_type("csv"), "the Content-Type 'csv', which cannot be read"),
    "two types": (raw(OK, TYPE, b"Content-Type: text/html", LENGTH, body=CSV), "'text/csv' and 'text/html'"),
    "a list of types": (with_type("text/csv, text/html"), "which cannot be read"),
    "a parameter without a value": (with_type("text/csv; charset"), "which cannot be read"),
    "a charset without a value": (with_type("text/csv; charset="), "which cannot be read"),
    "a quote that is not closed": (with_type('text/csv; charset="utf-8'), "which cannot be read"),
    "a type that is no ASCII": (with_type("text/csv; charset=\xfc"), "which cannot be read"),
    "an empty charset": (with_type('text/csv; charset=""'), "in the charset ''"),
    "a charset that nobody knows": (with_type("text/csv; charset=x-none"), "in the charset 'x-none'"),
    "two charsets": (with_type("text/csv; charset=utf-8; charset=utf-16"), "in the charset 'utf-16'"),
    "an encoded charset": (with_type("text/csv; charset*=%ff''%ff"), "in the charset .%ff''%ff"),
    "a charset in pieces": (with_type("text/csv; charset*0=utf; charset*1=-8"), "in the charset"),
    "a page": (whole(b"<h1>down\x1b[2J</h1>", kind="text/html"), r"begins '<h1>down\?\[2J</h1>'"),
    # its length
    "an empty length": (with_length(""), "does not say how long its answer is"),
    "a length with a sign": (with_length(f"+{N}"), "does not say how long its answer is"),
    "a negative length": (with_length("-1"), "does not say how long its answer is"),
    "a length in hexadecimal": (with_length(hex(N)), "does not say how long its answer is"),
    "a length with an underscore": (with_length("2_8"), "does not say how long its answer is"),
    "a length with a point": (with_length(f"{N}.0"), "does not say how long its answer is"),
    "a list of lengths": (with_length(f"{N}, {N}"), "does not say how long its answer is"),
    "digits that are no ASCII": (with_length("\xb2\xb3"), "does not say how long its answer is"),
    "a length of a terabyte": (with_length(2**40), "more than 1,024 MiB"),
    "a length of 30 digits": (with_length("9" * 30), "more than 1,024 MiB"),
    "a length of 6,000 digits": (with_length("9" * 6_000), "more than 1,024 MiB"),
    "a length of nothing": (with_length(0), "sent bytes after the 0"),
    "a length that is too short": (with_length(N - 1), f"sent bytes after the {N - 1}"),
    "a length that is too long": (with_length(N + 1), f"broke off its answer after {N} of {N + 1} bytes"),
    "a length in characters": (head(length=9) + "näme\nann\n".encode(), "sent bytes after the 9"),
    "an empty release": (whole(b""), "is empty"),
    # its coding
    "compressed chunks": (in_coding("gzip, chunked"), "the Transfer-Encoding 'gzip, chunked'"),
    "chunks compressed": (in_coding("chunked, gzip"), "the Transfer-Encoding 'chunked, gzip'"),
    "chunks of chunks": (in_coding("chunked, chunked"), "the Transfer-Encoding 'chunked, chunked'"),
    "chunks twice": (in_coding("chunked", transfer_encoding="chunked"), "the Transfer-Encoding 'chunked, chunked'"),
    "an unknown coding": (in_coding("x"), "the Transfer-Encoding 'x'"),
    "an empty coding": (in_coding(""), "the Transfer-Encoding ''"),
    "a coding and a length": (head(length=N, Transfer_Encoding="gzip") + CSV, "the Transfer-Encoding 'gzip'"),
    "chunks and a length": (in_coding("chunked", Content_Length=N), "a Content-Length and chunks at once"),
    "compressed twice": (whole(CSV, Content_Encoding="identity, br"), "the Content-Encoding br"),
    "compressed in a second header": (
        whole(CSV, Content_Encoding="identity", content_encoding="gzip"),
        "the Content-Encoding gzip",
    ),
    # its chunks
    "no last chunk": (chunked(CSV, end=b""), "between or within its chunks"),
    "half of the last chunk": (chunked(CSV, end=b"0"), "between or within its chunks"),
    "a last chunk without its end": (chunked(CSV, end=b"0\r\n"), "between or within its chunks"),
    "a last chunk with half of its end": (chunked(CSV, end=b"0\r\n\r"), "between or within its chunks"),
    "trailers without their end": (chunked(CSV, end=b"0\r\nX: y\r\n"), "between or within its chunks"),
    "endless trailers": (chunked(CSV, end=b"0\r\n" + b"X: y\r\n" * 1000), "more than 100 lines after the last chunk"),
    "bytes after the last chunk": (chunked(CSV, end=b"0\r\n\r\nmore"), "sent bytes after"),
    "a chunk without its end": (in_coding("chunked")[: -len(b"\r\n0\r\n\r\n")], "between or within its chunks"),
    "a chunk cut short": (in_coding("chunked")[:-12], "broke off its answer after 22 of 27 bytes"),
    "a chunk that is longer than its size": (chunked(end=b"5\r\n%s\r\n0\r\n\r\n" % CSV), "its chunks"),
    "a chunk that is shorter than its size": (chunked(end=b"1d\r\n%s\r\n0\r\n\r\n" % CSV), "its chunks"),
    "a size with a sign": (chunked(end=b"+%x\r\n%s\r\n0\r\n\r\n" % (N, CSV)), "its chunks"),
    "a size with a prefix": (chunked(end=b"0x%x\r\n%s\r\n0\r\n\r\n" % (N, CSV)), "its chunks"),
    "a negative size": (chunked(end=b"-1\r\n%s\r\n0\r\n\r\n" % CSV), "its chunks"),
    "a size that is none": (chunked(end=b"big\r\n%s\r\n0\r\n\r\n" % CSV), "its chunks"),
    "an empty size": (chunked(end=b"\r\n%s\r\n0\r\n\r\n" % CSV), "its chunks"),
    "a size of a terabyte": (chunked(end=b"ffffffffff\r\n%s" % CSV), "more than 1,024 MiB"),
    "a size of 5,000 digits": (chunked(end=b"f" * 5_000 + b"\r\n%s" % CSV), "more than 1,024 MiB"),
    "a size of 100,000 digits": (chunked(end=b"0" * 100_000 + b"\r\n%s" % CSV), "its chunks"),
    "no chunks at all": (head(Transfer_Encoding="chunked") + CSV, "its chunks"),
    # a table as JSON
    "rows that are no lists": (whole(b'{"columns": ["a"], "rows": [1]}', kind="application/json"), "a list of 1 cells"),
    "a row that is too long": (whole(b'{"columns": [], "rows": [[1]]}', kind="application/json"), "a list of 0 cells"),
    "columns that are no names": (whole(b'{"columns": [1], "rows": []}', kind="application/json"), "which is text"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_doubtful_answer_is_no_release_and_says_why_in_one_sentence(kind, service):
    answer, words = BROKEN[kind]
    with pytest.raises(TargetError, match=words) as caught:
        released(service, answer)
    assert not isinstance(caught.value, NoReleaseError)
    assert_sentence(str(caught.value), service)


def assert_sentence(text, service):
    assert text.startswith((service.url, f"the answer of {service.url}"))
    assert text.isprintable()
    assert text.endswith((".", ".)"))
    assert len(text) < 800


def test_there_are_many_kinds_of_odd_answers():
    assert len(BROKEN) > 60
    assert len(WHOLE) > 20


REFUSALS = [
    whole(b"too few rows\x1b[2J", status="422 No", kind="text/plain"),
    head("400 Bad Request", length="-5") + b"too few rows?[2J",
    head("422 No", Transfer_Encoding="chunked") + in_chunks(b"too few rows?[2J", end=b""),
    head("422 No", kind="nonsense") + b"too few rows?[2J",
    head("422", length=16) + b"too few rows?[2J",
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refusal_is_one_whatever_the_head_says_of_its_words(answer, service):
    with pytest.raises(NoReleaseError, match=r"status (400 Bad Request|422 No|422): too few rows\?\[2J$"):
        released(service, answer)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified", "302 Found", "500 Oops", "429 Slow"])
def test_any_other_status_is_no_release_even_with_the_release_in_it(status, service):
    with pytest.raises(TargetError, match=f"status {status}") as caught:
        released(service, whole(CSV, status=status))
    assert not isinstance(caught.value, NoReleaseError)


@pytest.mark.parametrize("answer", [whole(CSV), chunked(CSV[:5], CSV[5:], end=b"0\r\nX: y\r\n\r\n")], ids=len)
def test_no_beginning_of_an_answer_is_taken_for_it(answer, service):
    assert released(service, answer).equals(RELEASE)
    for length in range(len(answer)):
        with pytest.raises(TargetError):
            released(service, answer[:length])


TOKENS = st.sampled_from([bytes([each]) for each in b'\0\t\r\n :;,"=09-a\xff'] + [b"\r\n", b"\r\n\r\n"])


@st.composite
def frames(draw):
    """An answer with the release, as pieces: those at odd places are its content, the others what frames it."""
    extra = draw(st.lists(st.sampled_from([b"X: 1", b"Server: a/1.0", b"Connection: keep-alive"]), max_size=3))
    kind = draw(st.sampled_from([b"text/csv", b"text/csv; charset=utf-8", b"text/csv;header=present"]))
    lines = [OK, *extra, b"Content-Type: " + kind]
    if draw(st.booleans()):
        return [raw(*lines, LENGTH), CSV]
    cuts = sorted({0, N, *draw(st.lists(st.integers(1, N), max_size=3))})
    parts = [CSV[start:end] for start, end in itertools.pairwise(cuts)]
    pieces, before = [], raw(*lines, b"Transfer-Encoding: chunked")
    for part in parts:
        pieces += [before + b"%x\r\n" % len(part), part]
        before = b"\r\n"
    return [*pieces, b"\r\n0\r\n\r\n"]


@st.composite
def damaged(draw):
    """The same with some bytes of a frame taken out, put in, or turned into others, and cut short or not."""
    pieces = draw(frames())
    for _ in range(draw(st.integers(1, 3))):
        which = 2 * draw(st.integers(0, (len(pieces) - 1) // 2))
        place = draw(st.integers(0, len(pieces[which])))
        taken = draw(st.integers(0, 4))
        put = b"".join(draw(st.lists(TOKENS, max_size=3)))
        pieces[which] = pieces[which][:place] + put + pieces[which][place + taken :]
    answer = b"".join(pieces)
    return answer[: draw(st.integers(0, len(answer)))] if draw(st.booleans()) else answer


@settings(max_examples=60)
@given(pieces=frames())
def test_a_release_is_read_in_any_frame(pieces, service):
    assert released(service, b"".join(pieces)).equals(RELEASE)


@settings(max_examples=600)
@given(answer=damaged())
def test_a_release_in_a_damaged_frame_is_itself_or_an_error_in_one_sentence(answer, service):
    try:
        found = released(service, answer)
    except TargetError as error:
        assert_sentence(str(error), service)
        return
    assert found.equals(RELEASE)


@settings(max_examples=200)
@given(content=st.binary(max_size=300))
def test_any_bytes_at_all_are_no_release(content, service):
    with pytest.raises(TargetError):
        released(service, content)


@settings(max_examples=200)
@given(value=st.text(st.characters(min_codepoint=9, max_codepoint=255, exclude_characters="\r\n"), max_size=40))
@pytest.mark.parametrize("name", ["Content-Type", "Content-Length", "Transfer-Encoding", "Content-Encoding"])
def test_any_value_of_a_header_is_understood_or_refused(name, value, service):
    headers = {"Content-Type": "text/csv", "Content-Length": str(N)} | {name: value}
    if name == "Transfer-Encoding":
        del headers["Content-Length"]
    lines = [f"{each}: {text}".encode("iso-8859-1") for each, text in headers.items()]
    try:
        found = released(service, raw(OK, *lines, body=CSV))
    except TargetError as error:
        assert_sentence(str(error), service)
        return
    assert found.equals(RELEASE)


def drip(content):
    return [bytes([each]) for each in content]


SLOW = {
    "a status line": (drip(whole(CSV)), 0.05),
    "headers": ([b"HTTP/1.1 200 OK\r\n", *[b"X: 1\r\n"] * 90], 0.05),
    "continue": (endless(b"HTTP/1.1 100 Continue\r\n\r\n"), 0.05),
    "a body": ([head(length=600), *drip(b"a\n" * 300)], 0.05),
    "chunks": ([head(Transfer_Encoding="chunked"), *[b"1\r\na\r\n"] * 300], 0.05),
    "trailers": ([chunked(CSV, end=b"0\r\n"), *[b"X: y\r\n"] * 90], 0.05),
    "an error page": ([head("503 Busy", Transfer_Encoding="chunked") + b"ff\r\n", *drip(b"x" * 200)], 0.05),
    "nothing": ([b""], 3),
}


@pytest.mark.parametrize("kind", SLOW)
def test_one_time_limit_holds_for_all_of_an_answer(kind):
    pieces, pause = SLOW[kind]
    words = "status 503" if kind == "an error page" else r"gave no answer within 0\.5 s"
    with serving(*([] if kind == "continue" else pieces), pause=pause) as service:
        service.pieces = pieces
        start = time.monotonic()
        with pytest.raises(TargetError, match=words):
            load_target(service.url, timeout=0.5).runs(PEOPLE, [1])
        assert time.monotonic() - start < 2.5


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", "more than 100 interim answers"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "more than 100 interim answers"),
        (b"x" * 1000, "a line of more than 65,536 bytes"),
    ],
)
def test_an_endless_answer_ends_also_without_a_time_limit(piece, words):
    with serving() as service:
        service.pieces = endless(piece)
        with pytest.raises(TargetError, match=words):
            load_target(service.url, timeout=None).runs(PEOPLE, [1])


def test_a_service_that_keeps_the_connection_open_is_not_waited_for():
    """A client may be told where an answer ends, and the end of the connection is something else."""
    with serving(whole(CSV), b"", pause=2.0) as service:
        start = time.monotonic()
        assert load_target(service.url, timeout=10).runs(PEOPLE, [1])[0].equals(RELEASE)
        assert time.monotonic() - start < 1.5


ADDRESSES = [
    ("http://[::1", "cannot be read"),
    ("http://[nonsense]/", "cannot be read"),
    ("http://127.0.0.1:http/", "cannot be read"),
    ("http://127.0.0.1:99999/", "cannot be read"),
    ("http://127.0.0.1:-1/", "cannot be read"),
    ("http://127.0.0.1:8_0/", "cannot be read"),
    ("http://a..b/", "cannot be read"),
    (f"http://{'a' * 64}.example/", "cannot be read"),
    ("http://", "names no host"),
    ("http:127.0.0.1", "names no host"),
    ("http:///x", "names no host"),
    ("http://:80/", "names no host"),
    ("http://ann:secret@127.0.0.1/", "write it without them"),
    ("http://127.0.0.1/\0", "holds a character"),
    ("http://127.0.0.1/a b", "holds a character"),
    ("http://127.0.0.1/\r\nX: y", "holds a character"),
    ("http://127.0.0.1/é", "holds a character"),
    ("http://127.0.0.1/?q=\x7f", "holds a character"),
]


@pytest.mark.parametrize(("address", "words"), ADDRESSES)
def test_an_address_that_is_none_is_refused_before_anything_is_sent(address, words):
    with pytest.raises(ParameterError, match=words) as caught:
        load_target(address)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_parameter_that_is_no_text_is_refused():
    with pytest.raises(ParameterError, match="not Unicode"):
        load_target("http://127.0.0.1/", params={"k": "\ud800"})


PROXIES = [
    "http://[::1",
    "http://127.0.0.1:http",
    "http:nonsense",
    "socks5://127.0.0.1:1",
    "ftp://127.0.0.1:1",
    "http://127.0.0.1:99999",
    "file:///etc/hostname",
]


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_proxy_that_is_none_is_an_error_of_the_target(proxy, service, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(TargetError, match=r"the proxy that the environment names|cannot be reached") as caught:
        released(service, whole(CSV))
    assert_sentence(str(caught.value), service)


def test_a_proxy_is_used_and_can_be_left_out(service, monkeypatch):
    with serving(whole(b"name\nproxy\n")) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("no_proxy", "")
        assert released(service, whole(CSV))["name"].to_list() == ["proxy"]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert released(service, whole(CSV)).equals(RELEASE)


def audited(monkeypatch, capsys, folder, *arguments):
    """The command line on a table of people: the exit code, and what it wrote."""
    (folder / "people.csv").write_text("age\n31\n47\n52\n")
    options = ["--claim", "dp(epsilon=1)", "--data", str(folder / "people.csv"), "--runs", "200", "--search", "0"]
    monkeypatch.setattr(sys, "argv", ["crowdproof", "audit", *arguments, *options])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, *capsys.readouterr()


THROUGH_THE_DOOR = [
    "bytes",
    "a header without a colon",
    "a length of 6,000 digits",
    "compressed chunks",
    "an empty charset",
    "a last chunk without its end",
    "a size of 5,000 digits",
    "no answer",
]


@pytest.mark.parametrize("kind", THROUGH_THE_DOOR)
def test_the_command_line_skips_with_a_sentence(kind, service, monkeypatch, capsys, tmp_path):
    answer, words = BROKEN[kind]
    service.pieces = [answer]
    code, out, err = audited(monkeypatch, capsys, tmp_path, service.url)
    shown = " ".join(out.split())
    assert code == ExitCode.BROKEN
    assert shown.startswith("SKIPPED")
    assert words.replace("\\", "") in shown
    assert "internal error" not in out + err
    assert "Traceback" not in out + err


def test_the_command_line_audits_a_service_that_answers_well(service, monkeypatch, capsys, tmp_path):
    service.pieces = [WHOLE["a chunk with an extension"]]
    code, out, _ = audited(monkeypatch, capsys, tmp_path, service.url)
    assert code == ExitCode.HELD
    assert out.startswith("NOT_REFUTED")


def test_the_command_line_refuses_an_address_that_is_none(monkeypatch, capsys, tmp_path):
    code, out, err = audited(monkeypatch, capsys, tmp_path, "http://[::1")
    assert (code, out) == (ExitCode.USAGE, "")
    assert "cannot be read" in err
    assert "internal error" not in err
