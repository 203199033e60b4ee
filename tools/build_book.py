"""Build the book into ``_build/html`` with every warning an error, check it, say where it is.

usage: python tools/build_book.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import build_teaching
import check_book
import passed
from check_book import HTML, ROOT

# `python -m jupyter_book` does not exist in version 1. While Sphinx reads all pages, again and
# again, Python looks for garbage that is not there: with its own thresholds for half of a build.
# And jsonschema would compile, for seconds, grammars of addresses that nothing asks for.
# Sphinx reads with as many processes as it is told, and Jupyter Book tells it to use one. Two of
# its extensions do not say that this is safe: they change settings, and numbers after all is read.
JUPYTER_BOOK = """\
import gc, os, sys
sys.modules["rfc3987_syntax"] = None
from jupyter_book.cli.main import main
from sphinx.application import Sphinx
from sphinx.extension import Extension
start, known = Sphinx.__init__, Extension.__init__

def in_parallel(self, *arguments, **options):
    options["parallel"] = min(4, os.cpu_count() or 1)
    options["freshenv"] = "KEEP_READ_PAGES" not in os.environ
    start(self, *arguments, **options)

def safe(self, name, *arguments, **options):
    known(self, name, *arguments, **options)
    if name in {"sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"}:
        self.parallel_read_safe = True

Sphinx.__init__, Extension.__init__ = in_parallel, safe
gc.set_threshold(200_000, 50, 50)
main()
"""
# What a page says depends on these besides its own source: when they are as they were in the last
# build, which gave no warning, only pages that changed are read. All are written, so that whatever
# they share, references and index and search, is right and every warning about it is repeated.
SHARED = ("_config.yml", "CITATION.cff", "benchmarks", "book!", "proofs", "sublinear_lib")


def build() -> bool:
    """Build all pages; say whether that gave neither an error nor a warning."""
    shutil.rmtree(HTML, ignore_errors=True)  # a page that has left the table of contents would stay
    state = passed.fingerprint(SHARED)
    as_before = {"KEEP_READ_PAGES": "1"} if passed.recall().get("reading") == state else {}
    passed.remember({"reading": ""})
    arguments = ["build", str(ROOT), "--all", "--quiet", "-n", "-W", "--keep-going"]
    run = subprocess.run(
        [sys.executable, "-c", JUPYTER_BOOK, *arguments],
        cwd=ROOT,
        env=os.environ | as_before,
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
