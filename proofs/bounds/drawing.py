"""Tables and charts as files: CSV always, SVG and PNG by matplotlib."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crowdproof.errors import ParameterError
from crowdproof.findings import Chart, Table
from crowdproof.proofs.bounds.figures import Figure


def write_figures(drawn: Iterable[Figure], folder: Path) -> list[Path]:
    """Write each figure to the folder, which is made if need be; the paths, in order."""
    pyplot = _pyplot()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path for each in drawn for path in _write(each, folder, pyplot)]
    except OSError as error:
        raise ParameterError(
            f"cannot write to {folder}: {error.strerror}. Give a folder that can be written."
        ) from None


def _pyplot() -> Any:
    try:
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError:
        raise ParameterError("drawing needs matplotlib: pip install 'crowdproof[report]'.") from None
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "crowdproof"  # the same figure, the same file
    return pyplot


def _write(figure: Figure, folder: Path, pyplot: Any) -> list[Path]:
    table = folder / f"{figure.name}.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(_rows(figure.content))
    size = (9, 1 + 0.25 * len(figure.content.rows)) if isinstance(figure.content, Table) else (10, 5)
    plot, axes = pyplot.subplots(figsize=size, layout="constrained")
    _draw_table(axes, figure.content) if isinstance(figure.content, Table) else _draw_chart(axes, figure.content)
    paths = [folder / f"{figure.name}.{kind}" for kind in ("svg", "png")]
    for path in paths:
        plot.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else {})
    pyplot.close(plot)
    return [table, *paths]


def _rows(content: Table | Chart) -> Iterable[tuple[str, ...]]:
    if isinstance(content, Table):
        return [content.columns, *content.rows]
    points = [(each.name, repr(x), repr(y)) for each in content.series for x, y in zip(each.x, each.y, strict=True)]
    return [("series", content.x, content.y), *points]


def _draw_table(axes: Any, table: Table) -> None:
    axes.axis("off")
    axes.set_title(table.title)
    drawn = axes.table(cellText=table.rows, colLabels=table.columns, loc="center", cellLoc="left", edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(8)
    drawn.auto_set_column_width(list(range(len(table.columns))))


def _draw_chart(axes: Any, chart: Chart) -> None:
    """Lines that share the words before the colon share a colour; the second of them is dashed."""
    colours: dict[str, str] = {}
    for each in chart.series:
        group = each.name.partition(":")[0]
        style = "--" if group in colours else "-"
        colour = colours.setdefault(group, f"C{len(colours)}")
        mark = {"marker": "o", "linestyle": "none"} if each.points else {"linestyle": style}
        axes.plot(each.x, each.y, color=colour, label=each.name, markersize=3, linewidth=1.3, **mark)
    axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
    axes.set_yscale("log" if chart.log_y else "linear")
    axes.set_xscale("log" if chart.log_x else "linear")
    axes.grid(visible=True, alpha=0.25)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
