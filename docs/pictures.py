"""Makes the pictures of the README from a real run: `python docs/pictures.py` (needs chromium on the path)."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync", "--hide-scrollbars")
COLOURS = {"REFUTED": "bold red", "NOT_REFUTED": "bold blue", "PROVED": "bold green"}


def main() -> None:
    """Run the demo, photograph its report and its terminal."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        command = [sys.executable, "-m", "crowdproof", "demo", "--output", str(report)]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        picture = f"--screenshot={IMAGES / 'report.png'}"
        size = "--window-size=1000,900"
        subprocess.run(
            ["chromium", *QUIET, f"--user-data-dir={folder}/profile", picture, size, report.as_uri()],
            check=True,
        )
        terminal(shown.replace(str(report), report.name))


def terminal(shown: str) -> None:
    """The text as a terminal shows it, as SVG."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=104, file=nowhere)
        console.print(Text("$ make demo", style="bold"))
        text = Text(shown.rstrip())
        for word, style in COLOURS.items():
            text.highlight_regex(rf"\b{word}\b", style)
        console.print(text)
        drawn = console.export_svg(title="crowdproof")
    # without the fonts that rich would have the reader's browser fetch
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    (IMAGES / "terminal.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
