"""Running the checks: one after the other or side by side, with the same result.

Each claim draws its randomness from the seed and its own id (`Claim.run`) and computes with one
thread, so a run of one claim, of all of them, on any number of processes and on a cluster finds the
same, and what an interrupted run found can be taken over by the next one.  Before changing it, know
that a check that raises does not end the run: its claim is reported as undecided together with the
reason, and the others go on.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import warnings
from collections.abc import Generator, Iterable
from dataclasses import dataclass

from joblib.func_inspect import get_func_code
from tqdm import tqdm

from sublinear_lib import caching, validation
from sublinear_lib.claims.claim import Claim
from sublinear_lib.claims.evidence import UNREADABLE, Budget, Evidence, Verdict, decoded, encoded
from sublinear_lib.claims.ledger import Ledger
from sublinear_lib.cluster import run_tasks, single_threaded

__all__ = ["Verification", "verify", "verify_each"]


@dataclass(frozen=True)
class Verification:
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
    scheduler: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[Verification]:
    """Check statements.

    Parameters
    ----------
    ledger : Ledger
        The claims.
    names : iterable of str
        Ids; none at all stands for all.  A restatement is checked with what it restates.
    budget : Budget or str, default "quick"
        ``"quick"`` or ``"full"``.
    seed : int, default 0
        From which all randomness comes, ``>= 0``.
    jobs : int, default 1
        Number of processes, ``>= 1``.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://10.0.0.5:8786"``, whose workers run the checks
        instead.  They need the same versions as this process.
    cache : path, optional
        A folder for what each check finds; a check that was run before with the same library,
        budget and seed is not run again.
    progress : bool, default False
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    list of Verification
        In reading order, the same for any number of processes but for the seconds.

    Raises
    ------
    KeyError
        If an id is unknown.
    TypeError, ValueError
        If another argument has a wrong type or value.
    LostWorkers, ImportError, ConnectionError
        If workers die again and again, or the cluster cannot be used
        (:func:`sublinear_lib.cluster.run_tasks`).
    OSError
        If the folder of the cache cannot be made or written to.
    """
    found = verify_each(
        ledger,
        names,
        budget=budget,
        seed=seed,
        jobs=jobs,
        scheduler=scheduler,
        cache=cache,
        progress=progress,
    )
    by_id = {report.claim.id: report for report in found}
    return [by_id[claim.id] for claim in ledger if claim.id in by_id]


def verify_each(
    ledger: Ledger,
    names: Iterable[str] = (),
    *,
    budget: Budget | str = Budget.QUICK,
    seed: int = 0,
    jobs: int = 1,
    scheduler: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Generator[Verification]:
    """Check statements, and hand out each report when it is there.

    Parameters
    ----------
    ledger, names, budget, seed, jobs, scheduler, cache, progress
        As for `verify`.

    Yields
    ------
    Verification
        In the order in which the checks end, which for more than one process is not the order of
        reading.

    Raises
    ------
    KeyError, TypeError, ValueError, LostWorkers, ImportError, OSError
        As `verify`, when the first report is asked for.

    Notes
    -----
    Closing the generator, or an interrupt, stops the checks that are under way; on a cluster these
    go on to their end, and nobody hears of it.
    """
    chosen = ledger.checked(names)
    if not isinstance(budget, Budget):
        budget = Budget(validation.choice(budget, "budget", tuple(item.value for item in Budget)))
    seed = validation.count(seed, "seed", minimum=0)
    jobs = validation.count(jobs, "jobs")
    validation.boolean(progress, "progress")
    store = None if cache is None else caching.ResultCache(cache)
    with tqdm(total=len(chosen), unit="statement", desc="verifying", disable=not progress) as bar:
        missing = []
        for claim in chosen:
            known = None if store is None else _recalled(store, claim, budget, seed)
            if known is None:
                missing.append(claim)
                continue
            bar.update()
            yield known
        tasks = [(claim, budget, seed) for claim in missing]
        running = run_tasks(_report, tasks, n_jobs=jobs, scheduler=scheduler, ordered=False)
        with contextlib.closing(running):
            for _, report in running:
                if store is not None and report.evidence is not None:
                    store.put(_key(report.claim, budget, seed), encoded(report.evidence))
                bar.update()
                yield report


def _key(claim: Claim, budget: Budget, seed: int) -> str:
    check, *_ = get_func_code(inspect.unwrap(claim.check))
    said = (claim.id, claim.statement, claim.repairs, claim.known)
    return caching.digest("verify", said, check, budget.value, seed)


def _recalled(
    store: caching.ResultCache, claim: Claim, budget: Budget, seed: int
) -> Verification | None:
    """Return what an earlier run found about a claim as it is now."""
    entry = store.get(_key(claim, budget, seed))
    if entry is None:
        return None
    try:
        return Verification(claim, decoded(claim.id, entry))
    except UNREADABLE as error:
        warnings.warn(
            f"what is stored for {claim.id} cannot be used ({error}); it is checked anew",
            stacklevel=3,
        )
        return None


def _report(claim: Claim, budget: Budget, seed: int) -> Verification:
    try:
        with single_threaded():
            return Verification(claim, claim.run(budget, seed))
    except Exception as error:
        # Whatever goes wrong in one check must not hide what the others find.
        return Verification(claim, None, f"{type(error).__name__}: {error}")
