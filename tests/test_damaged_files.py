"""Commands that meet a damaged file name it, say what is wrong, and leave it as it is.

What the readers of the files do with thousands of damages is a campaign
(``python -m benchmarks.reliability --only damage``), whose short form is in tests/benchmarking.
"""

import pytest

from tests.commands import TRAIN, sublinear

pytestmark = pytest.mark.thorough


def assert_refused(result, path, reason, status=1):
    assert result.exit_code == status
    assert path.name in result.output
    assert reason in result.output
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


@pytest.fixture
def run(tmp_path, no_pictures):
    out = tmp_path / "run"
    assert sublinear(*TRAIN, "20", "--out", str(out)).exit_code == 0
    return out


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04 and nothing", "truncated or corrupt"),
        (b"weights", "it is not an .npz archive"),
    ],
)
def test_training_names_a_damaged_checkpoint_and_the_one_before_it(run, content, reason):
    path = run / "checkpoint.npz"
    whole = path.read_bytes()
    path.write_bytes(content)
    result = sublinear(*TRAIN, "30", "--out", str(run))
    assert_refused(result, path, reason)
    assert "checkpoint.npz.previous" in result.output
    assert path.read_bytes() == content
    path.write_bytes(whole)
    assert sublinear(*TRAIN, "30", "--out", str(run)).exit_code == 0


@pytest.fixture
def evidence(few_claims):
    return few_claims / "quick.json"


@pytest.mark.parametrize("content", ["", "{", '{"schema": 99}', '{"schema": 1, "evidence": 3}'])
@pytest.mark.parametrize(
    "asked",
    [("verify", "--stale"), ("verify", "--store", "--quiet"), ("claims", "show", "lem-a.1")],
)
def test_damaged_evidence_is_named_and_kept(evidence, asked, content):
    evidence.write_text(content)
    assert_refused(sublinear(*asked), evidence, "is not a file of evidence")
    assert evidence.read_text() == content
