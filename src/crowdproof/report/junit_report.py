"""Findings as JUnit XML, which every CI system reads.

A refuted claim is a failure and one that could not be examined is an error. An undecided one is 'skipped': it neither
fails the build, just as the exit code is 0 without `--strict`, nor counts as passed. Nothing examined is an error.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET  # only writes

from crowdproof.findings import Finding, NotRefuted, Proved, Refuted, Skipped, Undecided
from crowdproof.report import wording
from crowdproof.report.text_report import render as plain_text

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def render(findings: Sequence[Finding]) -> str:
    """One suite with a test case for each finding."""
    cases = [_case(each) for each in findings] or [_nothing()]
    counts = {
        "tests": str(len(cases)),
        **{
            plural: str(sum(case.find(tag) is not None for case in cases))
            for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        },
        "time": f"{sum(each.cost.seconds for each in findings):.3f}",
    }
    suites = ET.Element("testsuites", {"name": "crowdproof", **counts})
    ET.SubElement(suites, "testsuite", {"name": "crowdproof", **counts}).extend(cases)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _case(finding: Finding) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=_clean(finding.subject),
        name=_clean(str(finding.claim)),
        time=f"{finding.cost.seconds:.3f}",
    )
    outcome = _clean(wording.sentence(finding))
    match finding.verdict:
        case Refuted():
            _told(case, "failure", outcome, finding)
        case Skipped():
            _told(case, "error", outcome, finding)
        case Undecided():
            ET.SubElement(case, "skipped", message=outcome)
        case Proved() | NotRefuted():
            pass
    ET.SubElement(case, "system-out").text = _clean(plain_text([finding]))
    return case


def _told(case: ET.Element, tag: str, outcome: str, finding: Finding) -> None:
    told = ET.SubElement(case, tag, message=outcome, type=finding.verdict.name)
    told.text = _clean(plain_text([finding]))


def _nothing() -> ET.Element:
    case = ET.Element("testcase", classname="crowdproof", name="claims were examined", time="0.000")
    ET.SubElement(case, "error", message="Nothing was examined.", type="NOTHING")
    return case


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
