"""What all tests share, and what those of several commands need."""

import os

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the library.  Examples are the
# same in every run, so that a run turns red by a change; NEW_EXAMPLES=1 looks for others.
settings.register_profile("patient", deadline=None, derandomize=not os.environ.get("NEW_EXAMPLES"))
settings.load_profile("patient")


@pytest.fixture
def few_claims(monkeypatch, tmp_path):
    """Put four small claims in the place of the ledger, and a folder in that of the evidence."""
    from sublinear_lib import claims
    from tests.claims.statements import small_ledger

    def path(of):
        return tmp_path / f"{getattr(of, 'value', of)}.json"

    monkeypatch.setattr(claims, "LEDGER", small_ledger())
    for module in (claims, claims.storing):
        monkeypatch.setattr(module, "evidence_path", path)
    return tmp_path


@pytest.fixture
def no_pictures(monkeypatch):
    """Spare the pictures of the runs."""
    from sublinear_lib import runs

    monkeypatch.setattr(runs, "no_pictures", lambda: "not wanted here")
