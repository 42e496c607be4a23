"""Inputs that nobody would write: samples of what a parser reads, cut, doubled, crossed and spoilt at random."""

import json
import random

TOKENS = (
    b"\x00", b"\xff", b"\n", b"\r\n", b"\t", b" " * 1600, b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"(", b")", b",",
    b":", b";", b"=", b"-", b"+", b".", b"/", b"*", b"#", b"%", b"::", b"##[", b"1e999999999", b"1e-999999999",
    b"9" * 5000, b"-1", b"0", b"1/0", b"0x10", b"nan", b"inf", b"-inf", b"NaN", b"Infinity", b"null", b"true", b"false",
    b"ln 3", b"ln(0)", b"ln ", b"exp", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b'"\\ud800"', b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"\x1b[2J", b"[" * 3000, b"(" * 3000, b'{"a":' * 3000, b"a" * 70_000, b"..", b"../../etc/passwd",
    b"1_000", b"\xd9\xa3", b"18446744073709551616", b"-9223372036854775809", b"1970-01-01", b"__class__", b"$ref",
)  # fmt: skip
"""What has broken parsers before: deep nesting, long runs of blanks, huge numbers, halves of characters."""
MOST_CHANGES = 6
"""Changes of one input: one or two reach what a parser does late, more what it does first."""
MOST_BYTES = 200_000
"""An input is not longer than this, so that a hundred thousand of them are read in minutes."""


def mutated(samples: list[bytes], rng: random.Random) -> bytes:
    """One of the samples, changed in a few places."""
    content = rng.choice(samples)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        content = rng.choice(_CHANGES)(content, samples, rng)[:MOST_BYTES]
    return content


def _place(content: bytes, rng: random.Random) -> int:
    return rng.randint(0, len(content))


def _span(content: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(content, rng)
    return start, min(len(content), start + rng.choice((1, 1, 2, 4, 8, 64)))


def _flip(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    if not content:
        return b"\x00"
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def _another_byte(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + rng.randbytes(end - start) + content[end:]


def _insert(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    place = _place(content, rng)
    return content[:place] + rng.choice(TOKENS) + content[place:]


def _replace(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + rng.choice(TOKENS) + content[end:]


def _remove(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + content[end:]


def _cut(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    return content[: _place(content, rng)]


def _double(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:end] + content[start:end] * rng.choice((1, 2, 100)) + content[end:]


def _cross(content: bytes, samples: list[bytes], rng: random.Random) -> bytes:
    other = rng.choice(samples)
    return content[: _place(content, rng)] + other[_place(other, rng) :]


_CHANGES = (_flip, _flip, _another_byte, _insert, _replace, _replace, _remove, _cut, _double, _cross)

LEAVES = (
    None, True, False, 0, -1, 3, 10**30, 10**4000, 0.5, 1e308, -0.0, "", "a", "0.5", "1/3", "1e-6", "-1", "1e999999999",
    "nan", "inf", "x" * 5000, "\ud800", "\x1b[2J", "\u202e", "a\nb", "::error::x", "<b>", "|", "`", [], {}, [[]],
    [None], {"kind": "table"}, {"kind": "array"}, [["a", 1]], {"low": "0", "high": "1"}, "table", "lookup", "dp",
    "refuted",
)  # fmt: skip
"""What stands in the place of another part of a JSON value."""


def mutated_json(samples: list[bytes], rng: random.Random) -> bytes:
    """One of the samples, which are JSON, with other values in a few places: much of that can still be read."""
    value = json.loads(rng.choice(samples))
    for _ in range(rng.randint(1, MOST_CHANGES)):
        value = _changed(value, rng)
    return json.dumps(value).encode()


def _changed(value, rng: random.Random):
    """The value with another one somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.97:
        return _changed_dict(value, rng)
    if isinstance(value, list) and value and rng.random() < 0.95:
        return _changed_list(value, rng)
    return rng.choice(LEAVES)


def _changed_dict(value, rng: random.Random):
    name, change = rng.choice(list(value)), rng.random()
    if change < 0.02:
        return {key: each for key, each in value.items() if key != name}
    if change < 0.03:
        return {**value, str(rng.choice(LEAVES))[:20]: rng.choice(LEAVES)}
    return {**value, name: _changed(value[name], rng)}


def _changed_list(value, rng: random.Random):
    place, change = rng.randrange(len(value)), rng.random()
    if change < 0.05:
        return value[:place] + value[place + 1 :]
    if change < 0.1:
        return [*value, *value[:place]]
    return [*value[:place], _changed(value[place], rng), *value[place + 1 :]]
