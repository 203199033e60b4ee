"""A small book, built by Sphinx with the extensions of ours."""

import os
import subprocess
import sys

from check_book import ROOT


def build(source, html, *options):
    """Build a book, every warning of which is an error; return what is said of one."""
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", *options, source, html],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "book" / "_ext"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode == 0) == (run.stderr == ""), run.stderr
    return run.stderr


def write(source, pages):
    """Store the files of a book by their names."""
    for name, text in pages.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    return source
