"""The report in a browser: sorted, filtered, downloaded, darkened, printed, walked."""

import csv
import io
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

F1 = "F1 of the positive class"
BOARD = "#switch-board > .view table"


def column(page, number):
    """Return the texts of one column of the shown leaderboard, learners only."""
    return page.eval_on_selector_all(
        f"{BOARD} tbody:not(.reference) tr:not([hidden])",
        f"rows => rows.map(row => row.cells[{number}].innerText.trim())",
    )


def header(page, text):
    return page.locator(f"{BOARD} thead button", has_text=text)


def numbers(texts):
    return [float(text.split()[-1].replace(",", "").rstrip("*")) for text in texts]


def test_the_title_is_the_finding(visit):
    assert visit().title().startswith("lmm and em-lr cannot be told apart")


def test_no_request_leaves_the_page(visit):
    page = visit()
    header(page, "AUC").click()
    page.select_option("#switch-board select >> nth=1", index=1)
    page.locator(".theme").click()
    page.emulate_media(media="print")
    outside = [url for url in page.asked if not url.startswith(("file://", "data:"))]
    assert outside == []
    assert len(page.asked) == 1


def test_a_header_sorts_best_first_and_then_the_other_way(visit):
    page = visit()
    header(page, "Seconds").click()
    header(page, "AUC").click()
    means = numbers(column(page, 1))
    assert means == sorted(means, reverse=True)
    assert (
        page.locator(f"{BOARD} [aria-sort]").get_attribute("aria-sort") == "descending"
    )
    header(page, "AUC").click()
    means = numbers(column(page, 1))
    assert means == sorted(means)
    assert "Sorted by AUC, ascending" in page.inner_text("#live")


def test_the_sorted_column_is_the_only_one_that_says_so(visit):
    page = visit()
    header(page, "Seconds").click()
    assert page.locator(f"{BOARD} [aria-sort]").count() == 1
    assert numbers(column(page, 10)) == sorted(numbers(column(page, 10)))


def test_names_sort_by_name_and_references_stay_where_they_are(visit):
    page = visit()
    header(page, "Learner").click()
    names = column(page, 0)
    assert names == sorted(names, key=str.lower)
    assert page.inner_text(f"{BOARD} tbody.reference th").startswith("Clusters")


def test_missing_cells_come_last_whichever_way_is_sorted(visit):
    page = visit()
    for _ in range(2):
        header(page, "hard").click()
        assert column(page, 6)[-1] == "×"


def test_a_filter_hides_rows_and_says_how_many_are_left(visit):
    page = visit()
    page.fill("#switch-board input", "LLP")
    assert sorted(name.rstrip("*") for name in column(page, 0)) == [
        "dllp",
        "easy-llp",
        "llp-vat",
    ]
    assert page.inner_text("#switch-board .found") == "3 of 9 learners"
    page.fill("#switch-board input", "")
    assert len(column(page, 0)) == 9


def test_measure_and_rule_change_the_table_and_keep_the_filter(visit):
    page = visit()
    page.fill("#switch-board input", "llp")
    before = column(page, 1)
    page.select_option("#switch-board select >> nth=0", F1)
    assert column(page, 1) != before
    assert len(column(page, 0)) == 3
    page.select_option("#switch-board select >> nth=1", "full-bag-kfold")
    assert "chosen by full-bag-kfold" in page.inner_text(f"{BOARD} caption")
    assert f"Showing {F1}, full-bag-kfold" in page.inner_text("#live")
    page.select_option("#switch-board select >> nth=0", "AUC")
    page.select_option("#switch-board select >> nth=1", "split-bag-bootstrap")
    assert column(page, 1) == before


def test_the_table_can_be_downloaded_from_the_page_alone(visit, folder, tmp_path):
    moved = tmp_path / "mailed.html"
    moved.write_bytes((folder / "index.html").read_bytes())
    page = visit(moved)
    with page.expect_download() as waiting:
        page.locator("#switch-board > .view .files a", has_text="CSV").click()
    found = waiting.value
    assert found.suggested_filename == "leaderboard.csv"
    text = Path(found.path()).read_text("utf-8")
    assert text == (folder / "tables" / "leaderboard.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["learner"] for row in rows} >= {"em-lr", "mm"}


def test_a_figure_can_be_downloaded_as_a_drawing(visit, folder):
    page = visit()
    with page.expect_download() as waiting:
        page.locator("#figure-cost .files a", has_text="SVG").click()
    assert waiting.value.suggested_filename == "cost.svg"
    saved = Path(waiting.value.path()).read_bytes()
    assert saved == (folder / "figures" / "cost.svg").read_bytes()


def background(page):
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


LIGHT, DARK = "rgb(253, 252, 249)", "rgb(20, 23, 27)"


def test_dark_follows_the_system_and_the_button_overrides_it(visit):
    page = visit(scheme="dark")
    assert background(page) == DARK
    page.locator(".theme").click()
    assert background(page) == LIGHT
    light = visit()
    assert background(light) == LIGHT
    light.locator(".theme").click()
    assert background(light) == DARK
    assert light.locator(".theme").get_attribute("aria-pressed") == "true"


def test_figures_change_colour_with_the_page(visit):
    page = visit()
    dot = "#figure-field svg.wide use, #figure-field svg.wide path"
    colours = "found => found.map(one => getComputedStyle(one).fill).join()"
    before = page.eval_on_selector_all(dot, colours)
    page.locator(".theme").click()
    assert page.eval_on_selector_all(dot, colours) != before


def test_print_is_light_on_white_and_shows_what_was_folded(visit):
    page = visit(scheme="dark")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    for hidden in ("nav", ".theme", "#switch-board .controls", "#switch-board .others"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("#figure-field svg.wide").is_visible()
    assert not page.locator("#figure-field svg.phone").is_visible()
    assert page.locator("section").count() == 9
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 20


def test_a_phone_gets_the_phone_figures_and_large_targets(visit):
    page = visit(width=390)
    assert page.locator("#figure-cost svg.phone").is_visible()
    assert not page.locator("#figure-cost svg.wide").is_visible()
    for target in ("#switch-board input", "#switch-board select >> nth=0", ".theme"):
        assert page.locator(target).bounding_box()["height"] >= 44


def test_margin_notes_come_after_the_figure_for_those_who_listen(visit):
    page = visit()
    order = page.evaluate(
        "() => { const s = document.querySelector('#selection');"
        "return s.querySelector('figure').compareDocumentPosition("
        "s.querySelector('aside')) }"
    )
    assert order == 4  # DOCUMENT_POSITION_FOLLOWING


def focused(page):
    return page.evaluate(
        "() => { const e = document.activeElement;"
        "return [e.tagName, e.className, e.innerText.trim().slice(0, 40)] }"
    )


def walk(page):
    """Press the tab key until the page is left; yield where it leads."""
    while True:
        page.keyboard.press("Tab")
        found = focused(page)
        if found[0] == "BODY":
            return
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        yield (*found, page.evaluate(outline))


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit):
    page = visit()
    seen = list(walk(page))
    assert seen[0][1] == "skip"
    assert [one for one in seen if one[3] == "none"] == []
    assert {"BUTTON", "INPUT", "SELECT", "A"} <= {one[0] for one in seen}
    texts = {one[2] for one in seen}
    assert {"Dark", "Average rank", "CSV", "LaTeX", "SVG"} <= texts


def test_the_skip_link_leads_to_the_findings(visit):
    page = visit()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")


def test_enter_on_a_header_sorts(visit):
    page = visit()
    header(page, "Seconds").focus()
    page.keyboard.press("Enter")
    assert numbers(column(page, 10)) == sorted(numbers(column(page, 10)))


def test_a_number_opens_its_conditions_by_mouse_and_escape_closes_them(visit):
    page = visit()
    cell = page.locator(f"{BOARD} tbody td.partial").first
    cell.hover()
    assert page.locator("#card").is_visible()
    text = page.inner_text("#card")
    assert "inverse-calibration" in text
    assert "mean of 10 of 14 worlds" in text
    assert "not comparable with its neighbours" in text
    page.keyboard.press("Escape")
    assert not page.locator("#card").is_visible()


def test_arrow_keys_walk_from_number_to_number(visit):
    page = visit()
    page.locator(f"{BOARD} tbody [tabindex='0']").first.focus()
    first = page.inner_text("#card")
    page.keyboard.press("ArrowRight")
    second = page.inner_text("#card")
    page.keyboard.press("ArrowDown")
    third = page.inner_text("#card")
    assert len({first, second, third}) == 3
    assert page.locator(f"{BOARD} tbody [tabindex='0']").count() == 1
    described = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
    assert described == "card"


def test_a_name_tells_when_it_misleads(visit):
    page = visit()
    page.locator(f"{BOARD} tbody th", has_text="dllp").hover()
    assert "Assumes that labels depend on the features only" in page.inner_text("#card")


def test_the_star_leads_to_the_caveat_and_back(visit):
    page = visit()
    page.locator(f"{BOARD} td .star").first.click()
    target = page.evaluate("location.hash.slice(1)")
    caveat = page.locator(f"#{target}")
    assert "No learner is seen above" in caveat.inner_text()
    caveat.locator(".back").click()
    assert page.evaluate("location.hash") == f"#at-{target}"


def test_without_scripts_the_page_is_complete(visit):
    page = visit(scripts=False)
    assert page.locator("section").count() == 9
    assert not page.locator("#switch-board .controls").is_visible()
    assert not page.locator(".theme").is_visible()
    page.locator("#switch-board .others summary").click()
    assert page.locator("#switch-board .others table").count() == 9
    assert page.locator("#switch-board .others table").first.is_visible()


def test_the_policy_blocks_every_script_but_ours(visit, folder, tmp_path):
    text = (folder / "index.html").read_text("utf-8")
    evil = "<script>document.title = 'owned'</script><img src=x onerror=\"alert(1)\">"
    injected = tmp_path / "injected.html"
    injected.write_text(text.replace("</main>", f"{evil}</main>"), "utf-8")
    page = visit(injected)
    assert page.title() != "owned"
    refused = [one for one in page.complaints if "Content Security Policy" in one]
    assert len(refused) >= 2
    assert page.locator("html.js").count() == 1


def test_nothing_on_the_page_violates_its_own_policy(visit):
    page = visit()
    page.evaluate(
        "window.found = []; document.addEventListener('securitypolicyviolation',"
        "event => window.found.push(event.violatedDirective))"
    )
    page.locator(".theme").click()
    page.locator(f"{BOARD} tbody td.partial").first.hover()
    assert page.evaluate("window.found") == []


def barriers(page, axe):
    # The policy forbids scripts from outside; the inspector may pass one in.
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["impact"], [node["target"] for node in one["nodes"]][:3])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_even_moderate_stands_in_the_way_on_a_phone(visit, axe, scheme):
    found = barriers(visit(scheme=scheme, width=390), axe)
    assert found == [], json.dumps(found, indent=1)


def test_text_may_be_twice_as_large(visit):
    page = visit(width=640)
    page.add_style_tag(content="html{font-size:32px!important}")
    found = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert found[0] <= found[1]


def test_forced_colours_keep_what_colours_say(browser, folder):
    context = browser.new_context(forced_colors="active")
    page = context.new_page()
    page.goto(f"file://{folder / 'index.html'}")
    assert page.locator("td.failed").first.inner_text() == "×"
    assert page.locator(".sort .serious").first.inner_text().startswith("*")
    context.close()


@pytest.mark.long
def test_twelve_learners_on_twenty_data_sets_weigh_less_than_two_megabytes(
    visit, wide_folder
):
    path = wide_folder / "index.html"
    assert path.stat().st_size < 2_000_000
    page = visit(path)
    assert page.complaints == []
    assert page.locator("#table-ranks tbody tr").count() == 20
    found = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert found[0] <= found[1]


@pytest.mark.long
def test_the_same_records_give_the_same_files(folder, rebuild, tmp_path):
    rebuild(tmp_path)
    names = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert len(names) > 20
    assert all((folder / n).read_bytes() == (tmp_path / n).read_bytes() for n in names)
