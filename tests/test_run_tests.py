"""The closing lines of ``make test``: every failure counts, every skip is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import run_tests
from run_tests import Result, Stage

REPORT = """<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><failure message="wrong"/></testcase>
<testcase name="c"><error message="broken"/></testcase>
<testcase name="d"><skipped message="no Chromium"/></testcase>
<testcase name="e"><skipped message="no Chromium"/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted_with_the_reasons_of_what_was_skipped(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    result = run_tests.read_report(path)
    assert (result.passed, result.failed, result.skipped) == (1, 2, 2)
    assert result.reasons == Counter({"no Chromium": 2})


def test_the_last_line_adds_up_all_stages_and_says_what_was_skipped() -> None:
    results = {
        "lint": Result(passed=1, seconds=63.1),
        "library": Result(
            passed=7, failed=2, skipped=1, reasons=Counter({"no numba": 1}), seconds=61.6
        ),
    }
    lines = run_tests.summary(results, {"numpy": "numba is not installed"})
    assert lines[-1] == "8 passed, 2 failed, 1 skipped"
    text = "\n".join(lines)
    assert "library    FAILED" in text
    assert "lint       passed" in text
    assert "63.1 s" in text and "61.6 s" in text and "all of it in 2 min 5 s" in text
    assert "1 test: no numba" in text
    assert "numpy: numba is not installed" in text


def python(*code: str) -> tuple[str, ...]:
    return (run_tests.sys.executable, "-c", *code)


@pytest.mark.parametrize(("code", "failed"), [("pass", 0), ("raise SystemExit(3)", 1)])
def test_a_command_counts_as_one(code: str, failed: int, tmp_path: Path) -> None:
    result = run_tests.run(Stage("x", "a command", python(code)), tmp_path)
    assert (result.passed, result.failed) == (1 - failed, failed)


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ("def test_a(): pass", (1, 0, 0)),
        ("def test_a(): assert False", (0, 1, 0)),
        ("import missing_module", (0, 1, 0)),
        ("", (0, 1, 0)),  # no test at all is a failure
    ],
)
def test_a_pytest_stage_counts_its_tests(
    source: str, counts: tuple[int, int, int], tmp_path: Path
) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(source)
    stage = Stage("x", "tests", ("-p", "no:cacheprovider", str(path)), pytest=True)
    result = run_tests.run(stage, tmp_path)
    assert (result.passed, result.failed, result.skipped) == counts


def test_every_stage_names_files_that_exist() -> None:
    for stage in run_tests.stages():
        for argument in stage.arguments:
            if argument.startswith(("tests/", "tools/", "book", "sublinear_lib")):
                assert (run_tests.ROOT / argument).exists(), (stage.name, argument)
