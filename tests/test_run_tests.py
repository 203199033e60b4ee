"""The closing lines of ``make test``: every failure counts, every skip is named."""

from collections import Counter
from pathlib import Path

import pytest
import run_tests
from run_tests import Result

import conftest
from sublinear_lib import evaluation  # noqa: F401  (pytester forgets what comes later)

pytest_plugins = "pytester"

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_x" name="a" time="1.25"/>
<testcase name="b"><failure message="wrong"/></testcase>
<testcase name="c"><error message="broken"/></testcase>
<testcase name="d"><skipped message="no Chromium"/></testcase>
<testcase name="e"><skipped message="no Chromium"/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted_with_the_reasons_of_what_was_skipped(tmp_path):
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    result = run_tests.read_report(path)
    assert (result.passed, result.failed, result.skipped) == (1, 2, 2)
    assert result.reasons == Counter({"no Chromium": 2})
    assert max(result.times) == (1.25, "tests.test_x::a")


def test_the_last_line_adds_up_all_stages_and_says_what_was_skipped():
    lint = Result(passed=1, seconds=63.1)
    library = Result(7, 2, 1, Counter({"no numba": 1}), [(k / 2, f"t{k}") for k in range(12)], 61.6)
    results = {"lint": lint, "library": library}
    lines = run_tests.summary(results, {"numpy": "numba is not installed"}, 124.7)
    assert lines[-1] == "8 passed, 2 failed, 1 skipped"
    text = "\n".join(lines)
    for part in ("library    FAILED", "lint       passed", "63.1 s", "61.6 s"):
        assert part in text
    assert "all of it in 2 min 5 s" in text and "1 test: no numba" in text
    assert "numpy: numba is not installed" in text
    slowest = text.partition("The ten slowest tests\n")[2].splitlines()[:-1]
    assert [line.split()[-1] for line in slowest] == [f"t{k}" for k in range(11, 1, -1)]


def test_a_test_runs_in_one_of_two_stages_and_again_with_other_kernels_unless_it_says_so():
    every = {stage.name: stage for stage in run_tests.stages()}
    assert every["numpy"].environment == {"SUBLINEAR_NUMBA": "0"}
    for stage in every.values():
        assert ("not either_way and not thorough" in stage.arguments) == (stage.name == "numpy")
    for fast, slow in (("library", "more"), ("pages", "walks")):
        assert every[fast].arguments[:-1] == every[slow].arguments[:-1]
        assert [every[fast].arguments[-1], every[fast].thorough] == ["not thorough", False]
        assert [every[slow].arguments[-1], every[slow].thorough] == ["thorough", True]


@pytest.mark.parametrize(
    ("mark", "ask", "outcome"),
    [
        ("@pytest.mark.either_way", "test", {"failed": 1}),
        ("@pytest.mark.either_way", "fixture", {"errors": 1}),
        ("@pytest.mark.either_way", "", {"passed": 1}),
        ("", "test", {"passed": 1}),
    ],
)
def test_a_test_that_runs_once_only_must_not_ask(mark, ask, outcome, pytester, monkeypatch):
    """Under the settings of this project, which kernels are in use."""
    monkeypatch.delenv("SUBLINEAR_NUMBA", raising=False)
    pytester.makeconftest(Path(conftest.__file__).read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = either_way\n")
    pytester.makepyfile(
        f"""
        import pytest
        from sublinear_lib.evaluation import kernels_in_use

        kernels = pytest.fixture(name="kernels")(lambda: kernels_in_use())

        {mark}
        def test_something({"kernels" if ask == "fixture" else ""}):
            {"kernels_in_use()" if ask == "test" else "pass"}
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(**outcome)
    if not outcome.get("passed"):
        result.stdout.fnmatch_lines("*must not be marked either_way*")
