"""Which browser the tests, the pictures and the measured times take."""

import shutil
from pathlib import Path

import pytest
from browser import NAMES, SHELLS, find_chromium


def found(monkeypatch, *programs, windows=False):
    """Return what is chosen on a machine with these programs."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    return find_chromium(windows=windows)


def test_the_browser_without_windows_comes_first(monkeypatch):
    for shell in SHELLS:
        for name in NAMES:
            assert found(monkeypatch, name, shell) == f"/bin/{shell}"
    assert found(monkeypatch, "google-chrome", "chromium") == "/bin/chromium"
    assert found(monkeypatch, "firefox") is None


def test_what_a_reader_waits_for_is_not_measured_in_it(monkeypatch):
    assert found(monkeypatch, *SHELLS, "google-chrome", windows=True) == "/bin/google-chrome"
    assert found(monkeypatch, *SHELLS, windows=True) is None


def test_the_environment_decides_before_all(monkeypatch):
    assert found(monkeypatch, "mine", *SHELLS) == f"/bin/{SHELLS[0]}"
    monkeypatch.setenv("CHROMIUM", "mine")
    assert find_chromium() == find_chromium(windows=True) == "/bin/mine"
    monkeypatch.setenv("CHROMIUM", "yours")
    with pytest.raises(FileNotFoundError, match="got 'yours'"):
        find_chromium()
