"""Take the pictures of the guides anew, from the pages that `make demo` made.

    make demo && .venv/bin/python docs/images/take.py demo

needs the system's Chromium. What a picture shows is in `PICTURES`: a page, a width and
a height, from which element on, in which colours, on paper or not.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Picture:
    """One picture of one page."""

    page: str
    width: int
    height: int
    start: str = ""
    dark: bool = False
    print: bool = False


PICTURES = {
    "audit-desktop-top": Picture("audit", 1280, 2050),
    "audit-dark": Picture("audit", 1280, 1150, dark=True),
    "audit-phone": Picture("audit", 500, 2000),
    "report-top": Picture("report", 1280, 900),
    "report-board": Picture("report", 1280, 900, start="#leaderboard"),
    "report-dark": Picture("report", 1280, 900, start="#leaderboard", dark=True),
    "report-phone": Picture("report", 390, 844),
    "report-phone-dark": Picture("report", 390, 844, dark=True),
    "report-print": Picture("report", 1000, 1300, print=True),
}


def take(browser: Browser, name: str, picture: Picture, demo: Path) -> None:
    """Open the page as its reader would, and write the picture beside this file."""
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
    )
    page.goto((demo / picture.page / "index.html").resolve().as_uri())
    page.emulate_media(media="print" if picture.print else "screen")
    if picture.start:
        page.eval_on_selector(picture.start, "part => part.scrollIntoView()")
    page.screenshot(path=HERE / f"{name}.png")
    page.close()


def main() -> None:
    """Take them all."""
    path = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as driver:
        flags = ["--headless", "--no-sandbox"]
        browser = driver.chromium.launch(executable_path=path, args=flags)
        for name, picture in PICTURES.items():
            take(browser, name, picture, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
