"""Build the book into ``_build/html`` with every warning an error, check it, say where it is.

usage: python tools/build_book.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import build_teaching
import check_book
import passed
from check_book import HTML, ROOT

BEFORE = ROOT / "_build" / "pages-before"
# What a page says depends on these besides its own source: when they are as they were in the last
# build, which gave no warning, only pages that changed are read and, if they tell each other the
# same, written.
SHARED = ("_config.yml", "CITATION.cff", "benchmarks", "book!", "proofs", "sublinear_lib")


def build() -> bool:
    """Build all pages; say whether that gave neither an error nor a warning."""
    shutil.rmtree(HTML, ignore_errors=True)  # a page that has left the table of contents would stay
    state = passed.fingerprint(SHARED)
    if passed.recall().get("reading") != state:
        shutil.rmtree(BEFORE, ignore_errors=True)
    elif BEFORE.is_dir():
        shutil.copytree(BEFORE, HTML)
    passed.remember({"reading": ""})
    arguments = ["build", str(ROOT), "--all", "--quiet", "-n", "-W", "--keep-going"]
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("run_jupyter_book.py"), *arguments],
        cwd=ROOT,
        env=os.environ | {"PAGES_BEFORE": str(BEFORE)},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if run.returncode != 0:
        print(run.stdout, file=sys.stderr)
        return False
    passed.remember({"reading": state})
    return True


def main() -> int:
    """Build, check, and print the address of the title page."""
    start = time.perf_counter()
    state = passed.fingerprint(passed.EVERYTHING)
    if not build():
        print("The book was not built without warnings: see above.", file=sys.stderr)
        return 1
    build_teaching.build()
    problems = check_book.check()
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"The book was built, but has {len(problems)} problems.", file=sys.stderr)
        return 1
    passed.remember({"book": state})
    pages = len(check_book.chapters())
    print(f"{pages} pages built and checked in {time.perf_counter() - start:.0f} s. Open")
    print(f"  {(HTML / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
