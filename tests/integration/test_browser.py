"""The HTML report in a real browser: it opens, works, fits, prints, and is usable by everyone."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from report.samples import SAMPLES

from crowdproof.claims import DP
from crowdproof.findings import Estimate, Event, Finding, PairWitness, Refuted, Table
from crowdproof.report import render
from crowdproof.report.html_report import fragment

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1200, "height": 900}
VIEWS = [(size, scheme) for size in (PHONE, DESKTOP) for scheme in ("light", "dark")]
pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render(SAMPLES, "html"), encoding="utf-8")
    return file


@pytest.fixture
def visit(browser):
    """Opens a file in a fresh window; whatever the browser complains of, or loads, fails the test."""
    windows, complaints = [], []

    def open_window(file: Path, *, complain: bool = True, **settings):
        window = browser.new_context(**{"viewport": DESKTOP, "color_scheme": "light", **settings})
        windows.append(window)
        page = window.new_page()
        if complain:
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda each: each.url in {file.as_uri(), "data:,"} or complaints.append(each.url))
        page.goto(file.as_uri())
        return page

    yield open_window
    for window in windows:
        window.close()
    assert complaints == []


def visible(page, selector):
    return [each for each in page.locator(selector).all() if each.is_visible()]


def unfold(page):
    page.get_by_role("button", name="Unfold all").click()


def violations(page):
    """What axe-core finds of serious or critical weight."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return {
        each["id"]: [node["html"] for node in each["nodes"]]
        for each in found
        if each["impact"] in {"serious", "critical"}
    }


@pytest.mark.parametrize(("size", "scheme"), VIEWS)
def test_every_section_is_present_and_nothing_sticks_out(visit, report, size, scheme):
    page = visit(report, viewport=size, color_scheme=scheme)
    assert page.title() == "4 of 9 claims are refuted. – Crowdproof"
    unfold(page)
    assert len(visible(page, ".finding")) == len(SAMPLES)
    for title in ("What is claimed", "What refutes it", "How sure, and at what cost", "See it again"):
        assert visible(page, f"h3:text-is('{title}')")
    assert len(visible(page, "svg.chart")) == 4
    assert len(visible(page, "svg.bars")) == 2
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


@pytest.mark.parametrize(("size", "scheme"), VIEWS)
def test_axe_finds_nothing_serious(visit, report, size, scheme):
    page = visit(report, viewport=size, color_scheme=scheme)
    assert violations(page) == {}
    unfold(page)
    for each in page.locator("details.data > summary").all():
        each.click()
    assert violations(page) == {}


def test_axe_would_find_something(visit, tmp_path):
    (tmp_path / "bad.html").write_text(
        '<!doctype html><html><title>t</title><main><h1>h</h1><p style="color:#ccc">pale</p><button></button></main>',
        encoding="utf-8",
    )
    assert {"color-contrast", "button-name", "html-has-lang"} <= set(
        violations(visit(tmp_path / "bad.html", complain=False))
    )


def test_the_verdicts_filter_the_findings(visit, report):
    page = visit(report)
    for label, number in (("Refuted 4", 4), ("Proved 2", 2), ("Undecided 1", 1), ("All 9", 9)):
        chip = page.get_by_role("button", name=re.compile(rf"^\W*{label}$"))
        chip.click()
        assert chip.get_attribute("aria-pressed") == "true"
        assert page.locator("[aria-pressed=true]").count() == 1
        assert len(visible(page, ".finding")) == number
        assert page.get_by_role("status").inner_text() == f"{number} of 9 findings shown"


def test_a_section_opens_and_closes_by_keyboard(visit, report):
    page = visit(report)
    section = page.locator("#finding-2 > details")
    section.locator("> summary").focus()
    for key, state in (("Enter", True), ("Space", False)):
        page.keyboard.press(key)
        assert section.evaluate("each => each.open") is state


def test_every_control_is_reached_by_tab_alone(visit, report):
    page = visit(report)
    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "document.activeElement === document.body ? '' : document.activeElement.textContent.trim()"
        )
        if not name:
            break
        reached.add(name)
    controls = page.locator("button:visible, summary:visible").all()
    assert {each.text_content().strip() for each in controls} <= reached


def test_unfold_all_and_fold_all(visit, report):
    page = visit(report)
    unfold(page)
    assert page.locator(".finding > details:not([open])").count() == 0
    page.get_by_role("button", name="Fold all").click()
    assert page.locator(".finding > details[open]").count() == 0


def brightness(page):
    return sum(map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]))


def test_the_colours_follow_the_system_and_then_the_reader(visit, report):
    page = visit(report, color_scheme="dark")
    assert brightness(page) < 150
    page.get_by_role("button", name="Switch to light colours").click()
    assert brightness(page) > 600
    page.reload()
    assert brightness(page) > 600
    page.get_by_role("button", name="Switch to dark colours").click()
    assert brightness(page) < 150


def test_the_command_is_copied(visit, report):
    page = visit(report, permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("#finding-1 .copy")
    button.click()
    button.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == SAMPLES[0].reproduce.command


def test_the_numbers_of_a_chart_can_be_read(visit, report):
    page = visit(report)
    numbers = page.locator("#finding-1 figure details.data").first
    numbers.locator("summary").click()
    rows = numbers.locator("tbody tr")
    assert rows.last.inner_text().split("\t")[:3] == ["claimed", "1", "0.0193"]


@pytest.mark.parametrize(("size", "media"), [(PHONE, "screen"), (DESKTOP, "screen"), (DESKTOP, "print")])
def test_rows_of_several_columns_are_not_cut_off(visit, tmp_path, size, media):
    row = {"name": "Ada Lovelace", "zip": "02138", "sex": "F", "age": "30", "diagnosis": "fracture of the left radius"}
    sure = Estimate.exactly(Fraction(1))
    refuted = Refuted(PairWitness([row] * 5, [row] * 4, Event("any"), sure, sure, sure))
    file = tmp_path / "wide.html"
    file.write_text(render([Finding("clinic", DP("1"), refuted)], "html"), encoding="utf-8")
    page = visit(file, viewport=size)
    page.emulate_media(media=media)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    boxes = page.locator(".pair .scroll").all()
    assert len(boxes) == 2
    for box in boxes:
        assert box.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_a_link_to_a_section_opens_it(visit, report):
    page = visit(report)
    page.evaluate("location.hash = '#finding-4'")
    page.locator("#finding-4 > details[open]").wait_for()


def test_paper_shows_every_section_in_dark_ink(visit, report):
    tables = [each for finding in SAMPLES for each in finding.evidence if isinstance(each, Table)]
    page = visit(report, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".finding > details:not([open])").count() == 0
    assert visible(page, "button") == []
    assert len(visible(page, "section.table tbody tr")) == sum(len(each.rows) for each in tables)
    assert sum(map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).color")))) < 150
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".finding > details[open]").count() == 1
    assert page.pdf().startswith(b"%PDF")


def test_it_can_be_read_without_scripts(visit, report):
    page = visit(report, java_script_enabled=False)
    assert len(visible(page, ".finding")) == len(SAMPLES)
    assert visible(page, "button") == []
    page.locator("#finding-3 > details > summary").click()
    assert page.get_by_text("119/5120").is_visible()


def test_a_foreign_script_does_not_run(visit, tmp_path):
    page = render(SAMPLES, "html").replace("<main>", '<main><script>document.title = "taken"</script>', 1)
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    assert visit(tmp_path / "report.html", complain=False).title() != "taken"


@pytest.mark.parametrize(("size", "scheme"), VIEWS)
def test_a_notebook_cell_fits_and_is_accessible(visit, tmp_path, size, scheme):
    cells = "".join(fragment(each) for each in SAMPLES[:3])
    frame = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>notebook</title><main><h1>n</h1>{cells}</main>'
    )
    (tmp_path / "cell.html").write_text(frame, encoding="utf-8")
    page = visit(tmp_path / "cell.html", viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert violations(page) == {}


def test_an_empty_report_says_so(visit, tmp_path):
    (tmp_path / "empty.html").write_text(render([], "html"), encoding="utf-8")
    page = visit(tmp_path / "empty.html")
    assert page.get_by_role("heading", name="Nothing was examined.").is_visible()
    assert violations(page) == {}
