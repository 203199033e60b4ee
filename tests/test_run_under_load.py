"""Runs under load are counted, logged and judged one by one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import run_under_load


@pytest.mark.parametrize(("codes", "status"), [([0, 0], 0), ([0, 1], 1)])
def test_every_run_is_logged_and_one_that_fails_is_told(
    codes: list[int],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        asked.append(command[2:])
        return subprocess.CompletedProcess(command, codes[len(asked) - 1])

    monkeypatch.setattr(run_under_load.subprocess, "run", run)
    log = tmp_path / "log.txt"
    assert run_under_load.main(["--runs", "2", "--others", "0", "--log", str(log)]) == status
    assert asked == [["--thorough", "--again"]] * 2
    assert log.read_text(encoding="utf-8").count("== run ") == 2
    assert f"{codes.count(0)} runs passed, {codes.count(1)} failed" in capsys.readouterr().out
