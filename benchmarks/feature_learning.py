"""Measure which feature a network learns, over seeds, adversaries, activations and real images.

Six sections, each with one record for every run and a table of intervals over the runs:

- ``main``: standard and adversarial training of the book's main configuration, attacked and
  certified at one budget, with the race of every class and the distance from the recursion;
- ``rates``: the phase transition and the plateau over the rate eta~ of the training adversary;
- ``budgets``: the spectrum over the budget of the training adversary;
- ``plane``: the robust share over budget and rate of the training adversary, class by class;
- ``digits``: real images, trained against five budgets, with warm-up of the budget and without;
- ``variants``: several steps, sign and normalized steps, other activations.

A seed s is the integer of ``variant_run(law, name, s)``, the same in all sections of patch data:
differences between adversaries are differences within a seed.  The stored file, written by ``python
-m benchmarks.feature_learning --jobs 2`` (``--sections main rates`` renews only these), has no
times and no date in it and is the same, byte for byte, for any number of workers.
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib.metadata
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks import results
from sublinear_lib import archives, features, statistics
from sublinear_lib.features import (
    VARIANTS,
    FeatureData,
    FeatureRun,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
)

QUESTION = "Which feature does a network learn, over seeds, adversaries, activations and images?"
EPS = 0.52
RATE = 300.0
TRAINED = ("standard", "adversarial")
RATES = (30.0, 60.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)
# Exponents are fitted from here on: below, at critical_rate, there is no plateau at all.
FITTED_FROM = 100.0
RATE_STEPS = 3200
# The plateau is measured where nothing ends it: with a robust feature too weak to grow, and with a
# budget that reaches the strongest patches of v.
WEAK_ALPHA = 0.01
PLATEAU_EPS = 1.2
PLATEAU_STEPS = 1200
BUDGETS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0, 1.2)
PLANE_RATES = (60.0, 100.0, 1000.0, 10000.0)
PLANE_BUDGETS = (0.4, 0.55, 0.7, 0.85, 1.0)
DIGIT_BUDGETS = (0.0, 0.05, 0.1, 0.2, 0.3)
DIGIT_EPS = (0.05, 0.1, 0.15, 0.2)
SEEDS = {"main": 25, "rates": 5, "budgets": 10, "digits": 5, "variants": 5, "plane": 3}
# Which column is which number.
EVENTS = {
    "clean": ("clean", 0.0),
    "fooled": ("prop_3_1", 1.0),
    "certified": ("certified", 0.0),
    "all_robust": ("classes_robust", 1.0),
    "none_robust": ("classes_robust", 0.0),
}
CONFIDENCE = 0.95
# Keys of records that are shares, so that their means lie in [0, 1].
SHARES = {
    *("share_mean", "share_min", "classes_robust", "predicted_share", "predicted_same"),
    *("clean", "robust_only", "nonrobust_only", "follows_u", "follows_v", "energy_u", "energy_v"),
    *("prop_3_1", "swap_v", "inject_u", "swap_both", "pgd", "attacked", "certified"),
}

Record = dict[str, Any]


def plain(value: Any) -> Any:
    """Return a value as JSON takes it: six digits, None for what is not finite."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def measured(run: FeatureRun, source: np.random.Generator) -> Record:
    """Measure a run, with the steps at which u takes the lead in the first and the last class."""
    crossing = run.history.crossing()
    return {
        **features.run_record(run, source, eps=EPS),
        "crossing_first": float(crossing.min()),
        "crossing_last": float(crossing.max()),
    }


def main_run(law: FeatureData, trained: str, seed: int) -> Record:
    """Train as `variant_run` does, and look at every class too."""
    source = np.random.default_rng(seed)
    run = features.train_features(law, VARIANTS[trained], source)
    record = features.run_record(run, source, eps=EPS)
    q = cast(SmoothedReLU, run.settings.activation).q
    distance = features.agreement_record(trained, seed, law=law)
    A, B = (each.max(axis=1).tolist() for each in run.initial.alignments(law))
    return {
        **record,
        "classes": run.network.shares(law).share,
        "crossings": run.history.crossing(),
        "race": [features.race_ratio(law, q, *pair) for pair in zip(A, B, strict=True)],
        **{f"recursion_{key}": value for key, value in distance.items()},
    }


def rate_run(law: FeatureData, rate: float, seed: int, *, shorter: float = 1.0) -> Record:
    """Train against an adversary of this rate; a second time with nothing but v to learn."""
    attack = TrainingAttack(eps=0.9, rate=rate)
    settings = TrainingSettings(steps=round(RATE_STEPS * shorter), attack=attack)
    run = features.train_features(law, settings, seed)
    A, B0 = run.initial.alignments(law)
    path = features.feature_recursion(law, settings, A, B0, coupled=True)
    firsts = A.max(axis=1).tolist()  # in the best filter of every class
    brackets = [features.transition_bracket(law, settings, first) for first in firsts]
    alone = replace(
        settings,
        steps=round(PLATEAU_STEPS * shorter),
        attack=TrainingAttack(eps=PLATEAU_EPS, rate=rate),
    )
    stalled = features.train_features(replace(law, alpha=WEAK_ALPHA), alone, seed)
    q = cast(SmoothedReLU, alone.activation).q
    B = np.maximum(stalled.history.B[-1], 0.0)
    return {
        "classes": run.network.shares(law).share,
        "crossings": run.history.crossing(),
        "predicted": path.crossing(),
        "lower": [low for low, _ in brackets],
        "upper": [high for _, high in brackets],
        "plateau": float(((B**q).sum(axis=1) ** (1 / q)).mean()),
        "plateau_formula": features.plateau(law, alone).level,
    }


def budget_run(law: FeatureData, budget: float, seed: int) -> Record:
    """Train against one budget, and ask the coupled recursion which feature is the larger part."""
    settings = TrainingSettings(attack=TrainingAttack(eps=budget, rate=RATE))
    source = np.random.default_rng(seed)
    run = features.train_features(law, settings, source)
    path = features.feature_recursion(law, settings, *run.initial.alignments(law), coupled=True)
    predicted = features.feature_shares(law, settings.activation, path.A[-1], path.B[-1])
    leans = predicted.robust > predicted.nonrobust
    return {
        **measured(run, source),
        "predicted_share": float(predicted.share.mean()),
        "predicted_same": float((leans == (run.network.shares(law).share > 0.5)).mean()),
    }


def plane_run(law: FeatureData, rate: float, budget: float, seed: int) -> Record:
    """Train against one budget with one rate, and ask the recursion for the same classes."""
    settings = TrainingSettings(attack=TrainingAttack(eps=budget, rate=rate))
    run = features.train_features(law, settings, seed)
    first = run.initial.alignments(law)
    found = features.phase_diagram(law, settings, *first, [budget], [rate], coupled=True)
    return {"classes": run.network.shares(law).share, "predicted": found.share[0, 0]}


def variant_run(law: FeatureData, name: str, seed: int) -> Record:
    """Train with one of the settings that reviewers asked about."""
    source = np.random.default_rng(seed)
    return measured(features.train_features(law, VARIANTS[name], source), source)


def digit_run(budget: float, warm_up: bool, seed: int, *, shorter: float = 1.0) -> Record:
    """Train on digits as `digit_record` does; test for several budgets from the same starts."""
    source = np.random.default_rng(seed)
    settings = features.digit_settings(budget, warm_up=warm_up)
    settings = replace(settings, steps=round(settings.steps * shorter))
    run = features.train_images(features.image_digits(), settings, source)
    tested = max(1, round(shorter * len(run.test)))
    X, y = run.test.patches()[:tested], run.test.y[:tested]
    attacked, certified = [], []
    for eps in DIGIT_EPS:
        found = features.gradient_attack(
            run.network, X, y, eps, rng=copy.deepcopy(source), box=(0.0, 1.0)
        )
        attacked.append(found.error)
        certified.append(features.certify_patches(run.network, X, y, eps).error)
    return {
        "clean": run.network.error(X, y),
        "loss": float(run.history.loss[-1]),
        "eps": list(DIGIT_EPS),
        "attacked": attacked,
        "certified": certified,
    }


def groups(records: Sequence[Record], *names: str) -> list[tuple[Record, list[Record]]]:
    """Return what records that agree in these columns have beside them, in their order."""
    found: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        rest = {name: value for name, value in record.items() if name not in names}
        found.setdefault(tuple(record[name] for name in names), []).append(rest)
    return [(dict(zip(names, key, strict=True)), here) for key, here in found.items()]


def triple(found: statistics.Interval) -> list[float]:
    """Return an estimate with its ends."""
    return [found.estimate, found.lower, found.upper]


def means(records: Sequence[Record]) -> Record:
    """Return mean, lower and upper end of every number that is finite in all records.

    Those of a share, whose mean lies in [0, 1], are cut to it; the robust share of a GELU network
    may be below 0, and is not cut then.
    """
    found = {}
    for key in records[0]:
        values: list[Any] = [row.get(key) for row in records]
        if not all(isinstance(each, float) and math.isfinite(each) for each in values):
            continue
        mean, *ends = triple(statistics.t_interval(values, CONFIDENCE))
        if key in SHARES and min(values) >= 0 and max(values) <= 1:
            ends = [max(0.0, ends[0]), min(1.0, ends[1])]
        found[key] = [mean, *ends]
    return found


def count(hits: int, trials: int) -> list[float]:
    """Return how many, which share, and its exact interval."""
    return [hits, *triple(statistics.clopper_pearson(hits, trials, CONFIDENCE))]


def counted(records: Sequence[Record]) -> Record:
    """Return how often each of the `EVENTS` happened."""
    return {
        event: count(sum(record[name] == value for record in records), len(records))
        for event, (name, value) in EVENTS.items()
    }


def run_table(records: Sequence[Record], column: str) -> list[Record]:
    """Return one row for each value of a column: counts of runs, and means."""
    return [
        {**key, "runs": len(here), "counts": counted(here), **means(here)}
        for key, here in groups(records, column)
    ]


def main_table(records: Sequence[Record]) -> list[Record]:
    """Return both trainings, and in how many classes the race ratio names the winner."""
    rows = run_table(records, "trained")
    for row, (_, here) in zip(rows, groups(records, "trained"), strict=True):
        races, shares = (
            np.concatenate([record[k] for record in here]) for k in ("race", "classes")
        )
        robust = shares > 0.5
        row["counts"] |= {
            "classes_robust": count(int(robust.sum()), robust.size),
            "race_names_winner": count(int(((races > 1) != robust).sum()), robust.size),
        }
    return rows


def digit_table(records: Sequence[Record]) -> list[Record]:
    """Return one row for each training and budget of the attack; budget 0 is the clean error."""
    rows = []
    for key, here in groups(records, "warm_up", "budget"):
        for place, eps in enumerate([0.0, *here[0]["eps"]]):
            errors = [
                {
                    name: [record["clean"], *record[name]][place]
                    for name in ("attacked", "certified")
                }
                | {"loss": record["loss"]}
                for record in here
            ]
            rows.append({**key, "eps": eps, "runs": len(here), **means(errors)})
    return rows


def rate_table(records: Sequence[Record]) -> list[Record]:
    """Return one row for each rate; crossing times are those of the classes that cross at all."""
    rows = []
    for key, here in groups(records, "rate"):
        measured, predicted = (
            [time for record in here for time in record[name]]
            for name in ("crossings", "predicted")
        )
        crossed = [sum(time is not None for time in measured), len(measured)]
        row = {**key, "runs": len(here), "crossed": crossed, **means(here)}
        both = [
            {"crossing": float(time), "predicted_crossing": float(told)}
            for time, told in zip(measured, predicted, strict=True)
            if None not in (time, told)
        ]
        found = means(both) if len(both) > 1 else {}
        rows.append({**row, "crossing": None, "predicted_crossing": None, **found})
    return rows


def plane_table(records: Sequence[Record]) -> list[Record]:
    """Return one row for each rate and budget, and how many classes the recursion names rightly."""
    rows = []
    for key, here in groups(records, "rate", "budget"):
        found, said = (
            np.concatenate([record[name] for record in here]) for name in ("classes", "predicted")
        )
        rows.append(
            {
                **key,
                "runs": len(here),
                "share": float(found.mean()),
                "predicted_share": float(said.mean()),
                "robust": [int((found > 0.5).sum()), found.size],
                "same": [int(((found > 0.5) == (said > 0.5)).sum()), found.size],
            }
        )
    return rows


def slopes(records: Sequence[Record]) -> Record:
    """Return the exponents of plateau and crossing time in the rate, with intervals over the seeds.

    Of a seed, the crossing times of those classes count that cross at every rate.
    """
    fitted = [record for record in records if record["rate"] >= FITTED_FROM]
    rates = list(dict.fromkeys(record["rate"] for record in fitted))
    levels, times = [], []
    for _, here in groups(fitted, "seed"):
        levels.append([record["plateau"] for record in here])
        crossings = zip(*(record["crossings"] for record in here), strict=True)
        kept = [each for each in crossings if None not in each and min(each) > 0]
        if kept:
            times.append(np.mean(kept, axis=0).tolist())
    found: Record = {"rates": rates}
    for name, table in (("plateau", levels), ("crossing", times)):
        found[name] = None
        if len(table) > 1 and len(rates) > 1:
            found[name] = triple(statistics.loglog_slope(rates, table, CONFIDENCE))
            found[f"{name}_seeds"] = len(table)
    found["plateau_theory"] = -1.0 / SmoothedReLU().q
    return found


# The columns of a run in each section, what makes it, and the table of all of them.
SECTIONS: dict[str, tuple[tuple[str, ...], Callable[..., Record], Callable[..., list[Record]]]] = {
    "main": (("trained",), main_run, main_table),
    "rates": (("rate",), rate_run, rate_table),
    "budgets": (("budget",), budget_run, functools.partial(run_table, column="budget")),
    "plane": (("rate", "budget"), plane_run, plane_table),
    "digits": (("warm_up", "budget"), digit_run, digit_table),
    "variants": (("name",), variant_run, functools.partial(run_table, column="name")),
}


def axes(section: str, short: bool) -> list[tuple[Any, ...]]:
    """Return what is measured in a section, without the seeds."""
    grids: dict[str, list[tuple[Any, ...]]] = {
        "main": [(name,) for name in TRAINED],
        "rates": [(rate,) for rate in RATES],
        "budgets": [(budget,) for budget in BUDGETS],
        "plane": [*itertools.product(PLANE_RATES, PLANE_BUDGETS)],
        "digits": [(True, budget) for budget in DIGIT_BUDGETS]
        + [(False, budget) for budget in DIGIT_BUDGETS if budget],
        "variants": [(name,) for name in VARIANTS],
    }
    found = grids[section]
    return [*found[:-2][:1], *found[-2:]] if short else found


def cell(
    task: tuple[str, tuple[Any, ...], int], rng: np.random.Generator, *, short: bool = False
) -> Record:
    """Make one record.

    All randomness comes from the seed in the task, not from `rng`, so that sections share runs.
    """
    section, values, seed = task
    names, measure, _ = SECTIONS[section]
    shorter = {"shorter": 0.05} if short and section in ("rates", "digits") else {}
    # Fewer patches make the short runs quick; what they find is not the book's.
    law = [] if section == "digits" else [FeatureData(nonrobust_patches=4 if short else 60)]
    arguments = dict(zip(names, values, strict=True))
    found = measure(*law, **arguments, seed=seed, **shorter)
    return {"record": plain({**arguments, "seed": seed, **found})}


def settings_of(section: str, seeds: int) -> Record:
    """Return what a reader has to know to repeat a section."""
    tested = {"eps": EPS, "inputs": 60}

    def training(names: Iterable[str]) -> Record:
        return {"training": {name: repr(VARIANTS[name]) for name in names}}

    said: dict[str, Record] = {
        "main": tested | training(TRAINED),
        "rates": {
            "rates": list(RATES),
            "budget": 0.9,
            "steps": RATE_STEPS,
            "plateau": {"alpha": WEAK_ALPHA, "eps": PLATEAU_EPS, "steps": PLATEAU_STEPS},
            "critical_rate": plain(features.critical_rate(FeatureData(), SmoothedReLU().q)),
        },
        "budgets": tested | {"budgets": list(BUDGETS), "rate": RATE},
        "plane": {"rates": list(PLANE_RATES), "budgets": list(PLANE_BUDGETS)},
        "digits": {
            "budgets": list(DIGIT_BUDGETS),
            "eps": list(DIGIT_EPS),
            "train": 500,
            "test": len(features.image_digits()) - 500,
            "training": repr(features.digit_settings(0.1)),
        },
        "variants": tested | training(VARIANTS),
    }
    return {"seeds": seeds, "seed": f"0, ..., {seeds - 1}", **said[section]}


def table_of(section: str, records: Sequence[Record]) -> list[Record]:
    """Return the table of a section, from its records alone."""
    table: list[Record] = plain(SECTIONS[section][2](records))
    return table


def as_text(report: Mapping[str, Any]) -> str:
    """Return the report as JSON with one line for every row."""
    parts = [
        f" {json.dumps(key)}: {results.as_text(value, 1, 2 if key in SECTIONS else 0)}"
        for key, value in report.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def versions() -> dict[str, str]:
    """Return the versions that the numbers of a study may depend on."""
    packages = ("numpy", "scipy", "scikit-learn")
    return {name: importlib.metadata.version(name) for name in packages}


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the study, or some of its sections, and write the result."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--sections", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--seeds", type=int, help="runs of each kind, 2 or more")
    parser.add_argument("--short", action="store_true", help="tiny runs, to see that it works")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    stored = Path(__file__).parent / "results" / "feature_learning.json"
    parser.add_argument("--output", type=Path, default=stored)
    options = parser.parse_args(arguments)
    if options.seeds is not None and options.seeds < 2:
        parser.error(f"--seeds must be 2 or more for an interval, got {options.seeds}")
    if options.short and options.output == stored:
        parser.error("--short needs an --output of its own: its numbers are not the book's")
    report: dict[str, Any] = {
        "question": QUESTION,
        "versions": versions(),
        "settings": {
            "law": repr(FeatureData()),
            "short": options.short,
            "counts": "hits, share, Clopper-Pearson interval over the runs, 95 %",
            "means": "mean, Student's t interval over the runs, 95 %",
            "numbers": "six digits; null for what is not finite (a crossing that never comes)",
        },
    }
    if set(options.sections) < set(SECTIONS) and options.output.exists():
        before = json.loads(options.output.read_text(encoding="utf-8"))
        if any(before.get(key) != report[key] for key in report):
            parser.error(f"{options.output} comes from other settings or versions: renew all of it")
        report |= before
    for section in options.sections:
        seeds = SEEDS[section] if options.seeds is None else options.seeds
        runs = itertools.product(axes(section, options.short), range(seeds))
        records = [
            found["record"]
            for found in statistics.sweep(
                functools.partial(cell, short=options.short),
                {"task": [(section, values, seed) for values, seed in runs]},
                seeds=1,
                root_seed=0,
                n_jobs=options.jobs,
            )
        ]
        report[section] = {
            "settings": settings_of(section, seeds),
            "table": table_of(section, records),
            **({"slopes": plain(slopes(records))} if section == "rates" else {}),
            "records": records,
        }
        order = [*(key for key in report if key not in SECTIONS), *SECTIONS]
        report = {key: report[key] for key in order if key in report}
        options.output.parent.mkdir(parents=True, exist_ok=True)
        archives.write_bytes(options.output, as_text(report).encode())
        for row in report[section]["table"]:
            said = (
                f"{k}={value}" for k, value in row.items() if not isinstance(value, dict | list)
            )
            print(section, *said)
    return report


if __name__ == "__main__":
    main()
