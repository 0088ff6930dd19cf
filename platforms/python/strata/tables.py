"""Rows as frames, text and CSV."""

import csv
import io

from .program import StrataError


def frame(rows):
    """A list of dictionaries as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise StrataError("frame() needs pandas, which is not installed; the rows themselves are dictionaries") from None
    return pandas.DataFrame(rows)


def _cell(value):
    if value is None:
        return "-"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def text_table(rows):
    """Columns for a terminal."""
    if not rows:
        return ""
    lines = [list(rows[0])] + [[_cell(row.get(key)) for key in rows[0]] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n" for line in lines)


def csv_text(rows):
    """Rows as CSV."""
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
