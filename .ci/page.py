"""Opens a report's page in headless Chromium: it must draw, complain of nothing and ask for nothing.

usage: page.py PAGE
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--enable-logging=stderr",
    "--v=0",
    "--virtual-time-budget=3000",
    "--dump-dom",
]


def main(page: pathlib.Path) -> None:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit("no Chromium found: " + ", ".join(BROWSERS))
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch, "net.json")
        run = subprocess.run(
            [browser, *FLAGS, f"--user-data-dir={scratch}/profile", f"--log-net-log={log}", page.resolve().as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        requests = asked_for(log)
    complaints = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    drawn = run.stdout.count("<svg")
    if run.returncode or drawn == 0 or "</table>" not in run.stdout:
        sys.exit(f"the page did not come up: exit code {run.returncode}, {drawn} plots\n{run.stderr[-2000:]}")
    if complaints:
        sys.exit("the console complains:\n" + "\n".join(complaints))
    if requests:
        sys.exit("the page asks for\n" + "\n".join(requests))
    print(f"{page}: {drawn} plots, no complaint, no request")


def asked_for(log: pathlib.Path) -> list[str]:
    """The addresses that the browser asked any server for; what it does for itself is switched off by flags."""
    text = log.read_text()
    # A log that was cut off lacks its end.
    events = json.loads(text if text.rstrip().endswith("}") else re.sub(r",?\s*$", "]}", text))["events"]
    urls = {str(event.get("params", {}).get("url", "")) for event in events}
    return sorted(url for url in urls if re.match(r"(https?|wss?|ftp):", url))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
