#!/usr/bin/env python3
"""report_page_test.py TAKT MAKE_MODELS WEB: a page of `takt report` in a real browser, without a network (report_page.mjs).
Skipped, with the reason, where Chromium, Node or the packages of web/ are missing."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from report_cases import make_results


def main():
    takt, make_models, web = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = [what for what, there in (("Chromium", chromium), ("Node", shutil.which("node")),
                                        ("the packages of web/ (npm ci)", (web / "node_modules/playwright-core").is_dir()))
               if not there]
    if missing:
        print(f"skipped: {', '.join(missing)} missing; run tools/bootstrap --test")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        names = make_results(takt, make_models, place)
        subprocess.run([takt, "report", *names, "-o", "page.html"], cwd=folder, check=True, capture_output=True)
        here = pathlib.Path(__file__).resolve().parent
        done = subprocess.run(["node", here / "report_page.mjs", web, chromium, place, *names], check=False)
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
