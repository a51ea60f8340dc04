"""Opens the pages of reports in headless Chromium: each must draw, complain of nothing and ask for nothing.

usage: page.py PAGE...

Needs the package playwright, and a Chromium on the path or one that playwright installed. Nothing waits for ever.
"""

import pathlib
import shutil
import sys

from playwright.sync_api import Error, sync_playwright

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
TIMEOUT_MS = 60_000


def main(pages: list[pathlib.Path]) -> None:
    # Without one on the path, the one that playwright installed.
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        # In a container there is often no user to sandbox for; the page is our own.
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments, timeout=TIMEOUT_MS)
        faults = [fault for page in pages for fault in look(browser, page)]
        browser.close()
    if faults:
        sys.exit("\n".join(faults))


def look(browser, path: pathlib.Path) -> list[str]:
    """What is wrong with a page, light and dark, wide and narrow."""
    faults = []
    for scheme, width in [("light", 1200), ("dark", 400)]:
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.set_default_timeout(TIMEOUT_MS)
        address = path.resolve().as_uri()
        page.on("console", lambda message: faults.append(f"{path}: console: {message.type}: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"{path}: error: {error}"))
        # A font inside the page is no request to anybody.
        page.on(
            "request",
            lambda request: None
            if request.url == address or request.url.startswith("data:")
            else faults.append(f"{path}: asks for {request.url}"),
        )
        page.goto(address, wait_until="load")
        page.wait_for_timeout(500)
        plots, tables = page.locator("svg").count(), page.locator("table").count()
        if plots == 0 or tables == 0:
            faults.append(f"{path}: {plots} plots and {tables} tables were drawn")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if overflow > 0:
            faults.append(f"{path}: {overflow} pixels too wide for a window of {width}")
        print(f"{path}: {scheme}, {width} wide: {plots} plots, {tables} tables")
        page.close()
    return faults


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main([pathlib.Path(argument) for argument in sys.argv[1:]])
    except Error as error:
        sys.exit(f"the browser failed: {error}")
