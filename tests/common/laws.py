"""The laws of honest sentences, as checks over any Look.

Each takes a Look and raises AssertionError where the law is broken; every topic's
generated results go through all of them (`test_honest_sentences.py`), and so do pages
that are broken on purpose, one for every law.
"""

import math
import re

from caveat.pages import (
    SEVERITIES,
    Details,
    Figure,
    Notice,
    Paragraph,
    Progress,
    Switch,
    Table,
    prose,
    terminal_lines,
)
from caveat.pages._model import flat_blocks
from caveat.pages.claims import (
    AgainstFloor,
    Chosen,
    Claim,
    Comparison,
    Loss,
    Remedy,
    Tie,
    Unfinished,
    heading,
)
from tests.pages.drawings import covered, cut_off

COMPARING = re.compile(
    r"\b(best|leads?|ranks? first|gets? furthest|suits? best|keeps? most|wins?|"
    r"outperforms?|beats?|another leader|superior|significant(ly)?)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d,]*\.\d+|(?<![\w.])\d+(?= %)")
TIMES = re.compile(r"\d[\d.]*\s(s|min|h)\b")
WRITTEN = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
SETTINGS = {95, 0.05, 0.01, 0.001, 0.1, 70}
"""Numbers that are no finding: level, limits of p, region of equivalence, margins."""
TALLIES = re.compile(r"\bwins?\b", re.IGNORECASE)
"""Wins that the board of wins, ties and losses counts are no verdict."""
SCORE = re.compile(r"\b(AUC|accuracy|F1|precision|RMSE|Honest)\b", re.IGNORECASE)
FLOOR = re.compile(r"always yes|shuffled", re.IGNORECASE)
FREE = re.compile(
    r"constant|clusters|popularity|every label|no label|no feature|most frequent|"
    r"majority|one answer for all|always|dummy",
    re.IGNORECASE,
)
"""How rows are called that need no learning."""
DIFFERENCES = ("difference", "loss", "change", "regret")
"""Fields of claims that hold a difference of two scores."""
RANGES = {"AUC": (0, 1), "accuracy": (0, 1), "concordance": (0, 1), "F1": (0, 1)}
INTERVAL = re.compile(
    rf"\d\s({'|'.join(RANGES)})(?: of [\w ]+)? "
    r"\(([−-]?\d[\d,]*(?:\.\d+)?) to ([−-]?\d[\d,]*(?:\.\d+)?)\)"
)
FLOORS_RUN = {"dummy", "popularity"}
"""Learners that are registered as looking at no feature."""
TESTS = ("resampled t-test", "Wilcoxon", "Friedman")


UNTRUE = re.compile(
    r"without (seeing )?(a|any|one|the) (single )?labels?|"
    r"(clusters?|clustering|EAPP)[^.;]{0,30} no labels?\b|"
    r"of it is (free|reachable)|same numbers whatever the clock",
    re.IGNORECASE,
)
"""Words that say more than was done: labels always name the clusters."""
HYPHENS = re.compile(r"(?<![\w.])-\d[\d,]*\.\d")
"""A hyphen where a number has its minus."""
ONE_OF_MANY = re.compile(
    r"(?<![\w.,])1 (comparisons|items|people|answers|models|labels|suggestions)\b"
)
ALL_OF_ALL = re.compile(r"\b([A-Za-z]+) of ([A-Za-z]+) (models|people|learners)\b")
ORACLE = re.compile(r"\b(oracle|test labels?|true labels?|test score)\b", re.IGNORECASE)


def said(look):
    """Return all that leads: title, lede, headings, caveats, the action."""
    claims = [*look.leading, *look.ordered]
    claims += [s.heading for s in look.sections if isinstance(s.heading, Claim)]
    return [str(claim.words) for claim in claims] + [look.title, str(look.lede)]


def blocks(look, *kinds):
    """Return the blocks of these kinds, folded ones and those of switches too."""
    found = [one for s in look.sections for one in flat_blocks(s.blocks)]
    found += [table for b in found if isinstance(b, Switch) for _, table in b.tables]
    found += [look.figure] if look.figure is not None else []
    return [one for one in found if isinstance(one, kinds)]


def floors_in_tables(look):
    """A table of scores holds its floors: in rows below, or in a column."""
    for table in blocks(look, Table):
        titles = [str(prose(column.title)) for column in table.columns]
        scores = any(SCORE.search(title) for title in titles)
        column = any(FLOOR.search(title) for title in titles)
        if (scores or table.look == "board") and not column:
            named = [str(prose(row.cells[0].text)) for row in table.rows]
            assert any(FREE.search(one) for one in named), (table.name, named)


def columns_have_their_floor(look):
    """Every column of scores, not the first alone, has what needs no learning."""
    for table in blocks(look, Table):
        titles = [str(prose(column.title)) for column in table.columns]
        if any(FLOOR.search(title) for title in titles):
            continue
        named = [(str(prose(row.cells[0].text)), row) for row in table.rows]
        free = [row for name, row in named if FREE.search(name)]
        others = [row for name, row in named if not FREE.search(name)]
        scored = [n for n, title in enumerate(titles) if SCORE.search(title)]
        # A study that recorded no floor at all says so once, for the whole table.
        if any(_filled(free, place) for place in scored):
            for place in scored:
                missing = _filled(others, place) and not _filled(free, place)
                assert not missing, (table.name, titles[place])


def _filled(rows, place):
    """Whether some row has a number there."""
    cells = [str(prose(row.cells[place].text)) for row in rows]
    return any(WRITTEN.search(text) for text in cells)


def remedies_stand_in_a_table(look):
    """Both scores of a remedy that a caveat tells stand in one row of a table."""
    rows = [
        {t for c in row.cells for t in str(prose(c.text)).replace(", ", " ").split()}
        for table in blocks(look, Table)
        for row in table.rows
    ]
    for claim in look.claims:
        told = claim if isinstance(claim, Remedy) else getattr(claim, "remedy", None)
        if told is not None:
            pair = {told.before.text, told.after.text}
            assert any(pair <= row for row in rows), claim


def chosen_without_test_labels(look):
    """What is quoted as chosen was chosen by a rule that needs no test labels."""
    for claim in (*look.leading, *look.claims):
        if isinstance(claim, Chosen):
            assert not ORACLE.search(str(prose(claim.rule))), claim


def one_cut_for_all(look):
    """Decisions on a page are made by one threshold rule, told once for all models."""
    told = [str(prose(table.conditions)) for table in blocks(look, Table)]
    cuts = {hit for text in told for hit in re.findall(r"Decisions: ([^.]*)\.", text)}
    assert len(cuts) <= 1, cuts


def true_words(look):
    """No sentence, heading or figure says more than was done."""
    texts = said(look) + [str(heading(s.heading)) for s in look.sections]
    for figure in blocks(look, Figure):
        texts += [str(heading(figure.title)), figure.label, str(figure.conditions)]
    for text in texts:
        assert not UNTRUE.search(text), text


def told_apart(claim):
    """Whether the interval of a comparison lies on one side of 0, by its ends alone."""
    one = claim.difference
    known = one.low is not None and one.high is not None
    return known and (one.low > 0 or one.high < 0)


def backing(look):
    """Give the words that a comparison with a test on its side may use."""
    supported = [c for c in look.claims if isinstance(c, Comparison) and told_apart(c)]
    return " ".join(f"{claim.words} {claim.short}" for claim in supported).lower()


def ties_stand_in_the_order_of_the_table(look):
    """Those who cannot be told apart are named as the table has them."""
    tables = [
        [str(prose(row.cells[0].text)) for row in table.rows if row.cells]
        for table in blocks(look, Table)
    ]
    for claim in look.claims:
        if not isinstance(claim, Tie):
            continue
        for rows in tables:
            places = [_place(member, rows) for member in claim.members]
            if None not in places:
                assert places == sorted(places), (claim.members, rows)
                break


def _place(member, rows):
    """Find the row of a member; what is said of it may follow its name."""
    ends = ("", ",", " (")
    hits = [n for n, row in enumerate(rows) for e in ends if _begins(row, member, e)]
    return hits[0] if hits else None


def _begins(row, member, end):
    return row == member if not end else row.startswith(member + end)


def numbers_that_lead_show_their_interval(look):
    """The interval of a heading stands in it, that of the title right below."""
    for section in look.sections:
        claim = section.heading
        if isinstance(claim, Claim) and claim.main is not None:
            words = str(heading(claim))
            if claim.main.text in words and "cannot be told" not in words:
                assert claim.main.interval in words, words
    below = [str(look.lede)]
    below += [f"{claim.words} {prose(claim.how)}" for claim in look.ordered]
    for claim in look.leading:
        if claim.main is not None and claim.main.text in str(claim.short):
            assert claim.main.interval in " ".join(below), (claim, below)


def digits_carry_the_finding(look):
    """A difference that a sentence is about is seen in its digits."""
    for claim in look.claims:
        if isinstance(claim, Comparison) and " leads " in str(claim.words):
            assert _read(claim.difference.text) != 0, claim
        # Drawn numbers may be equal though a loss is drawn beside them.
        if isinstance(claim, Loss | Remedy) and claim.decided and _differ(claim):
            assert claim.before.text != claim.after.text, claim


def _differ(claim):
    return abs(claim.before.value - claim.after.value) > 1e-9


def scores_have_the_digits_of_their_difference(look):
    """Where no loss is seen, 0.834 and 0.829 stand beside 0.005, not 0.83 and 0.82."""
    for claim in look.claims:
        if isinstance(claim, Loss) and not claim.decided:
            shown = [_decimals(one.text) for one in (claim.before, claim.after)]
            assert min(shown) >= _decimals(claim.loss.text), claim


def signs_are_seen(look):
    """A bound whose sign decides something is written in digits that show it."""
    for table in blocks(look, Table):
        titles = [str(prose(column.title)) for column in table.columns]
        for row in table.rows:
            for title, cell in zip(titles, row.cells, strict=True):
                if title.startswith("Surely") and cell.value:
                    assert _read(str(prose(cell.text))) != 0, (table.name, cell)


def _decimals(text):
    return len(text.partition(".")[2])


def figures_show_what_they_say(look):
    """A figure is told in words, and one that cannot be drawn says why."""
    for figure in blocks(look, Figure):
        assert figure.label.strip(), figure.name
        assert figure.one_line or str(heading(figure.title)).strip(), figure.name
        assert figure.draw is not None or str(figure.cannot), figure.name


def texts_stay_on_their_sheet(look):
    """No text of a drawing leaves it or lies on another, on a desk and on a phone."""
    for figure in blocks(look, Figure):
        for phone in (False, True) if figure.draw is not None else ():
            assert not cut_off(figure, phone), (figure.name, phone)
            assert not covered(figure, phone), (figure.name, phone)


def a_tie_with_the_floor_is_told(look):
    """No title speaks of a score alone that no test tells from what is free."""
    for claim in look.claims:
        tied = isinstance(claim, Comparison) and not told_apart(claim)
        free = tied and FREE.search(str(prose(claim.right)))
        free = free or (isinstance(claim, Tie) and any(map(FREE.search, claim.members)))
        if free and look.complete:
            assert "cannot be told" in look.title, (claim, look.title)


def ties_name_their_measure(look):
    """Where a table has several measures, a tie says by which one."""
    boards = [table for table in blocks(look, Table) if table.look == "board"]
    several = any(sum(bool(c.best) for c in table.columns) > 1 for table in boards)
    for claim in look.claims:
        if isinstance(claim, Tie):
            assert claim.measure or not several, claim
            assert str(claim.measure) in str(claim.words), claim


def numbers_have_their_minus(look):
    """A negative number has a minus, in sentences and in cells, and no hyphen."""
    cells = [c for t in blocks(look, Table) for row in t.rows for c in row.cells]
    texts = [f"{prose(one.text)} {one.how}" for one in cells]
    for text in [*shown_words(look), *texts]:
        assert not HYPHENS.search(text), text


def counts_fit_their_nouns(look):
    """One thing is no plural, and all of them are no part."""
    for text in shown_words(look):
        assert not ONE_OF_MANY.search(text), text
        for some, all_, _ in ALL_OF_ALL.findall(text):
            assert some.casefold() != all_.casefold(), text


def floor_first(look):
    """No score leads that has not reached its floor, unless the title says so."""
    for claim in look.leading:
        if isinstance(claim, AgainstFloor) and claim.standing in ("at", "below"):
            words = str(claim.short)
            assert "cannot be told from" in words or "not reach" in words, words


def interval_or_silence(look):
    """What leads has an interval from more than one run, inside the measure's range."""
    for claim in look.leading:
        for one in claim.estimates:
            known = math.isfinite(one.value) and None not in (one.low, one.high)
            assert known, claim
            assert one.n > 1, claim
    for claim in look.claims:
        for one in claim.estimates:
            # A measure of one class names it: F1 of class yes.
            unit = one.measure.partition(" of ")[0]
            low, high = RANGES.get(unit, (-math.inf, math.inf))
            if any(one is getattr(claim, name, None) for name in DIFFERENCES):
                low, high = low - high, high - low
            if one.has_interval:
                assert low <= one.low <= one.high <= high, one


def headings_have_their_interval(look):
    """A heading that shows a number shows an interval."""
    for section in look.sections:
        words = str(heading(section.heading))
        if not isinstance(section.heading, Claim):
            scores = TIMES.sub("", words)
            assert not NUMBER.search(scores) or " to " in scores, words
        elif (one := section.heading.main) is not None:
            assert one.interval or one.text not in words, words


def intervals_in_the_text_stay_in_range(look):
    """No interval that a sentence shows leaves what its measure can be."""
    for sentence in shown_words(look):
        for unit, *ends in INTERVAL.findall(sentence):
            low, high = RANGES[unit]
            for end in map(_read, ends):
                assert low - high <= end <= high - low, sentence


def floors_do_not_compete(look):
    """What looks at no feature is tied with nobody, and nobody is told to take it."""
    for claim in look.claims:
        if isinstance(claim, Tie):
            assert not FLOORS_RUN & set(claim.members), claim
    assert not FLOORS_RUN & set(str(look.action).split()), look.action


def tests_are_named_once(look):
    """The first paragraph names a test once."""
    for test in TESTS:
        assert str(look.lede).count(test) <= 1, look.lede


def untested_is_not_counted(look):
    """Where one split allows no test, no column counts what tests found."""
    if "one split" in str(look.lede):
        for table in blocks(look, Table):
            titles = [str(prose(column.title)) for column in table.columns]
            assert not any("Not told from" in one for one in titles), titles


def comparisons_have_their_test(look):
    """A word that compares belongs to a claim whose test supports it."""
    backed = backing(look)
    for sentence in said(look):
        for hit in COMPARING.finditer(sentence):
            assert hit.group(0).lower() in backed, sentence


def numbers_are_claimed(look):
    """Every number in a sentence is a number of some claim, to its digits."""
    known = [number for claim in look.claims for number in claim.numbers]
    known += [abs(number) for number in known] + [100 * number for number in known]
    for claim in look.ordered:
        for text in NUMBER.findall(str(claim.words)):
            value = float(text.replace(",", "").replace("−", "-"))
            digits = len(text.partition(".")[2])
            near = 0.5 * 10**-digits + 1e-9
            assert any(abs(value - number) <= near for number in known), (text, claim)


def shown_words(look):
    """Return every sentence of a page: what leads, then section by section.

    Not the cells of tables, the glossary and the facts of the last section.
    """
    found = [look.title, look.lede, look.action, look.checks]
    for claim in look.ordered:
        found += [claim.words, claim.how, claim.fix]
    for section in look.sections:
        found += [heading(section.heading), section.lead]
    for block in blocks(look, object):
        if isinstance(block, Figure):
            found += [heading(block.title), block.label, block.conditions, block.cannot]
        elif isinstance(block, Table):
            found += [block.caption, block.conditions, block.how]
        elif isinstance(block, Paragraph | Notice):
            found.append(block.words)
        elif isinstance(block, Details):
            found.append(block.summary)
    return [str(prose(words)) for words in found if words]


def numbers_of(look):
    """Return every number of a claim or a table, its files included."""
    texts = [_cells(one) for one in look.files]
    claimed = [section.heading for section in look.sections]
    claimed += [figure.title for figure in blocks(look, Figure)]
    claimed = [one for one in claimed if isinstance(one, Claim)] + list(look.claims)
    known = [number for claim in claimed for number in claim.numbers]
    for block in blocks(look, object):
        files = getattr(block, "downloads", ())
        texts += [_cells(one) for one in files if one.name.endswith(".csv")]
        if isinstance(block, Table):
            cells = [cell for row in block.rows for cell in row.cells]
            texts += [f"{prose(one.text)} {one.how}" for one in cells]
            known += [c.value for c in cells if isinstance(c.value, float)]
        if isinstance(block, Progress):
            known += [number for _, number in block.parts]
    known += [_read(text) for text in WRITTEN.findall(" ".join(texts))]
    known += [n for n in look.facts.values() if isinstance(n, int | float)]
    return [abs(number) for number in known if math.isfinite(number)]


def _cells(file):
    """Return the cells of a CSV file, apart."""
    return file.content.decode().replace(",", " ")


def _read(text):
    return float(text.replace(",", "").replace("−", "-"))


def numbers_in_the_text_are_known(look):
    """Every score and share in any sentence is a number of some claim or table."""
    known = [*numbers_of(look), *SETTINGS]
    known += [100 * number for number in known]
    for sentence in shown_words(look):
        for text in NUMBER.findall(sentence):
            near = 0.5 * 10 ** -len(text.partition(".")[2]) + 1e-9
            value = abs(_read(text))
            assert any(abs(value - one) <= near for one in known), (text, sentence)


def words_in_the_text_have_their_test(look):
    """No sentence compares, wherever it stands, without a test that supports it."""
    backed = backing(look)
    for sentence in shown_words(look):
        for hit in COMPARING.finditer(TALLIES.sub("", sentence)):
            assert hit.group(0).lower() in backed, sentence


def severity_has_evidence(look):
    """The order is by severity; a serious caveat with a number carries its interval."""
    order = [SEVERITIES.index(claim.severity) for claim in look.ordered]
    assert order == sorted(order)
    for claim in look.ordered:
        if claim.severity == "serious":
            for one in claim.estimates:
                assert one.has_interval, claim


def unfinished_is_told(look):
    """What was not done is counted, and a look that lacks something is not complete."""
    missing = [c for c in look.claims if isinstance(c, Unfinished)]
    assert look.complete == (not missing)
    assert len(look.unfinished) == len(missing)


def something_to_do(look):
    """The first screen ends with one action."""
    assert str(look.action).strip()


def said_once(look):
    """No caveat stands twice."""
    words = [str(claim.words) for claim in look.ordered]
    assert len(words) == len(set(words)), words


def names_keep_their_spelling(look):
    """No sentence begins with a name that a table spells in another way."""
    tables = blocks(look, Table)
    cells = [str(prose(row.cells[0].text)) for t in tables for row in t.rows]
    # With a hyphen and without a space it is a name, not a word.
    names = {one.partition(" (")[0] for one in cells if "-" in one[1:-1]}
    names = {one for one in names if one[0].islower() and " " not in one}
    for sentence in shown_words(look):
        first = sentence.partition(" ")[0].rstrip(",;:.")
        assert first in names or first[:1].lower() + first[1:] not in names, sentence


def shown_everywhere(look):
    """Terminal and JSON say what the page says."""
    terminal = " ".join(line.plain for line in terminal_lines(look))
    for claim in look.ordered:
        assert str(claim.words).replace("\u00a0", " ") in terminal
    assert look.title in look.to_json().replace("\\u00a0", "\u00a0")


LAWS = (
    floor_first,
    interval_or_silence,
    intervals_in_the_text_stay_in_range,
    floors_do_not_compete,
    tests_are_named_once,
    untested_is_not_counted,
    numbers_that_lead_show_their_interval,
    comparisons_have_their_test,
    ties_stand_in_the_order_of_the_table,
    numbers_are_claimed,
    numbers_in_the_text_are_known,
    words_in_the_text_have_their_test,
    severity_has_evidence,
    unfinished_is_told,
    something_to_do,
    said_once,
    names_keep_their_spelling,
    shown_everywhere,
    floors_in_tables,
    columns_have_their_floor,
    remedies_stand_in_a_table,
    chosen_without_test_labels,
    one_cut_for_all,
    true_words,
    digits_carry_the_finding,
    scores_have_the_digits_of_their_difference,
    signs_are_seen,
    figures_show_what_they_say,
    headings_have_their_interval,
    a_tie_with_the_floor_is_told,
    ties_name_their_measure,
    numbers_have_their_minus,
    counts_fit_their_nouns,
)

DRAWN_LAWS = (texts_stay_on_their_sheet,)
"""Laws that take a drawing, so that they see fewer looks."""
