"""Running the checks: one after the other or side by side, with the same result.

Each claim draws its randomness from the seed and its own id (`Claim.run`) and computes with one
thread, so a run of one claim, of all of them, and on any number of workers finds the same.  Before
changing it, know that a check that raises does not end the run: its claim is reported as undecided
together with the reason, and the others go on.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable
from dataclasses import dataclass

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from tqdm import tqdm

from sublinear_lib import validation
from sublinear_lib.claims.claim import Claim
from sublinear_lib.claims.evidence import Budget, Evidence, Verdict
from sublinear_lib.claims.ledger import Ledger

__all__ = ["Report", "verify", "verify_each"]


@dataclass(frozen=True)
class Report:
    """What a verification found about one claim.

    Parameters
    ----------
    claim : Claim
        The statement.
    evidence : Evidence or None
        What its check found; ``None`` if the check raised.
    error : str
        Why there is no evidence.
    """

    claim: Claim
    evidence: Evidence | None
    error: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict found, `UNDECIDED` without evidence."""
        return Verdict.UNDECIDED if self.evidence is None else self.evidence.verdict

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict found is the one on record."""
        return self.verdict is self.claim.recorded


def verify(
    ledger: Ledger,
    names: Iterable[str] = (),
    *,
    budget: Budget | str = Budget.QUICK,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> list[Report]:
    """Check statements.

    Parameters
    ----------
    ledger : Ledger
        The claims.
    names : iterable of str
        Ids; none at all stands for all.
    budget : Budget or str, default "quick"
        ``"quick"`` or ``"full"``.
    seed : int, default 0
        From which all randomness comes, ``>= 0``.
    jobs : int, default 1
        Number of processes, ``>= 1``.
    progress : bool, default False
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    list of Report
        In reading order, the same for any number of processes but for the seconds.

    Raises
    ------
    KeyError
        If an id is unknown.
    TypeError, ValueError
        If another argument has a wrong type or value.
    """
    found = verify_each(ledger, names, budget=budget, seed=seed, jobs=jobs, progress=progress)
    by_id = {report.claim.id: report for report in found}
    return [by_id[claim.id] for claim in ledger if claim.id in by_id]


def verify_each(
    ledger: Ledger,
    names: Iterable[str] = (),
    *,
    budget: Budget | str = Budget.QUICK,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
) -> Generator[Report]:
    """Check statements, and hand out each report when it is there.

    Parameters
    ----------
    ledger, names, budget, seed, jobs, progress
        As for `verify`.

    Yields
    ------
    Report
        In the order in which the checks end, which for more than one process is not the order of
        reading.

    Raises
    ------
    KeyError, TypeError, ValueError
        As `verify`, when the first report is asked for.

    Notes
    -----
    Closing the generator, or an interrupt, stops the checks that are under way.
    """
    chosen = ledger.select(names)
    if not isinstance(budget, Budget):
        budget = Budget(validation.choice(budget, "budget", tuple(item.value for item in Budget)))
    seed = validation.count(seed, "seed", minimum=0)
    jobs = validation.count(jobs, "jobs")
    validation.boolean(progress, "progress")
    runs = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
        delayed(_report)(claim, budget, seed) for claim in chosen
    )
    try:
        with tqdm(
            total=len(chosen), unit="statement", desc="verifying", disable=not progress
        ) as bar:
            for report in runs:
                bar.update()
                yield report
    finally:
        with warnings.catch_warnings():
            # Stopping early is meant: joblib would advise to submit fewer tasks.
            warnings.simplefilter("ignore")
            runs.close()


def _report(claim: Claim, budget: Budget, seed: int) -> Report:
    try:
        with threadpool_limits(limits=1):
            return Report(claim, claim.run(budget, seed))
    except Exception as error:
        # Whatever goes wrong in one check must not hide what the others find.
        return Report(claim, None, f"{type(error).__name__}: {error}")
