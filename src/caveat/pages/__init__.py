"""What every page of caveat is built from: words, tables, figures, one style.

A page is data. Describe it with the classes here, then `render` it to one HTML
text or `write` it to a folder with its figures (SVG, PNG) and tables (CSV, LaTeX).

>>> from caveat import pages as kit
>>> heading = kit.say("{who} scores {score}", who="em-lr", score="0.85")
>>> section = kit.Section("models", "The models", heading, blocks=[
...     kit.Table.of("scores", "Scores by model",
...         ["Model", kit.Column("AUC", best="max", sorted=True)],
...         [["em-lr", kit.Cell.number(0.85, 2)]])],
...     caveats=[kit.Caveat("careful", "3 of 9 runs failed.", "3 of 9")])
>>> page = kit.Page([kit.Chapter("", "An example", "em-lr scores 0.85.",
...     sections=[section])])
>>> "<h1" in kit.render(page)
True

**Words.** `say` fills a sentence with names and numbers; `strong` marks its number,
`code` what is typed, `link` a place on the page. Names are escaped and unseen
characters spelt out wherever they end up. `fixed`, `count`, `word`, ... write numbers.

**Blocks** of a `Section`: `Figure`, `Table`, `Switch` (tables to pick from),
`Progress`, `Terms` (names explained, with their `Warnings`), `Facts`, `Notice` (not
asked, or not possible), `Paragraph`, `Details` (opens on a click). A `Caveat`
stands in the margin of its section, the three worst of a chapter also at its top.

**Figures.** A `Figure` has one function that draws on a `Canvas`, called for wide
screens, phones and files. `canvas.colour("earned")` gives the colour of a token,
so that the one drawing serves light and dark; `value_axis`, `upright_axis`,
`number_line`, `line_labels`, `row_names`, `interval`, `free_part`, ... are the habits
of all figures.

Same page, same bytes: nothing here asks for the time, the host or chance.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "claims": [],
        "figures": [],
        "_look": ["Look"],
        "_compose": ["Part", "combined", "part"],
        "_about": ["About", "again_section"],
        "_rules": ["check_rules", "exit_code"],
        "_json": ["plain", "schema_path"],
        "_terminal": ["caveat_lines", "columns", "terminal_lines"],
        "_prose": [
            "NBSP",
            "Prose",
            "Span",
            "code",
            "join",
            "link",
            "name",
            "names",
            "prose",
            "say",
            "shorten",
            "strong",
            "typed",
            "visible",
        ],
        "_numbers": [
            "capital",
            "count",
            "decimals",
            "duration",
            "ends",
            "fixed",
            "p_value",
            "percent",
            "plural",
            "sentence",
            "share",
            "signed",
            "significant",
            "word",
        ],
        "_model": [
            "SEVERITIES",
            "Block",
            "Caveat",
            "Cell",
            "Chapter",
            "Column",
            "Details",
            "Download",
            "Facts",
            "Figure",
            "Notice",
            "Page",
            "Paragraph",
            "Progress",
            "Row",
            "Section",
            "Strip",
            "Switch",
            "Table",
            "Term",
            "Terms",
            "Words",
        ],
        "_canvas": ["Canvas", "text_width"],
        "_axes": [
            "free_part",
            "interval",
            "left_of_values",
            "line_labels",
            "number_line",
            "round_ticks",
            "row_names",
            "row_value",
            "spread",
            "upright_axis",
            "value_axis",
            "value_range",
        ],
        "_labels": ["Box", "Mark", "around_points"],
        "_theme": ["MARKERS", "TOKENS"],
        "_render": ["render"],
        "_server": ["PageServer", "is_loopback"],
        "_export": ["to_csv", "to_latex"],
        "_write": ["contents", "write", "write_file"],
    },
)
